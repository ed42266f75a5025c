#include "simulate/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/disturbance.hpp"
#include "simulate/asking.hpp"
#include "simulate/collectives/collectives.hpp"
#include "trace/library_of.hpp"

namespace ww::simulate {

void Operations::add(OpKind op, std::uint32_t with) {
  kind.push_back(op);
  argument.push_back(with);
}

void Operations::add_time(OpKind op, double duration_s) {
  add(op, static_cast<std::uint32_t>(seconds.size()));
  seconds.push_back(duration_s);
}

void Operations::add_wait(const std::vector<EndNumber>& ends) {
  if (ends.empty()) return;
  group_end.append(ends.data(), ends.data() + ends.size());
  add_look();
}

void Operations::add_look() {
  add(OpKind::wait, static_cast<std::uint32_t>(group_first.size() - 1));
  group_first.push_back(static_cast<std::uint32_t>(group_end.size()));
}

void Operations::append(const Operations& other) {
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (other.kind[i] == OpKind::compute || other.kind[i] == OpKind::library) {
      add_time(other.kind[i], other.seconds[other.argument[i]]);
      continue;
    }
    if (other.kind[i] != OpKind::wait) {
      add(other.kind[i], other.argument[i]);
      continue;
    }
    const EndNumber* const first = other.group_end.begin() + other.group_first[other.argument[i]];
    const EndNumber* const last = other.group_end.begin() + other.group_first[other.argument[i] + 1];
    add_wait(std::vector<EndNumber>(first, last));
  }
}

std::size_t Program::operations() const {
  std::size_t sum = 0;
  for (const RankProgram& rank : ranks) sum += rank.size();
  return sum;
}

namespace {

constexpr double second = 1e-9;  // of a nanosecond

class Compiler {
 public:
  explicit Compiler(const Trace& trace) : trace_(trace) {}

  Result<Program> compile() {
    if (trace_.ranks.empty()) return fail("a trace without ranks cannot be replayed", trace_.source.string());
    if (trace_.messages.size() >= std::numeric_limits<std::uint32_t>::max() / 4)
      return fail("more messages than a replay can hold", trace_.source.string());
    program_.regions = trace_.regions;
    program_.progress = library_of(trace_).progress;
    own_reads_from_bytes_ = library_of(trace_).own_messages_read_from_bytes;
    find_windows();
    take_messages();
    take_collectives();
    for (std::size_t rank = 0; rank < trace_.ranks.size(); ++rank) compile_rank(rank);
    program_.crossings = find_crossings(trace_, program_);
    program_.recorded = {.source = trace_.source.string(),
                         .events = trace_.events,
                         .elapsed_s = trace_.elapsed_s(),
                         .network = trace_.network(),
                         .kept_share = share_kept_of(trace_.run),
                         .lost_together = share_lost_together(trace_.run),
                         .core_wait_s = waited_on_shared_cores_s(trace_.run),
                         .shared_cores = cores_shared_by_hosts(trace_.run),
                         .core_work_s = work_on_shared_cores_s(trace_.run),
                         .lab_work_s = std::max(0.0, trace_.run.machine.use.lab_s),
                         .diagnostics = trace_.diagnostics};
    say_assumptions();
    return std::move(program_);
  }

 private:
  // The calls of the program proper, [first, last), by rank.
  void find_windows() {
    for (const RankTrace& rank : trace_.ranks) {
      const auto first = std::lower_bound(rank.enter_ns.begin(), rank.enter_ns.end(), rank.begin_ns);
      const auto last = std::lower_bound(first, rank.enter_ns.end(), rank.end_ns);
      windows_.push_back({static_cast<std::uint32_t>(first - rank.enter_ns.begin()),
                          static_cast<std::uint32_t>(last - rank.enter_ns.begin())});
    }
  }

  bool inside(std::int32_t rank, std::uint32_t call) const {
    if (rank < 0 || static_cast<std::size_t>(rank) >= windows_.size() || call == none) return false;
    const auto& [first, last] = windows_[static_cast<std::size_t>(rank)];
    return call >= first && call < last;
  }

  void take_messages() {
    for (const Message& message : trace_.messages) {
      const bool replayable =
          inside(message.source, message.send_call) && inside(message.destination, message.recv_post_call);
      replayable_.push_back(replayable);
      program_.messages.push_back({.source = message.source,
                                   .destination = message.destination,
                                   .bytes = message.bytes,
                                   .synchronous = message.synchronous,
                                   .send_called = replayable ? send_called(message) : std::uint16_t{0}});
      if (!replayable) program_.diagnostics.add("message-cut");
      if (message.wildcard) ++wildcards_;
    }
  }

