// For tests: what is given to the readers of spools and archives when they are given anything.
#pragma once
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"

namespace ww::fuzz {

using Files = std::map<std::string, std::string>;  // content by path below the directory of a trace

inline Files files_below(const std::filesystem::path& dir) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(dir).string()] = {std::istreambuf_iterator<char>(stream), {}};
  }
  return files;
}

// Columns that hold together, whatever they were read from.
inline void check(const Trace& trace) {
  for (const RankTrace& rank : trace.ranks) {
    WW_INVARIANT(rank.first_action.size() == rank.calls() + 1 && rank.first_action.back() == rank.actions());
    WW_INVARIANT(rank.begin_ns <= rank.end_ns);
    for (std::size_t call = 0; call < rank.calls(); ++call) {
      WW_INVARIANT(rank.region[call] < trace.regions.size() && rank.enter_ns[call] <= rank.leave_ns[call]);
      WW_INVARIANT(call == 0 || rank.leave_ns[call - 1] <= rank.enter_ns[call]);
      WW_INVARIANT(rank.first_action[call] <= rank.first_action[call + 1]);
    }
    for (std::size_t a = 0; a < rank.actions(); ++a) {
      WW_INVARIANT(rank.comm[a] < trace.comms.size());
      WW_INVARIANT(rank.peer[a] < static_cast<std::int32_t>(trace.ranks.size()));
    }
  }
  for (const RankTrace& rank : trace.ranks) {
    WW_INVARIANT(rank.thread.empty() || rank.thread.size() == rank.calls());
    for (const UserRegion& region : rank.user.regions)
      WW_INVARIANT(region.region < trace.user.regions.size() && region.enter_ns <= region.leave_ns);
    for (const UserValue& value : rank.user.values) WW_INVARIANT(value.name < trace.user.values.size());
    for (const UserMarker& marker : rank.user.markers) WW_INVARIANT(marker.text < trace.user.texts.size());
    WW_INVARIANT(in_order(rank.user).size() ==
                 2 * rank.user.regions.size() + rank.user.values.size() + rank.user.markers.size());
  }
  for (const Message& message : trace.messages) {
    const RankTrace& from = trace.ranks[static_cast<std::size_t>(message.source)];
    const RankTrace& to = trace.ranks[static_cast<std::size_t>(message.destination)];
    WW_INVARIANT(message.send_call < from.calls() && message.recv_done_call < to.calls());
  }
}

// Loads the trace that the files make, an archive or spools. True: there was something to load.
inline bool load(const Files& files) {
  const spool::TestDir dir;
  for (const auto& [name, content] : files) {
    const auto path = dir.path() / name;
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    spool::write_bytes(path, content);
  }
  const auto trace = load_trace(dir.path());
  if (!trace) WW_INVARIANT(!trace.error().what.empty());
  if (trace) check(*trace);
  return trace.has_value();
}

// What a fuzzer starts from: two ranks that do a little of everything that a record can say.
inline Files small_spools() {
  using spool::Kind;
  const spool::TestDir dir;
  std::vector<spool::SpoolWriter> ranks(2);
  for (int r = 0; r < 2; ++r) {
    spool::SpoolWriter& writer = ranks[static_cast<std::size_t>(r)];
    writer.standard(r, 2);
    if (r == 1) writer.host = "beta";
    writer.clock(0, 10 * r, r, r == 0);
    writer.clock(4000, 11 * r, r, r == 0);
    writer.definitions.push_back({{"def", "comm"},
                                  {"id", 4},
                                  {"kind", "inter"},
                                  {"ranks", {r}},
                                  {"remote_ranks", {1 - r}},
                                  {"name", "between"}});
    writer.name(1, "region", "solve");
    writer.name(2, "real", "residual");
    writer.name(3, "integer", "iteration");
    writer.name(4, "marker", "half");
    writer.add("MPI_Init", 10, 20);
    writer.say(Kind::region_begin, 30, 1);
    for (std::uint64_t i = 1; i <= 8; ++i) {
      const std::uint64_t t = i * 100;
      const bool wildcard = i % 2 == 0;
      writer.add("MPI_Isend", t, t + 5, Kind::isend, 1 - r, 1, 8 * i, 4 * i);
      writer.add("MPI_Irecv", t + 10, t + 15, Kind::irecv, wildcard ? spool::any_peer : 1 - r,
                 wildcard ? spool::any_tag : 1, 800, 4 * i + 1);
      if (wildcard) {
        writer.add("MPI_Waitall", t + 20, t + 30, Kind::irecv_done, 1 - r, 1, 8 * i, 4 * i + 1,
                   spool::flag_continued);
        writer.add("MPI_Waitall", t + 20, t + 30, Kind::isend_done, 1 - r, 1, 8, 4 * i);
      } else {
        writer.add("MPI_Waitall", t + 20, t + 30, Kind::done_range, spool::no_peer, 0, 2, 4 * i);
      }
      writer.say(Kind::value_real, t + 35, 2, 0x3ff0000000000000);
      writer.say(Kind::value_integer, t + 36, 3, i);
      if (i == 4) writer.say(Kind::marker, t + 37, 4);
      writer.add("MPI_Allreduce", t + 40, t + 50, Kind::collective, spool::no_peer, 0, 8, 8);
    }
    writer.add("MPI_Ibarrier", 1000, 1001, Kind::icollective, spool::no_peer, 0, 0, 100);
    writer.add("MPI_Test", 1002, 1003, Kind::test_failed, spool::no_peer, 0, 0, 100);
    writer.add("MPI_Wait", 1004, 1010, Kind::icollective_done, spool::no_peer, 0, 0, 100);
    writer.add("MPI_Irecv", 1020, 1021, Kind::irecv, 0, 3, 5, 101, 0, 4);
    writer.add("MPI_Cancel", 1022, 1023, Kind::cancelled, 0, 3, 0, 101);
    writer.add("MPI_Iprobe", 1030, 1031, Kind::probe, 1 - r, 3);
    writer.say(Kind::region_end, 1050, 1);
    writer.add("MPI_Finalize", 1100, 1200);
    writer.end(5000);
  }
  spool::write_spools(dir.path(), ranks);
  return files_below(dir.path());
}

inline Files small_archive() {
  const spool::TestDir dir;
  for (const auto& [name, content] : small_spools()) {
    std::filesystem::create_directories((dir.path() / name).parent_path());
    spool::write_bytes(dir.path() / name, content);
  }
  WW_INVARIANT(unify(dir.path(), nullptr).has_value());
  return files_below(dir.path());
}

}  // namespace ww::fuzz
