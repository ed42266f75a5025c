// What of a run is recorded, told to the preloaded library.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace ww {

// By default all of it.
struct RecordFilter {
  std::string
      calls;  // names of calls ("MPI_Send") and classes (environment.hpp: "p2p"), by comma; empty: all
  double start_s = 0;             // after MPI_Init
  std::uint64_t max_records = 0;  // of each thread; 0: no limit
  std::string functions;  // patterns (base/function_pattern.hpp) of functions that are recorded as regions
  bool functions_counted = false;  // they are counted only
  double memory_ms = 0;            // between looks at the memory of each process; 0: none
  bool durable = false;            // every record on disk before the call returns
};

using Variables = std::vector<std::pair<std::string, std::string>>;

// The environment that asks `library` for it. Error: a name that is no call of the library and no class.
Result<Variables> variables_of(const RecordFilter& selection, const std::filesystem::path& library);

}  // namespace ww
