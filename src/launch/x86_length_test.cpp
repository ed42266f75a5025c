#include "launch/x86_length.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ww {
namespace {

struct Known {
  std::vector<std::uint8_t> bytes;
  const char* text;
};

// As GNU's disassembler has them. Whole programs are compared with it in tests/e2e/dilating.py.
const Known known[] = {
    {{0xc3}, "ret"},
    {{0x55}, "push %rbp"},
    {{0x48, 0x89, 0xe5}, "mov %rsp,%rbp"},
    {{0x48, 0x8b, 0x04, 0x25, 0x28, 0x00, 0x00, 0x00}, "mov 0x28,%rax"},
    {{0x8b, 0x05, 1, 2, 3, 4}, "mov 0x4030201(%rip),%eax"},
    {{0x8b, 0x44, 0x24, 0x08}, "mov 0x8(%rsp),%eax"},
    {{0x8b, 0x84, 0x24, 1, 2, 3, 4}, "mov 0x4030201(%rsp),%eax"},
    {{0x8b, 0x04, 0x8d, 1, 2, 3, 4}, "mov 0x4030201(,%rcx,4),%eax"},
    {{0xb8, 1, 2, 3, 4}, "mov $0x4030201,%eax"},
    {{0x66, 0xb8, 1, 2}, "mov $0x201,%ax"},
    {{0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}, "movabs $0x807060504030201,%rax"},
    {{0x48, 0x81, 0xc4, 1, 2, 3, 4}, "add $0x4030201,%rsp"},
    {{0x66, 0x81, 0x3f, 1, 2}, "cmpw $0x201,(%rdi)"},
    {{0xf6, 0xc2, 0x01}, "test $0x1,%dl"},
    {{0xf6, 0xd2}, "not %dl"},
    {{0xf7, 0x47, 0x08, 1, 2, 3, 4}, "testl $0x4030201,0x8(%rdi)"},
    {{0x48, 0xf7, 0xf1}, "div %rcx"},
    {{0xe8, 1, 2, 3, 4}, "call"},
    {{0x0f, 0x84, 1, 2, 3, 4}, "je"},
    {{0x74, 0x10}, "je"},
    {{0xc8, 0x10, 0x00, 0x00}, "enter"},
    {{0xc2, 0x08, 0x00}, "ret $8"},
    {{0xa1, 1, 2, 3, 4, 5, 6, 7, 8}, "movabs 0x807060504030201,%eax"},
    {{0x66, 0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0}, "nopw 0x0(%rax,%rax,1)"},
    {{0xf3, 0x0f, 0x1e, 0xfa}, "endbr64"},
    {{0x0f, 0xa2}, "cpuid"},
    {{0x0f, 0x01, 0xd0}, "xgetbv"},
    {{0x66, 0x0f, 0x70, 0xc0, 0x1b}, "pshufd $0x1b,%xmm0,%xmm0"},
    {{0x66, 0x0f, 0x38, 0x00, 0xc1}, "pshufb %xmm1,%xmm0"},
    {{0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08}, "palignr $0x8,%xmm1,%xmm0"},
    {{0xc5, 0xf8, 0x77}, "vzeroupper"},
    {{0xc5, 0xf5, 0x58, 0xc2}, "vaddpd %ymm2,%ymm1,%ymm0"},
    {{0xc4, 0xe3, 0x7d, 0x19, 0xc1, 0x01}, "vextractf128 $0x1,%ymm0,%xmm1"},
    {{0x62, 0xf1, 0xf5, 0x48, 0x58, 0xc2}, "vaddpd %zmm2,%zmm1,%zmm0"},
    {{0x62, 0xf1, 0xfd, 0x48, 0x6f, 0x47, 0x01}, "vmovdqa64 0x40(%rdi),%zmm0"},
};

TEST(X86Length, IsThatOfTheDisassembler) {
  for (const Known& each : known) {
    const Instruction found = decode_x86(each.bytes);
    EXPECT_EQ(found.length, each.bytes.size()) << each.text;
    EXPECT_FALSE(found.reads_counter) << each.text;
    // What is cut off is none; what follows does not matter.
    for (std::size_t cut = 0; cut < each.bytes.size(); ++cut)
      EXPECT_EQ(decode_x86({each.bytes.data(), cut}).length, 0u) << each.text << " cut to " << cut;
    std::vector<std::uint8_t> more = each.bytes;
    more.insert(more.end(), 20, 0x0f);
    EXPECT_EQ(decode_x86(more).length, each.bytes.size()) << each.text;
  }
}

TEST(X86Length, KnowsWhatReadsTheCounter) {
  for (const std::vector<std::uint8_t>& bytes :
       {std::vector<std::uint8_t>{0x0f, 0x31}, {0x0f, 0x01, 0xf9}, {0x48, 0x0f, 0x31}}) {
    const Instruction found = decode_x86(bytes);
    EXPECT_EQ(found.length, bytes.size());
    EXPECT_TRUE(found.reads_counter);
  }
  // The same bytes as a constant, and as an operand in memory.
  EXPECT_FALSE(decode_x86(std::vector<std::uint8_t>{0xb8, 0x0f, 0x31, 0, 0}).reads_counter);
  EXPECT_FALSE(decode_x86(std::vector<std::uint8_t>{0x8b, 0x05, 0x0f, 0x31, 0, 0}).reads_counter);
}

TEST(X86Length, WhatNoInstructionIs) {
  for (const int byte : {0x06, 0x1e, 0x27, 0x3f, 0x60, 0x82, 0x9a, 0xce, 0xd4, 0xea})  // not in 64 bits
    EXPECT_EQ(decode_x86(std::vector<std::uint8_t>{static_cast<std::uint8_t>(byte), 0, 0, 0, 0, 0, 0}).length,
              0u)
        << byte;
  EXPECT_EQ(decode_x86(std::vector<std::uint8_t>(20, 0x66)).length, 0u);  // prefixes without an end
}

TEST(X86Length, TakesAnyBytes) {
  std::mt19937_64 random(1);
  std::vector<std::uint8_t> bytes(17);
  for (int round = 0; round < 200'000; ++round) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    bytes.resize(1 + random() % 17);
    EXPECT_LE(decode_x86(bytes).length, std::min<std::size_t>(bytes.size(), 15));
    bytes.resize(17);
  }
}

}  // namespace
}  // namespace ww