  std::uint16_t send_called(const Message& message) const {
    const RankTrace& from = trace_.ranks[static_cast<std::size_t>(message.source)];
    const std::uint32_t call = message.send_call;
    if (!trace_.calls_timed ||
        from.host == trace_.ranks[static_cast<std::size_t>(message.destination)].host ||
        from.first_action[call + 1] != from.first_action[call] + 1)
      return 0;
    return static_cast<std::uint16_t>(std::clamp<std::int64_t>(
        (from.leave_ns[call] - from.enter_ns[call]) / ProgramMessage::called_step_ns, 1, UINT16_MAX));
  }

  void take_collectives() {
    for (const Collective& collective : trace_.collectives) {
      const bool whole = collective.comm < trace_.comms.size() &&
                         collective.members.size() == trace_.comms[collective.comm].ranks.size() &&
                         std::all_of(collective.members.begin(), collective.members.end(),
                                     [&](const CollectiveMember& m) { return inside(m.rank, m.call); });
      whole_.push_back(whole);
      if (!whole) program_.diagnostics.add("collective-cut");
    }
    replays_.resize(trace_.collectives.size());
  }

  double gap_s(std::int64_t from_ns, std::int64_t to_ns) {
    if (to_ns < from_ns) program_.diagnostics.add("negative-interval");
    return static_cast<double>(std::max<std::int64_t>(0, to_ns - from_ns)) * second;
  }

  void compile_rank(std::size_t index) {
    const RankTrace& from = trace_.ranks[index];
    RankProgram& to = program_.ranks.emplace_back();
    const auto host = std::find(program_.hosts.begin(), program_.hosts.end(), from.host);
    to.host = static_cast<std::int32_t>(host - program_.hosts.begin());
    if (host == program_.hosts.end()) program_.hosts.push_back(from.host);
    to.begin_s = static_cast<double>(from.begin_ns - trace_.begin_ns()) * second;
    std::int64_t at_ns = from.begin_ns;
    const std::vector<bool> asking = waits_by_asking(trace_, from);
    for (std::uint32_t call = windows_[index].first; call < windows_[index].second; ++call) {
      const std::int64_t leave_ns = std::min(from.leave_ns[call], from.end_ns);
      const bool in_loop = call > windows_[index].first && asking[call - 1];
      to.add_time(OpKind::compute, in_loop ? 0 : gap_s(at_ns, from.enter_ns[call]));
      to.add(OpKind::enter, from.region[call]);
      if (asking[call]) ++asked_;
      compile_call(static_cast<std::int32_t>(index), call,
                   asking[call] ? 0 : gap_s(from.enter_ns[call], leave_ns), to);
      to.add(OpKind::leave, 0);
      at_ns = std::max(leave_ns, at_ns);
    }
    to.add_time(OpKind::compute, gap_s(at_ns, from.end_ns));
  }

  void compile_call(std::int32_t rank, std::uint32_t call, double recorded_s, RankProgram& to) {
    const RankTrace& from = trace_.ranks[static_cast<std::size_t>(rank)];
    std::vector<EndNumber> ends;
    std::vector<std::uint32_t> sends;
    bool kept = true;  // nothing in the call waits for anything that is simulated
    bool failed = false, reads = false;
    for (std::uint32_t a = from.first_action[call]; a < from.first_action[call + 1]; ++a) {
      const std::uint32_t match = from.match[a];
      switch (from.kind[a]) {
        case ActionKind::send:
        case ActionKind::isend:
        case ActionKind::recv:
        case ActionKind::irecv:
        case ActionKind::isend_done:
        case ActionKind::irecv_done: {
          if (match >= replayable_.size() || !replayable_[match]) {
            ++unmatched_;
            break;
          }
          const Message& message = trace_.messages[match];
          const ActionKind kind = from.kind[a];
          if (message.source != message.destination)
            kept = false;
          else if (kind != ActionKind::isend && kind != ActionKind::irecv)
            reads = reads || (own_reads_from_bytes_ > 0 && message.bytes >= own_reads_from_bytes_);
          // a call that both sends and receives (MPI_Sendrecv) posts the receive first
          if (kind == ActionKind::send) sends.push_back(match);
          if (kind == ActionKind::isend) to.add(OpKind::send, match);
          if (kind == ActionKind::recv || kind == ActionKind::irecv) to.add(OpKind::receive, match);
          if (kind == ActionKind::send || kind == ActionKind::isend_done) ends.push_back(send_end(match));
          if (kind == ActionKind::recv || kind == ActionKind::irecv_done) ends.push_back(receive_end(match));
          break;
        }
        case ActionKind::collective:
        case ActionKind::icollective:
        case ActionKind::icollective_done:
          if (match >= whole_.size() || !whole_[match]) break;
          kept = false;
          append_collective(rank, match, from.kind[a], to);
          break;
        case ActionKind::test_failed:
          failed = true;
          break;
        case ActionKind::cancelled:
        case ActionKind::sent_to:
        case ActionKind::left_out:
          break;
      }
    }
    if (failed && ends.empty()) {
      ++polls_;
      to.add_look();
    }
    for (const std::uint32_t send : sends) to.add(OpKind::send, send);
    to.add_wait(ends);
    if (kept) to.add_time(OpKind::library, recorded_s);
    if (reads) to.add_look();
  }

