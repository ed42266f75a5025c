// Where a program reads the processor's time-stamp counter by itself (rdtsc, rdtscp): no library can show it
// another time there.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww {

struct TscRead {
  std::uint64_t address = 0;  // as in the file's symbols
  std::string function;       // that it is in, as the linker knows it; empty: stripped
};

// All of an ELF file of x86-64: its executable sections (segments, where there are none) are walked through
// instruction by instruction, so that constants and addresses are not taken for it. Data between instructions
// could be. Error: not such a file, or damaged.
Result<std::vector<TscRead>> find_tsc_reads(std::span<const std::uint8_t> file);

struct TscReader {
  std::filesystem::path file;
  std::vector<TscRead> reads;  // at least one
};

// Those of the files that do, but not of the system (libraries below /lib and /usr), of compilers, of MPI and
// its transports: these do not time the program. Files that cannot be read are passed over.
std::vector<TscReader> tsc_readers_among(const std::vector<std::filesystem::path>& files);

}  // namespace ww
