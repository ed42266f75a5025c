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
// not in use is 0, and is so again afterwards. By themselves they take some nanoseconds, by XSAVE and XRSTOR a hundred and fifty.
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
  vmovaps %ymm0, 0(%rsp)
  vmovaps %ymm1, 64(%rsp)
  vmovaps %ymm2, 128(%rsp)
  vmovaps %ymm3, 192(%rsp)
  vmovaps %ymm4, 256(%rsp)
  vmovaps %ymm5, 320(%rsp)
  vmovaps %ymm6, 384(%rsp)
  vmovaps %ymm7, 448(%rsp)
  vmovaps %ymm8, 512(%rsp)
  vmovaps %ymm9, 576(%rsp)
  vmovaps %ymm10, 640(%rsp)
  vmovaps %ymm11, 704(%rsp)
  vmovaps %ymm12, 768(%rsp)
  vmovaps %ymm13, 832(%rsp)
  vmovaps %ymm14, 896(%rsp)
  vmovaps %ymm15, 960(%rsp)
  jmp 4f
2:
  vmovdqa64 %zmm0, 0(%rsp)
  vmovdqa64 %zmm1, 64(%rsp)
  vmovdqa64 %zmm2, 128(%rsp)
  vmovdqa64 %zmm3, 192(%rsp)
  vmovdqa64 %zmm4, 256(%rsp)
  vmovdqa64 %zmm5, 320(%rsp)
  vmovdqa64 %zmm6, 384(%rsp)
  vmovdqa64 %zmm7, 448(%rsp)
  vmovdqa64 %zmm8, 512(%rsp)
  vmovdqa64 %zmm9, 576(%rsp)
  vmovdqa64 %zmm10, 640(%rsp)
  vmovdqa64 %zmm11, 704(%rsp)
  vmovdqa64 %zmm12, 768(%rsp)
  vmovdqa64 %zmm13, 832(%rsp)
  vmovdqa64 %zmm14, 896(%rsp)
  vmovdqa64 %zmm15, 960(%rsp)
  jmp 4f
3:
  movaps %xmm0, 0(%rsp)
  movaps %xmm1, 64(%rsp)
  movaps %xmm2, 128(%rsp)
  movaps %xmm3, 192(%rsp)
  movaps %xmm4, 256(%rsp)
  movaps %xmm5, 320(%rsp)
  movaps %xmm6, 384(%rsp)
  movaps %xmm7, 448(%rsp)
  movaps %xmm8, 512(%rsp)
  movaps %xmm9, 576(%rsp)
  movaps %xmm10, 640(%rsp)
  movaps %xmm11, 704(%rsp)
  movaps %xmm12, 768(%rsp)
  movaps %xmm13, 832(%rsp)
  movaps %xmm14, 896(%rsp)
  movaps %xmm15, 960(%rsp)
4:
  testl $0x80, %eax
  jz 5f
  vmovdqa64 %zmm16, 1024(%rsp)
  vmovdqa64 %zmm17, 1088(%rsp)
  vmovdqa64 %zmm18, 1152(%rsp)
  vmovdqa64 %zmm19, 1216(%rsp)
  vmovdqa64 %zmm20, 1280(%rsp)
  vmovdqa64 %zmm21, 1344(%rsp)
  vmovdqa64 %zmm22, 1408(%rsp)
  vmovdqa64 %zmm23, 1472(%rsp)
  vmovdqa64 %zmm24, 1536(%rsp)
  vmovdqa64 %zmm25, 1600(%rsp)
  vmovdqa64 %zmm26, 1664(%rsp)
  vmovdqa64 %zmm27, 1728(%rsp)
  vmovdqa64 %zmm28, 1792(%rsp)
  vmovdqa64 %zmm29, 1856(%rsp)
  vmovdqa64 %zmm30, 1920(%rsp)
  vmovdqa64 %zmm31, 1984(%rsp)
5:
  testl $0x20, %eax
  jz 6f
  kmovq %k0, 2048(%rsp)
  kmovq %k1, 2056(%rsp)
  kmovq %k2, 2064(%rsp)
  kmovq %k3, 2072(%rsp)
  kmovq %k4, 2080(%rsp)
  kmovq %k5, 2088(%rsp)
  kmovq %k6, 2096(%rsp)
  kmovq %k7, 2104(%rsp)
6:
  call \function
  movl 2112(%rsp), %eax
  cmpl $2, whatwire_vectors_kept(%rip)
  jne 4f
  testl $0x80, %eax
  jz 1f
  vmovdqa64 1024(%rsp), %zmm16
  vmovdqa64 1088(%rsp), %zmm17
  vmovdqa64 1152(%rsp), %zmm18
  vmovdqa64 1216(%rsp), %zmm19
  vmovdqa64 1280(%rsp), %zmm20
  vmovdqa64 1344(%rsp), %zmm21
  vmovdqa64 1408(%rsp), %zmm22
  vmovdqa64 1472(%rsp), %zmm23
  vmovdqa64 1536(%rsp), %zmm24
  vmovdqa64 1600(%rsp), %zmm25
  vmovdqa64 1664(%rsp), %zmm26
  vmovdqa64 1728(%rsp), %zmm27
  vmovdqa64 1792(%rsp), %zmm28
  vmovdqa64 1856(%rsp), %zmm29
  vmovdqa64 1920(%rsp), %zmm30
  vmovdqa64 1984(%rsp), %zmm31
  jmp 2f
