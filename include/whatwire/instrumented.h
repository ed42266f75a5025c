/* What copies of sources that `whatwire instrument` rewrote are made of, in C89 and later and C++98 and later: a
 * region that is left with its scope, whatever leaves that, and values that are recorded as they are assigned.
 * Each wrapper gives back what it was given, so that the rewritten expression means what it did. For GCC, Clang
 * and compilers that have their __attribute__((cleanup)). Not for programs to call. */
#ifndef WHATWIRE_INSTRUMENTED_H
#define WHATWIRE_INSTRUMENTED_H
/* No warning of what stands here, in programs that are compiled with more of them than this was. */
#if defined __GNUC__
#pragma GCC system_header
#endif
#include "marker.h"

/* Debuggers step over what is artificial. None of it is a function of the program's (-finstrument-functions). */
#define WW_OWN __attribute__((always_inline, artificial, no_instrument_function))
#define WW_WRAPPER static __inline__ WW_OWN

#ifdef __cplusplus
#if __cplusplus >= 201103L
#define WW_NO_THROW noexcept
#else
#define WW_NO_THROW throw()
#endif

extern "C" void ww_function_begin(const char* name);
extern "C" void ww_function_end(const char* name);

class ww_region {
 public:
  WW_OWN explicit ww_region(const char* name) WW_NO_THROW : name_(name) { ww_function_begin(name); }
  WW_OWN ~ww_region() { ww_function_end(name_); }

 private:
  ww_region(const ww_region&);
  ww_region& operator=(const ww_region&);
  const char* name_;
};
#define WW_FUNCTION(variable, name) const ww_region variable(name)
#else
#define WW_NO_THROW
void ww_function_begin(const char* name);
void ww_function_end(const char* name);
WW_WRAPPER const char* ww_region_enter(const char* name) {
  ww_function_begin(name);
  return name;
}
WW_WRAPPER void ww_region_leave(const char* const* name) {
  ww_function_end(*name);
}
#define WW_FUNCTION(variable, name) \
  __attribute__((cleanup(ww_region_leave), unused)) const char* const variable = ww_region_enter(name)
#endif

/* The recorder has 64 bits with a sign; a larger number is recorded as the largest. */
WW_WRAPPER long ww_whole(unsigned long long value) {
  return (long)(value > (~0ULL >> 1) ? (~0ULL >> 1) : value);
}

/* KIND of each type: ww_stored_KIND(NAME, VALUE) records a value; ww_stepped_KIND(NAME, BY, VALUE) that which
 * `x++` leaves (BY 1) or `x--` (BY -1), where VALUE is the old one. ww_element_KIND and ww_stepped_element_KIND
 * do so only if the element is the one that is watched: all bits of WANTED are in *FOUND, which ww_index sets.
 * In C++ ww_assigned_KIND and ww_element_KIND give back what is assigned to, and not its value. */
#define WW_VALUES_OF(kind, type, tell)                                                                \
  WW_WRAPPER type ww_stored_##kind(const char* name, type value) WW_NO_THROW {                        \
    tell(name, value);                                                                                \
    return value;                                                                                     \
  }                                                                                                   \
  WW_WRAPPER type ww_stored_element_##kind(const unsigned* found, unsigned wanted, const char* name,  \
                                           type value) WW_NO_THROW {                                  \
    if ((*found & wanted) == wanted) tell(name, value);                                               \
    return value;                                                                                     \
  }                                                                                                   \
  WW_WRAPPER type ww_stepped_##kind(const char* name, int by, type old) WW_NO_THROW {                 \
    const type value = (type)(old + (type)by);                                                        \
    tell(name, value);                                                                                \
    return old;                                                                                       \
  }                                                                                                   \
  WW_WRAPPER type ww_stepped_element_##kind(const unsigned* found, unsigned wanted, const char* name, \
                                            int by, type old) WW_NO_THROW {                           \
    const type value = (type)(old + (type)by);                                                        \
    if ((*found & wanted) == wanted) tell(name, value);                                               \
    return old;                                                                                       \
  }                                                                                                   \
  WW_ASSIGNED_OF(kind, type, tell)

#ifdef __cplusplus
#define WW_ASSIGNED_OF(kind, type, tell)                                                             \
  template <class T>                                                                                 \
  WW_WRAPPER T& ww_assigned_##kind(const char* name, T& value) WW_NO_THROW {                         \
    tell(name, value);                                                                               \
    return value;                                                                                    \
  }                                                                                                  \
  template <class T>                                                                                 \
  WW_WRAPPER T& ww_assigned_element_##kind(const unsigned* found, unsigned wanted, const char* name, \
                                           T& value) WW_NO_THROW {                                   \
    if ((*found & wanted) == wanted) tell(name, value);                                              \
    return value;                                                                                    \
  }
