/* What the stub that programs are linked with (stub.c) and the recorder (core/markers.cpp) agree upon. The
 * stub stays in programs for years: a change of this is another name of the table beside the old one. */
#ifndef WW_MARKER_TABLE_H
#define WW_MARKER_TABLE_H
#include <stddef.h>

/* As the length of a text: it ends with a 0. With a length, blanks at the end do not count (Fortran). */
#define WW_UP_TO_ZERO ((size_t)-1)

struct ww_marker_table {
  void (*marker)(const char* text, size_t length);
  void (*value_integer)(const char* name, size_t length, long long value);
  void (*value_real)(const char* name, size_t length, double value);
  void (*region_begin)(const char* name, size_t length);
  void (*region_end)(const char* name, size_t length);
  void (*pause)(void);
  void (*resume)(void);
};
#define WW_MARKER_TABLE ww_marker_table_1
#define WW_MARKER_TABLE_NAME "ww_marker_table_1"

/* Of functions in copies by `whatwire instrument`, which the user may leave out when the program runs. */
struct ww_function_table {
  void (*begin)(const char* name, size_t length);
  void (*end)(const char* name, size_t length);
};
#define WW_FUNCTION_TABLE ww_function_table_1
#define WW_FUNCTION_TABLE_NAME "ww_function_table_1"

struct ww_dilation_table {
  void (*dilate)(double d);
};
#define WW_DILATION_TABLE ww_dilation_table_1
#define WW_DILATION_TABLE_NAME "ww_dilation_table_1"

#endif