  void append_collective(std::int32_t rank, std::uint32_t index, ActionKind kind, RankProgram& to) {
    const Collective& collective = trace_.collectives[index];
    auto& replay = replays_[index];
    if (!replay) replay = std::make_unique<CollectiveReplay>(spread(program_, trace_, collective));
    if (replay->sync != none) {
      if (kind != ActionKind::icollective_done) to.add(OpKind::sync_begin, replay->sync);
      if (kind != ActionKind::icollective) to.add(OpKind::sync_end, replay->sync);
      return;
    }
    if (kind == ActionKind::icollective) return;
    for (std::size_t member = 0; member < collective.members.size(); ++member)
      if (collective.members[member].rank == rank) {
        to.append(replay->by_member[member]);
        replay->by_member[member] = {};
      }
  }

  void say_assumptions() {
    auto& said = program_.assumptions;
    for (const auto& [name, count] : program_.algorithms)
      said.push_back(fmt::format("{}: {} times", name, count));
    if (wildcards_ > 0)
      said.push_back(fmt::format(
          "{} receives from any source or of any tag keep the message they got when recorded", wildcards_));
    say_not_replayed();
    if (asked_ > 0)
      said.push_back(fmt::format(
          "{} tests and probes that found nothing, in loops that do nothing else, take no time; the call "
          "that found something waits for it",
          asked_));
    if (polls_ > asked_)
      said.push_back(
          fmt::format("{} tests that found nothing complete are kept as long as recorded; the test that "
                      "found the completion waits for it",
                      polls_ - asked_));
    if (unmatched_ > 0) program_.diagnostics.add("unmatched-kept", unmatched_);
    if (is_partial(trace_))
      said.push_back(
          "the recording is partial, as wished: what was left out is kept as computation of its length, "
          "whatever it waited for");
    if (trace_.dilation != 1) program_.diagnostics.add("dilated-trace");
  }

  void say_not_replayed() {
    std::uint64_t transfers = 0, bytes = 0, accesses = 0;
    for (const RankOneSided& rank : trace_.one_sided.ranks)
      for (const Transfer& transfer : rank.transfers) {
        ++transfers;
        bytes += transfer.bytes_out + transfer.bytes_in;
      }
    for (const RankFileIo& rank : trace_.file_io.ranks) accesses += rank.operations.size();
    if (transfers > 0) {
      program_.assumptions.push_back(
          fmt::format("{} one-sided transfers of {} bytes in all are not replayed: their calls, locks, "
                      "flushes and epochs "
                      "among groups take as long as recorded, a fence as long after its last member's entry",
                      transfers, bytes));
      program_.diagnostics.add("one-sided-not-replayed", transfers);
    }
    if (accesses > 0)
      program_.assumptions.push_back(
          fmt::format("{} operations on files take as long as recorded, collective ones after their last "
                      "member's entry",
                      accesses));
  }

  const Trace& trace_;
  Program program_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> windows_;
  std::vector<bool> replayable_, whole_;
  std::vector<std::unique_ptr<CollectiveReplay>> replays_;
  std::uint64_t own_reads_from_bytes_ = 0;  // Library::own_messages_read_from_bytes
  std::uint64_t wildcards_ = 0, polls_ = 0, asked_ = 0, unmatched_ = 0;
};

}  // namespace

Result<Program> compile(const Trace& trace) {
  const auto start = std::chrono::steady_clock::now();
  WW_TRY(Program program, Compiler(trace).compile());
  program.load_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return program;
}

}  // namespace ww::simulate
