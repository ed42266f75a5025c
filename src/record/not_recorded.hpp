// Why a run left nothing to make a trace of, as far as its spool directory tells.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "library/libraries.hpp"

namespace ww {

// A rank kept at least one record.
bool holds_records(const std::filesystem::path& spool);

// Of a run for which that is not so. `line`: the launch line, quoted. `printed`: what the program said, or what
// to do to see it.
struct UnrecordedRun {
  std::filesystem::path spool;
  std::string line, printed;
  const Library* recorder = nullptr;     // whose was loaded
  std::optional<std::string> other_mpi;  // that a process noted as its own
  int exit_code = 0;
  bool interrupted = false;
};
Error why_not_recorded(const UnrecordedRun& run);

}  // namespace ww
