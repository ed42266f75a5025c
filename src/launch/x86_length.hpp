// How long an instruction of x86-64 is: enough to walk through machine code from one instruction to the next,
// so that bytes inside of an instruction are not taken for one. Intel's Software Developer's Manual, volume
// 2, chapter 2 and appendix A.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace ww {

struct Instruction {
  std::size_t length = 0;      // 0: not an instruction, or it goes beyond the code
  bool reads_counter = false;  // rdtsc or rdtscp
};

// The instruction at the beginning of `code`.
Instruction decode_x86(std::span<const std::uint8_t> code);

}  // namespace ww
