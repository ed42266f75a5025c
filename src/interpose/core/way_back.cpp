#include "interpose/core/way_back.hpp"

#include "interpose/core/patched_functions.hpp"

#if defined(__x86_64__)

extern "C" {
__attribute__((visibility("hidden"), used)) int whatwire_vectors_kept = 3;
__attribute__((visibility("hidden"), used)) void whatwire_begins(const void* address, uintptr_t* way_back) {
  ww::interpose::patched_function_begins(address, way_back);
}
__attribute__((visibility("hidden"), used)) void whatwire_ends(uintptr_t* way_back) {
  ww::interpose::patched_function_ends(way_back);
}
}

// WHATWIRE_CALL calls a function with what stands in rdi and rsi, with rbp as the frame's base and all but rbp to be kept. Vector registers: XGETBV
// with 1 tells which parts of them are in use, by the bits of XCR0 (2: the upper halves of ymm0-15, 6: of zmm0-15, 5: masks, 7: zmm16-31). What is
// not in use is 0, and is so again afterwards. One by one they take less time than XSAVE and XRSTOR, which look after more.
asm(R"(
  .macro WHATWIRE_CALL function
  andq $-64, %rsp
  cmpl $3, whatwire_vectors_kept(%rip)
  je 8f
  subq $2176, %rsp
  xorl %eax, %eax
  cmpl $0, whatwire_vectors_kept(%rip)
  je 1f
  movl $1, %ecx
  xgetbv
1:
  movl %eax, 2112(%rsp)
  testl $0x44, %eax
  jz 3f
  cmpl $2, whatwire_vectors_kept(%rip)
  je 2f
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  vmovaps %ymm\number, 64*\number(%rsp)
  .endr
  jmp 4f
2:
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  vmovdqa64 %zmm\number, 64*\number(%rsp)
  .endr
  jmp 4f
3:
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movaps %xmm\number, 64*\number(%rsp)
  .endr
4:
  testl $0x80, %eax
  jz 5f
  .irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  vmovdqa64 %zmm\number, 64*\number(%rsp)
  .endr
5:
  testl $0x20, %eax
  jz 6f
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  kmovq %k\number, 8*\number+2048(%rsp)
  .endr
6:
  call \function
  movl 2112(%rsp), %eax
  cmpl $2, whatwire_vectors_kept(%rip)
  jne 4f
  testl $0x80, %eax
  jz 1f
  .irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  vmovdqa64 64*\number(%rsp), %zmm\number
  .endr
  jmp 2f
1:
  .irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  vpxorq %zmm\number, %zmm\number, %zmm\number
  .endr
2:
  testl $0x20, %eax
  jz 3f
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  kmovq 8*\number+2048(%rsp), %k\number
  .endr
  jmp 4f
3:
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  kxorq %k\number, %k\number, %k\number
  .endr
4:
  testl $0x44, %eax
  jz 7f
  cmpl $2, whatwire_vectors_kept(%rip)
  je 5f
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  vmovaps 64*\number(%rsp), %ymm\number
  .endr
  jmp 9f
5:
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  vmovdqa64 64*\number(%rsp), %zmm\number
  .endr
  jmp 9f
7:
  cmpl $0, whatwire_vectors_kept(%rip)
  je 6f
  vzeroupper
6:
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movaps 64*\number(%rsp), %xmm\number
  .endr
  jmp 9f
8:
  subq $2688, %rsp
  xorl %eax, %eax
  .irp word, 512, 520, 528, 536, 544, 552, 560, 568
  movq %rax, \word(%rsp)
  .endr
  movl $0xe6, %eax
  xorl %edx, %edx
  xsave (%rsp)
  call \function
  movl $0xe6, %eax
  xorl %edx, %edx
  xrstor (%rsp)
9:
  .endm

  .macro WHATWIRE_PUSH
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  .endm

  .macro WHATWIRE_POP
  leaq -72(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  popq %rbp
  .cfi_def_cfa %rsp, 8
  .endm

  .text
  .p2align 4
  .globl whatwire_function_begins
  .hidden whatwire_function_begins
  .type whatwire_function_begins, @function
whatwire_function_begins:
  .cfi_startproc
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  WHATWIRE_PUSH
  movq 8(%rbp), %rdi
  leaq 16(%rbp), %rsi
  WHATWIRE_CALL whatwire_begins
  WHATWIRE_POP
  ret
  .cfi_endproc
  .size whatwire_function_begins, .-whatwire_function_begins
)");

// Exceptions, pthread_exit and debuggers unwind through here: to them it is a frame without a size between the function and the one that
// called it. Where that one goes on they find as lead_back_there does, by the place below the frame: an expression on a stack, at whose
// bottom they put the frame's address. Marked as a handler's (S), for two reasons: two frames of one address are told apart by it, and
// what is found is then taken as it is and not less 1, as the place has it already. The nop is for those who look at the byte before.
asm(R"(
  .p2align 4
  .globl whatwire_function_ends
  .hidden whatwire_function_ends
  .type whatwire_function_ends, @function
  .cfi_startproc
  .cfi_signal_frame
  .cfi_def_cfa %rsp, 0
  # what follows says where column 16, the address to go on at, is: 50 bytes
  .cfi_escape 0x10, 0x10, 0x32
  # dup (libgcc wants one more below what it picks) lit8 minus: the place
  .cfi_escape 0x12, 0x38, 0x1c
  # dup const8u(ways_back_multiplier) mul const1u(64 - ways_back_bits) shr
  .cfi_escape 0x12, 0x0e, 0x15, 0x7c, 0x4a, 0x7f, 0xb9, 0x79, 0x37, 0x9e, 0x1e, 0x08, 48, 0x25
  # again: dup lit4 shl const8u(ways_back_at) plus
  .cfi_escape 0x12, 0x34, 0x24, 0x0e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x22
  # dup deref pick(3) eq bra(+10)
  .cfi_escape 0x12, 0x06, 0x15, 0x03, 0x29, 0x28, 0x0a, 0x00
  # drop lit1 plus const2u(0xffff) and skip(-31): the next one
  .cfi_escape 0x13, 0x31, 0x22, 0x0a, 0xff, 0xff, 0x1a, 0x2f, 0xe1, 0xff
  # lit8 plus: just_before of this one
  .cfi_escape 0x38, 0x22
  nop
whatwire_function_ends:
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  WHATWIRE_PUSH
  leaq 8(%rbp), %rdi
  WHATWIRE_CALL whatwire_ends
  WHATWIRE_POP
  ret
  .cfi_endproc
  .size whatwire_function_ends, .-whatwire_function_ends
)");

static_assert(sizeof(ww::interpose::WayBack) == 16 && ww::interpose::ways_back_bits == 16 &&
                  ww::interpose::ways_back_at == 0x200000000000 &&
                  ww::interpose::ways_back_multiplier == 0x9e3779b97f4a7c15,
              "as the expression has it");

#endif
