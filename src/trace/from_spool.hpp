// Spools to an archive: one clock, one numbering of communicators and operations. Each rank is read twice,
// ranks side by side in threads: first for what becomes of its operations and what it sent
// (spool_messages.hpp), then to be written. What is held in memory does not grow with the number of calls.
#pragma once
#include "trace/spool.hpp"
#include "trace/team.hpp"

namespace ww::spool {

struct UnifyOptions {
  std::size_t threads = 0;  // 0: as many as there are processors
  Team* team = nullptr;     // processes that share the work; each has read the records of its own pieces
  const Diagnostics* of_mine = nullptr;  // of a member: what it met in reading them
};

// Writes DIR/traces.otf2 and what belongs to it; DIR exists and holds no archive; it takes the working files,
// too. Gives facts for run.json: program, MPI, ranks, clock quality, dilation. Errors: no rank names its
// calls, so that records mean nothing; the disk is full. Of a member of a team DIR is its own place; the
// leader's holds the archive, and gives the facts and everybody's diagnostics.
Result<nlohmann::json> write_archive(const std::vector<RankSpool>& spools, const std::filesystem::path& dir,
                                     const UnifyOptions& options, Diagnostics& diagnostics);

}  // namespace ww::spool
