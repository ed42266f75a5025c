// File I/O through MPI, by file.
#pragma once
#include "analyze/breakdown.hpp"

namespace ww {

struct FileTotal {
  std::uint32_t file = 0;
  std::uint64_t opens = 0, reads = 0, writes = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;  // really transferred, of operations that are complete
  std::uint64_t short_operations = 0;               // that transferred less than was asked for
  double time_s = 0;    // of all ranks, inside the calls that read and write and those that complete them
  double waited_s = 0;  // of that, in collective calls until the last member had entered
  double open_s = 0;    // of all ranks, in opening and closing
  double active_s = 0;  // while at least one rank had an operation under way
  double bytes_per_s() const {
    return active_s > 0 ? static_cast<double>(bytes_read + bytes_written) / active_s : 0;
  }
};

// Files in the order of the trace.
// Bytes count with the operation where it begins.
std::vector<FileTotal> find_files(const Part& part, const Breakdown& breakdown);

}  // namespace ww
