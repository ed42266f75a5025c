// The spools of a message library's daemons, read and worked out (daemon_record.hpp): sums over a daemon's life and over the program's time,
// and what became of the fragments that it carried. Spools are read once, all daemons of one clock side by side in the order of time, so that
// no more of them is held than is under way, and 4 bytes a fragment and stage.
#pragma once
#include <filesystem>

#include "trace/daemon_record.hpp"
#include "trace/spool.hpp"

namespace ww::spool {

struct DaemonSpool {
  RankDefinitions definitions;
  Records records;
};

// When the program ran, on the counter of its first rank's machine.
struct ProgramSpan {
  std::string boot_id;
  std::uint64_t begin_ticks = 0, end_ticks = 0;
};
ProgramSpan program_span(const std::vector<RankSpool>& spools);

// Their files of that extension (".spool", ".defs"). Error: DIR cannot be read.
Result<std::vector<std::filesystem::path>> daemon_files(const std::filesystem::path& dir,
                                                        const char* extension);

// All of SPOOL_DIR, in the order of their hosts; those that left nothing, or not who they are, are not among them. Errors: as of read_spools.
Result<std::vector<DaemonSpool>> read_daemons(const std::filesystem::path& spool_dir,
                                              Diagnostics& diagnostics);

DaemonRecord record_of(const std::vector<DaemonSpool>& daemons, const ProgramSpan& program,
                       Diagnostics& diagnostics);

}  // namespace ww::spool
