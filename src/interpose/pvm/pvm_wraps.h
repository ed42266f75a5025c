/* What a program linked statically with PVM has of us (libwhatwire-pvm-wrap.a), and what it and the recorder
 * (static_program.cpp) agree upon. The archive stays in programs for years: a change of this is another name
 * of WW_PVM_TAKE beside the old one.
 *
 * Calls of pvm_X become calls of __wrap_pvm_X by the linker (--wrap=pvm_X), and that is a load and a jump:
 * to libpvm3's own function, or to the recorder's wrapper of it when there is a recorder in the process. It
 * is no function in C, so that arguments of any number pass. */
#ifndef WW_PVM_WRAPS_H
#define WW_PVM_WRAPS_H

struct ww_pvm_wrapped {
  const char* name;
  void (*own)(void);    /* the program's own */
  void (*called)(void); /* what its calls go to: at first its own */
};

/* Of the recorder. The entries are [begin, end), `tid` is libpvm3's own number of its task. */
typedef void ww_pvm_take(struct ww_pvm_wrapped* begin, struct ww_pvm_wrapped* end, const int* tid);
#define WW_PVM_TAKE ww_pvm_take_program_1
#define WW_PVM_TAKE_NAME "ww_pvm_take_program_1"

/* The section of the entries. A program is known by it, also when its symbols were stripped
 * (Library::wrap_section). */
#define WW_PVM_SECTION "ww_pvm_wraps"

#if !defined(__x86_64__)
#error "the jump is written for x86-64"
#endif
/* Aligned by hand: compilers leave gaps between larger objects, and these are read one behind the other. */
#define WW_PVM_WRAP(function)                                                                            \
  void __real_##function(void);                                                                          \
  __attribute__((visibility("hidden"), section(WW_PVM_SECTION), aligned(8),                              \
                 used)) struct ww_pvm_wrapped ww_pvm_wrapped_##function = {#function, __real_##function, \
                                                                           __real_##function};           \
  __asm__(".pushsection .text\n.globl __wrap_" #function "\n.type __wrap_" #function                     \
          ", @function\n__wrap_" #function ":\n.cfi_startproc\nendbr64\njmp *ww_pvm_wrapped_" #function  \
          "+16(%rip)\n.cfi_endproc\n.size __wrap_" #function ", .-__wrap_" #function "\n.popsection\n");

#endif
