// Small programs for the kernel's packet filter (eBPF: Documentation/bpf/standardization/instruction-set.rst), instruction by instruction:
// a few dozen each, not worth a compiler of their own among what the project is built with.
#pragma once
#include <linux/bpf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::lab {

class KernelCode {
 public:
  // r0: what a call or the program gives back; r1 to r5: arguments, lost by a call; r6 to r9 kept; r10: the frame.
  enum Register : std::uint8_t { r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10 };
  enum Width : std::uint8_t { word = BPF_W, half = BPF_H, eight_bytes = BPF_DW };
  // Of 64 bits, unsigned.
  enum Operation : std::uint8_t {
    set = BPF_MOV,
    add = BPF_ADD,
    subtract = BPF_SUB,
    multiply = BPF_MUL,
    divide = BPF_DIV,
    both_bits = BPF_AND,
    either_bit = BPF_OR,
    shift_left = BPF_LSH,
    shift_right = BPF_RSH,
  };
  enum Comparison : std::uint8_t {
    equal = BPF_JEQ,
    unequal = BPF_JNE,
    above = BPF_JGT,
    at_least = BPF_JGE,
    below = BPF_JLT,
    at_most = BPF_JLE,
  };
  using Label = std::size_t;

  void operate(Operation what, Register to, Register from);
  void operate(Operation what, Register to, std::int32_t value);
  void load(Width width, Register to, Register from, std::int16_t offset);
  void store(Width width, Register to, std::int16_t offset, Register from);
  // *(u64*)(to + offset) += from, whoever else does so meanwhile.
  void add_shared(Register to, std::int16_t offset, Register from);
  // If *(u64*)(to + offset) is r0 it becomes from; r0 becomes what it was.
  void exchange_shared(Register to, std::int16_t offset, Register from);
  // The address of a byte of an array map's only value.
  void address(Register to, int map, std::uint32_t offset);
  void call(bpf_func_id function);
  void leave();

  Label label();  // to be put by here(), once
  void here(Label label);
  void jump(Label to);
  void jump_if(Register left, Comparison how, Register right, Label to);
  void jump_if(Register left, Comparison how, std::int32_t right, Label to);

  // A descriptor of the program, for queues' filters (BPF_PROG_TYPE_SCHED_CLS). Errors: no right to, or what the verifier says.
  Result<int> into_kernel(const char* name);

 private:
  struct Jump {
    std::size_t from;
    Label to;
  };
  std::vector<bpf_insn> code_;
  std::vector<std::size_t> places_;
  std::vector<Jump> jumps_;
  void put(std::uint8_t code, std::uint8_t to, std::uint8_t from, std::int16_t offset, std::int32_t value);
};

// An array map with one value of so many bytes, and that value as this process's memory. Errors: no right to, a kernel before 5.5.
struct KernelMemory {
  int map = -1;
  std::byte* bytes = nullptr;
  static Result<KernelMemory> make(std::size_t bytes);
};

}  // namespace ww::lab
