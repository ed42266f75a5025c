// What reading the records of all spools rests on: one clock, and one numbering of ranks, calls, communicators, windows, files and names.
#pragma once
#include <optional>

#include "trace/spool.hpp"
#include "trace/spool_clock.hpp"
#include "trace/spool_comms.hpp"
#include "trace/spool_decode.hpp"
#include "trace/spool_names.hpp"

namespace ww::spool {

// Whoever names the calls where a rank's own definitions were lost. Error: nobody does, so that records mean nothing.
Result<const RankDefinitions*> find_calls(const std::vector<RankSpool>& spools);
const RankDefinitions& calls_for(const RankSpool& spool, const RankDefinitions* otherwise);

// What a spool's records span.
struct Extent {
  bool recorded = false;                     // there are records
  std::optional<std::uint64_t> first_ticks;  // earliest entry of a call
  std::uint64_t last_ticks = 0;              // latest return
};
Extent extent_of(const RankSpool& spool, std::size_t call_count);

struct Basis {
  const std::vector<RankSpool>* spools = nullptr;  // outlive it
  const RankDefinitions* otherwise = nullptr;
  // Rank 0's clock is everyone's; without it, that of the first rank that says anything. Time 0 is the first entry of a call.
  TimeBase time;
  // by rank
  std::vector<std::string> hosts;
  std::vector<std::uint64_t> addresses;  // empty: they are no tasks
  std::vector<Comm> comms;
  std::vector<Window> windows;
  OpenedFiles files;
  UserNames user;
  // by spool
  std::vector<std::shared_ptr<const TickMap>> maps;
  CommNumbers comm_of, window_of;
  std::vector<FileNumbers> file_of;
  std::vector<NameNumbers> name_of;

  // `extents` by spool.
  static Basis make(const std::vector<RankSpool>& spools, const RankDefinitions* otherwise,
                    const std::vector<Extent>& extents, Diagnostics& diagnostics);
  const RankDefinitions& definitions_of_calls(std::size_t spool) const {
    return calls_for((*spools)[spool], otherwise);
  }
  const std::vector<std::string>& calls_of(std::size_t spool) const {
    return definitions_of_calls(spool).calls;
  }
  CallMeaning meaning_of(std::size_t spool, std::size_t call) const;
  DecodeContext context(std::size_t spool) const;
};

}  // namespace ww::spool
