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

inline void check_beside(const Trace& trace) {
  const auto is_call = [&](std::size_t r, std::uint32_t call) {
    return call == none || call < trace.ranks[r].calls();
  };
  for (std::size_t r = 0; r < trace.one_sided.ranks.size(); ++r) {
    for (const Transfer& transfer : trace.one_sided.ranks[r].transfers) {
      WW_INVARIANT(transfer.window < trace.one_sided.windows.size() &&
                   transfer.call < trace.ranks[r].calls());
      WW_INVARIANT(is_call(r, transfer.done_call) && is_call(r, transfer.remote_done_call));
      WW_INVARIANT(transfer.target >= 0 && static_cast<std::size_t>(transfer.target) < trace.ranks.size());
    }
    for (const WindowSync& sync : trace.one_sided.ranks[r].syncs)
      WW_INVARIANT(sync.window < trace.one_sided.windows.size() && sync.call < trace.ranks[r].calls());
  }
  for (std::size_t r = 0; r < trace.file_io.ranks.size(); ++r) {
    for (const FileOperation& operation : trace.file_io.ranks[r].operations) {
      WW_INVARIANT(operation.handle < trace.file_io.handles.size() &&
                   operation.call < trace.ranks[r].calls());
      WW_INVARIANT(is_call(r, operation.done_call));
    }
    for (const FileEvent& event : trace.file_io.ranks[r].events)
      WW_INVARIANT(event.file < trace.file_io.files.size() && event.call < trace.ranks[r].calls());
  }
  for (const FileHandle& handle : trace.file_io.handles)
    WW_INVARIANT(handle.file < trace.file_io.files.size() && handle.comm < trace.comms.size());
  for (const Window& window : trace.one_sided.windows) WW_INVARIANT(window.comm < trace.comms.size());
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
      WW_INVARIANT(rank.kind[a] != ActionKind::sent_to || (a > 0 && rank.peer[a] >= 0));
    }
  }
  for (const RankTrace& rank : trace.ranks) {
    WW_INVARIANT(rank.thread.empty() || rank.thread.size() == rank.calls());
    for (const NestedCall& call : rank.nested)
      WW_INVARIANT(call.call < rank.calls() && call.region < trace.regions.size() &&
                   call.around < trace.regions.size() && call.enter_ns <= call.leave_ns);
    for (const UserRegion& region : rank.user.regions)
      WW_INVARIANT(region.region < trace.user.regions.size() && region.enter_ns <= region.leave_ns);
    for (const UserValue& value : rank.user.values) WW_INVARIANT(value.name < trace.user.values.size());
    for (const UserMarker& marker : rank.user.markers) WW_INVARIANT(marker.text < trace.user.texts.size());
    WW_INVARIANT(in_order(rank.user).size() ==
                 2 * rank.user.regions.size() + rank.user.values.size() + rank.user.markers.size());
  }
  check_beside(trace);
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
  if (!trace) WW_INVARIANT(!trace.error().what.empty() && !trace.error().remedy.empty());
  if (trace) check(*trace);
  return trace.has_value();
}

// What a fuzzer starts from: two ranks that do a little of everything that a record can say.
inline Files small_spools() {
  using spool::file_create;
  using spool::file_write_only;
  using spool::FileCall;
  using spool::flag_collective;
  using spool::Kind;
  using spool::WindowCall;
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
    writer.add("MPI_Alltoallv", 990, 991, Kind::collective, spool::no_peer, 0, 24, 24, spool::flag_continued);
    writer.add("MPI_Alltoallv", 990, 991, Kind::sent_to, r, 1 - r, 8, 16);
    writer.add("MPI_Ibarrier", 1000, 1001, Kind::icollective, spool::no_peer, 0, 0, 100);
    writer.add("MPI_Test", 1002, 1003, Kind::test_failed, spool::no_peer, 0, 0, 100);
    writer.add("MPI_Wait", 1004, 1010, Kind::icollective_done, spool::no_peer, 0, 0, 100);
    writer.add("MPI_Irecv", 1020, 1021, Kind::irecv, 0, 3, 5, 101, 0, 4);
    writer.add("MPI_Cancel", 1022, 1023, Kind::cancelled, 0, 3, 0, 101);
    writer.add("MPI_Iprobe", 1030, 1031, Kind::probe, 1 - r, 3);
    writer.object("window", 7, 2, "halo");
    writer.object("file", 8, 2, "data", file_create | file_write_only);
    writer.window_call("MPI_Win_create", 1031, 1032, WindowCall::created);
    writer.add("MPI_Put", 1033, 1034, Kind::put, 1 - r, 0, 64, 0, 0, 7);
    writer.add("MPI_Rget", 1035, 1036, Kind::get, 1 - r, 0, 64, 102, 0, 7);
    writer.add("MPI_Test", 1037, 1038, Kind::test_failed, 1 - r, 0, 0, 102, 0, 7);
    writer.add("MPI_Wait", 1039, 1040, Kind::one_sided_done, 1 - r, 0, 64, 102, 0, 7);
    writer.window_call("MPI_Win_fence", 1041, 1042, WindowCall::fence);
    writer.window_call("MPI_Win_post", 1043, 1044, WindowCall::post, 1 - r);
    writer.window_call("MPI_Win_wait", 1045, 1046, WindowCall::wait);
    writer.window_call("MPI_Win_lock", 1047, 1048, WindowCall::lock_shared, r);
    writer.add("MPI_Fetch_and_op", 1049, 1050, Kind::atomic, r, 3, 8, 0, 0, 7);
    writer.say(Kind::region_end, 1050, 1);
    writer.window_call("MPI_Win_unlock", 1051, 1052, WindowCall::unlock, r);
    writer.window_call("MPI_Win_free", 1053, 1054, WindowCall::freed);
    writer.file_call("MPI_File_open", 1055, 1056, FileCall::opened);
    writer.add("MPI_File_write_at_all", 1057, 1060, Kind::file_write, 32, 0, 32, 0, flag_collective, 8);
    writer.add("MPI_File_iread_at", 1061, 1062, Kind::file_iread, 0, 0, 16, 103, 0, 8);
    writer.add("MPI_Wait", 1063, 1064, Kind::file_done, spool::no_peer, 0, 12, 103, 0, 8);
    writer.file_call("MPI_File_close", 1065, 1066, FileCall::closed);
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