1:
  vpxorq %zmm16, %zmm16, %zmm16
  vpxorq %zmm17, %zmm17, %zmm17
  vpxorq %zmm18, %zmm18, %zmm18
  vpxorq %zmm19, %zmm19, %zmm19
  vpxorq %zmm20, %zmm20, %zmm20
  vpxorq %zmm21, %zmm21, %zmm21
  vpxorq %zmm22, %zmm22, %zmm22
  vpxorq %zmm23, %zmm23, %zmm23
  vpxorq %zmm24, %zmm24, %zmm24
  vpxorq %zmm25, %zmm25, %zmm25
  vpxorq %zmm26, %zmm26, %zmm26
  vpxorq %zmm27, %zmm27, %zmm27
  vpxorq %zmm28, %zmm28, %zmm28
  vpxorq %zmm29, %zmm29, %zmm29
  vpxorq %zmm30, %zmm30, %zmm30
  vpxorq %zmm31, %zmm31, %zmm31
2:
  testl $0x20, %eax
  jz 3f
  kmovq 2048(%rsp), %k0
  kmovq 2056(%rsp), %k1
  kmovq 2064(%rsp), %k2
  kmovq 2072(%rsp), %k3
  kmovq 2080(%rsp), %k4
  kmovq 2088(%rsp), %k5
  kmovq 2096(%rsp), %k6
  kmovq 2104(%rsp), %k7
  jmp 4f
3:
  kxorq %k0, %k0, %k0
  kxorq %k1, %k1, %k1
  kxorq %k2, %k2, %k2
  kxorq %k3, %k3, %k3
  kxorq %k4, %k4, %k4
  kxorq %k5, %k5, %k5
  kxorq %k6, %k6, %k6
  kxorq %k7, %k7, %k7
4:
  testl $0x44, %eax
  jz 7f
  cmpl $2, whatwire_vectors_kept(%rip)
  je 5f
  vmovaps 0(%rsp), %ymm0
  vmovaps 64(%rsp), %ymm1
  vmovaps 128(%rsp), %ymm2
  vmovaps 192(%rsp), %ymm3
  vmovaps 256(%rsp), %ymm4
  vmovaps 320(%rsp), %ymm5
  vmovaps 384(%rsp), %ymm6
  vmovaps 448(%rsp), %ymm7
  vmovaps 512(%rsp), %ymm8
  vmovaps 576(%rsp), %ymm9
  vmovaps 640(%rsp), %ymm10
  vmovaps 704(%rsp), %ymm11
  vmovaps 768(%rsp), %ymm12
  vmovaps 832(%rsp), %ymm13
  vmovaps 896(%rsp), %ymm14
  vmovaps 960(%rsp), %ymm15
  jmp 9f
5:
  vmovdqa64 0(%rsp), %zmm0
  vmovdqa64 64(%rsp), %zmm1
  vmovdqa64 128(%rsp), %zmm2
  vmovdqa64 192(%rsp), %zmm3
  vmovdqa64 256(%rsp), %zmm4
  vmovdqa64 320(%rsp), %zmm5
  vmovdqa64 384(%rsp), %zmm6
  vmovdqa64 448(%rsp), %zmm7
  vmovdqa64 512(%rsp), %zmm8
  vmovdqa64 576(%rsp), %zmm9
  vmovdqa64 640(%rsp), %zmm10
  vmovdqa64 704(%rsp), %zmm11
  vmovdqa64 768(%rsp), %zmm12
  vmovdqa64 832(%rsp), %zmm13
  vmovdqa64 896(%rsp), %zmm14
  vmovdqa64 960(%rsp), %zmm15
  jmp 9f
7:
  cmpl $0, whatwire_vectors_kept(%rip)
  je 6f
  vzeroupper
6:
  movaps 0(%rsp), %xmm0
  movaps 64(%rsp), %xmm1
  movaps 128(%rsp), %xmm2
  movaps 192(%rsp), %xmm3
  movaps 256(%rsp), %xmm4
  movaps 320(%rsp), %xmm5
  movaps 384(%rsp), %xmm6
  movaps 448(%rsp), %xmm7
  movaps 512(%rsp), %xmm8
  movaps 576(%rsp), %xmm9
  movaps 640(%rsp), %xmm10
  movaps 704(%rsp), %xmm11
  movaps 768(%rsp), %xmm12
  movaps 832(%rsp), %xmm13
  movaps 896(%rsp), %xmm14
  movaps 960(%rsp), %xmm15
  jmp 9f
8:
  subq $2688, %rsp
  xorl %eax, %eax
  movq %rax, 512(%rsp)
  movq %rax, 520(%rsp)
  movq %rax, 528(%rsp)
  movq %rax, 536(%rsp)
  movq %rax, 544(%rsp)
  movq %rax, 552(%rsp)
  movq %rax, 560(%rsp)
  movq %rax, 568(%rsp)
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
