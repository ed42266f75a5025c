/* The library that programs are linked with, libwhatwire-marker.a: each function is a load, a branch, and
 * without the recorder a return.
 *
 * Why it asks the loader for the recorder's functions and is not replaced by symbols of the same name: it is
 * linked statically, so that a program finds it on every node without a path, and calls within a program
 * cannot be interposed; nor can those of libraries that were linked with -Bsymbolic or opened with
 * RTLD_DEEPBIND. Each library that has a copy asks for itself when it is loaded, whenever that is: what is
 * preloaded is always among the global symbols. */
#include <stddef.h>

#include "interpose/marker/table.h"
#include "whatwire/marker.h"

/* Weak: a static program has no loader and is never recorded, and before glibc 2.34 not every program has
 * libdl. */
extern void* dlsym(void* handle, const char* name) __attribute__((weak));

static const struct ww_marker_table* recorder;
static const struct ww_function_table* functions; /* a recorder before it has regions alone */
static const struct ww_dilation_table* dilator;

/* Before the constructors of the program, which may already call. */
__attribute__((constructor(101))) static void find_recorder(void) {
  if (!dlsym) return;
  recorder = dlsym(NULL /* RTLD_DEFAULT */, WW_MARKER_TABLE_NAME);
  functions = dlsym(NULL, WW_FUNCTION_TABLE_NAME);
  dilator = dlsym(NULL, WW_DILATION_TABLE_NAME);
}

#define TELL(what)                                 \
  do {                                             \
    const struct ww_marker_table* to = recorder;   \
    if (__builtin_expect(to != NULL, 0)) to->what; \
  } while (0)

void ww_marker(const char* text) {
  TELL(marker(text, WW_UP_TO_ZERO));
}
void ww_value_double(const char* name, double value) {
  TELL(value_real(name, WW_UP_TO_ZERO, value));
}
void ww_value_float(const char* name, float value) {
  TELL(value_real(name, WW_UP_TO_ZERO, value));
}
void ww_value_long(const char* name, long value) {
  TELL(value_integer(name, WW_UP_TO_ZERO, value));
}
void ww_value_int(const char* name, int value) {
  TELL(value_integer(name, WW_UP_TO_ZERO, value));
}
void ww_value_short(const char* name, short value) {
  TELL(value_integer(name, WW_UP_TO_ZERO, value));
}
void ww_value_char(const char* name, char value) {
  TELL(value_integer(name, WW_UP_TO_ZERO, value));
}
void ww_region_begin(const char* name) {
  TELL(region_begin(name, WW_UP_TO_ZERO));
}
void ww_region_end(const char* name) {
  TELL(region_end(name, WW_UP_TO_ZERO));
}
/* Of instrumented.h. */
void ww_function_begin(const char* name);
void ww_function_end(const char* name);
static void function_begin(const char* name, size_t length) {
  if (functions != NULL)
    functions->begin(name, length);
  else
    recorder->region_begin(name, length);
}
static void function_end(const char* name, size_t length) {
  if (functions != NULL)
    functions->end(name, length);
  else
    recorder->region_end(name, length);
}
void ww_function_begin(const char* name) {
  if (__builtin_expect(recorder != NULL, 0)) function_begin(name, WW_UP_TO_ZERO);
}
void ww_function_end(const char* name) {
  if (__builtin_expect(recorder != NULL, 0)) function_end(name, WW_UP_TO_ZERO);
}
void ww_pause(void) {
  TELL(pause());
}
void ww_resume(void) {
  TELL(resume());
}
void ww_dilate(double d) {
  const struct ww_dilation_table* to = dilator;
  if (__builtin_expect(to != NULL, 0)) to->dilate(d);
}

/* Of the module in whatwire.f90: texts with their length, so that nothing is copied while nobody records. */
void ww_fortran_marker(const char* text, size_t length);
void ww_fortran_value_real(const char* name, size_t length, double value);
void ww_fortran_value_integer(const char* name, size_t length, long long value);
void ww_fortran_region_begin(const char* name, size_t length);
void ww_fortran_region_end(const char* name, size_t length);
void ww_fortran_function_begin(const char* name, size_t length);
void ww_fortran_function_end(const char* name, size_t length);

void ww_fortran_marker(const char* text, size_t length) {
  TELL(marker(text, length));
}
void ww_fortran_value_real(const char* name, size_t length, double value) {
  TELL(value_real(name, length, value));
}
void ww_fortran_value_integer(const char* name, size_t length, long long value) {
  TELL(value_integer(name, length, value));
}
void ww_fortran_function_begin(const char* name, size_t length) {
  if (__builtin_expect(recorder != NULL, 0)) function_begin(name, length);
}
void ww_fortran_function_end(const char* name, size_t length) {
  if (__builtin_expect(recorder != NULL, 0)) function_end(name, length);
}
void ww_fortran_region_begin(const char* name, size_t length) {
  TELL(region_begin(name, length));
}
void ww_fortran_region_end(const char* name, size_t length) {
  TELL(region_end(name, length));
}