#else
#define WW_ASSIGNED_OF(kind, type, tell)                                                               \
  WW_WRAPPER type ww_assigned_##kind(const char* name, type value) {                                   \
    return ww_stored_##kind(name, value);                                                              \
  }                                                                                                    \
  WW_WRAPPER type ww_assigned_element_##kind(const unsigned* found, unsigned wanted, const char* name, \
                                             type value) {                                             \
    return ww_stored_element_##kind(found, wanted, name, value);                                       \
  }
#endif

#define WW_TELL_REAL(name, value) ww_value_double(name, (double)(value))
#define WW_TELL_LONG(name, value) ww_value_long(name, (long)(value))
#define WW_TELL_WHOLE(name, value) ww_value_long(name, ww_whole(value))

WW_VALUES_OF(float, float, WW_TELL_REAL)
WW_VALUES_OF(double, double, WW_TELL_REAL)
WW_VALUES_OF(long_double, long double, WW_TELL_REAL)
WW_VALUES_OF(char, char, WW_TELL_LONG)
WW_VALUES_OF(schar, signed char, WW_TELL_LONG)
WW_VALUES_OF(uchar, unsigned char, WW_TELL_LONG)
WW_VALUES_OF(short, short, WW_TELL_LONG)
WW_VALUES_OF(ushort, unsigned short, WW_TELL_LONG)
WW_VALUES_OF(int, int, WW_TELL_LONG)
WW_VALUES_OF(uint, unsigned, WW_TELL_LONG)
WW_VALUES_OF(long, long, WW_TELL_LONG)
WW_VALUES_OF(ulong, unsigned long, WW_TELL_WHOLE)
WW_VALUES_OF(llong, long long, WW_TELL_LONG)
WW_VALUES_OF(ullong, unsigned long long, WW_TELL_WHOLE)
#ifdef __cplusplus
WW_VALUES_OF(bool, bool, WW_TELL_LONG)
#else
WW_VALUES_OF(bool, _Bool, WW_TELL_LONG)
#endif

#ifdef __cplusplus
/* Of enumerations, and where the type is a template's: numbers and enumerations are recorded, anything else is
 * handed on. */
template <bool is_enumeration>
struct ww_teller {
  WW_OWN static void tell(const char* name, float value) { WW_TELL_REAL(name, value); }
  WW_OWN static void tell(const char* name, double value) { WW_TELL_REAL(name, value); }
  WW_OWN static void tell(const char* name, long double value) { WW_TELL_REAL(name, value); }
  WW_OWN static void tell(const char* name, bool value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, char value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, signed char value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, unsigned char value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, short value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, unsigned short value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, int value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, unsigned value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, long value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, unsigned long value) { WW_TELL_WHOLE(name, value); }
  WW_OWN static void tell(const char* name, long long value) { WW_TELL_LONG(name, value); }
  WW_OWN static void tell(const char* name, unsigned long long value) { WW_TELL_WHOLE(name, value); }
  template <class T>
  WW_OWN static void tell(const char*, const T&) {}
};
template <>
struct ww_teller<true> {
  template <class T>
  WW_OWN static void tell(const char* name, T value) {
    ww_value_long(name, static_cast<long>(value));
  }
};
template <class T>
struct ww_plain {
  typedef T type;
};
template <class T>
struct ww_plain<T&> {
  typedef T type;
};
#define WW_TELL_ANY(T, name, value) ww_teller<__is_enum(typename ww_plain<T>::type)>::tell(name, value)

#if __cplusplus >= 201103L
#define WW_ANY(T) T&&
#else
#define WW_ANY(T) T&
#endif
template <class T>
WW_WRAPPER WW_ANY(T) ww_assigned_any(const char* name, WW_ANY(T) value) WW_NO_THROW {
  WW_TELL_ANY(T, name, value);
  return static_cast<WW_ANY(T)>(value);
}
template <class T>
WW_WRAPPER WW_ANY(T) ww_assigned_element_any(const unsigned* found, unsigned wanted, const char* name,
                                             WW_ANY(T) value) WW_NO_THROW {
  if ((*found & wanted) == wanted) WW_TELL_ANY(T, name, value);
  return static_cast<WW_ANY(T)>(value);
}
template <class T>
WW_WRAPPER T ww_stored_any(const char* name, T value) {
  WW_TELL_ANY(T, name, value);
  return value;
}
template <class T>
WW_WRAPPER T ww_stored_element_any(const unsigned* found, unsigned wanted, const char* name, T value) {
  if ((*found & wanted) == wanted) WW_TELL_ANY(T, name, value);
  return value;
}
template <class T>
WW_WRAPPER T ww_index(unsigned* found, unsigned bit, long wanted, T index) WW_NO_THROW {
  *found = static_cast<long>(index) == wanted ? *found | bit : *found & ~bit;
  return index;
}
#else
WW_WRAPPER long ww_index(unsigned* found, unsigned bit, long wanted, long index) {
  *found = index == wanted ? *found | bit : *found & ~bit;
  return index;
}
#endif

#endif
