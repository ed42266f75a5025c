/* What copies of Fortran sources by `whatwire instrument` call: procedures without an interface, as Fortran 77 has them, so that no module
 * has to be compiled first. The name of each under the manglings of compilers (gfortran, flang, ifort; without underscore; capitals);
 * the length of the text is last. */
#include <stddef.h>

void ww_fortran_value_real(const char* name, size_t length, double value);
void ww_fortran_value_integer(const char* name, size_t length, long long value);
void ww_fortran_function_begin(const char* name, size_t length);
void ww_fortran_function_end(const char* name, size_t length);

#define OF_NAME(procedure, what)                    \
  void procedure(const char* name, size_t length);  \
  void procedure(const char* name, size_t length) { \
    ww_fortran_##what(name, length);                \
  }
OF_NAME(wwregionbegin_, function_begin)
OF_NAME(wwregionbegin, function_begin)
OF_NAME(WWREGIONBEGIN, function_begin)
OF_NAME(wwregionend_, function_end)
OF_NAME(wwregionend, function_end)
OF_NAME(WWREGIONEND, function_end)

#define OF_VALUE(procedure, type, what)                                \
  void procedure(const char* name, const type* value, size_t length);  \
  void procedure(const char* name, const type* value, size_t length) { \
    ww_fortran_##what(name, length, *value);                           \
  }
OF_VALUE(wwvaluereal_, double, value_real)
OF_VALUE(wwvaluereal, double, value_real)
OF_VALUE(WWVALUEREAL, double, value_real)
OF_VALUE(wwvalueinteger_, long long, value_integer)
OF_VALUE(wwvalueinteger, long long, value_integer)
OF_VALUE(WWVALUEINTEGER, long long, value_integer)
