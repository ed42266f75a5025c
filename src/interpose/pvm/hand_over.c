/* In libwhatwire-pvm-wrap.a: before the program begins, its functions of PVM are given to the recorder, which
 * puts its wrappers in front of them. */
#include <stddef.h>

#include "interpose/pvm/pvm_wraps.h"

/* Weak: a program that is static in all has no loader and is never recorded (interpose/marker/stub.c). */
extern void* dlsym(void* handle, const char* name) __attribute__((weak));
extern int pvmmytid; /* of libpvm3 */
extern struct ww_pvm_wrapped __start_ww_pvm_wraps[] __attribute__((visibility("hidden")));
extern struct ww_pvm_wrapped __stop_ww_pvm_wraps[] __attribute__((visibility("hidden")));

/* Before the constructors of the program, which may already call. The generated file names it, by which it is
 * linked. */
__attribute__((constructor(101))) void ww_pvm_hand_over(void) __attribute__((visibility("hidden")));
void ww_pvm_hand_over(void) {
  if (!dlsym) return;
  ww_pvm_take* const take = (ww_pvm_take*)dlsym(NULL /* RTLD_DEFAULT */, WW_PVM_TAKE_NAME);
  if (take != NULL) take(__start_ww_pvm_wraps, __stop_ww_pvm_wraps, &pvmmytid);
}
