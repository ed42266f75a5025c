#include "trace/from_spool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "trace/columns.hpp"
#include "trace/match.hpp"
#include "trace/spool_clock.hpp"
#include "trace/spool_comms.hpp"

namespace ww::spool {
namespace {

// An operation that was begun and is not complete.
struct Pending {
  ActionKind begun = ActionKind::isend;
  bool no_message = false;  // MPI_PROC_NULL
  std::uint64_t serial = 0;
  std::int32_t peer = -1, tag = 0;
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0;
  std::size_t thread = 0;
  std::uint32_t action = none;
};

struct Unsized {
  std::size_t rank;
  std::uint32_t action;
};

class Assembler {
 public:
  Assembler(const std::vector<RankSpool>& spools, Diagnostics& diagnostics)
      : spools_(spools), diagnostics_(diagnostics) {}

  Result<Recording> run() {
    WW_CHECK(find_calls());
    find_clock();
    make_ranks();
    comm_of_ = number_comms(spools_, recording_.trace.ranks.size(), recording_.trace.comms);
    for (const RankSpool& spool : spools_) take_rank(spool);
    finish_times();
    match(recording_.trace);
    fill_sizes();
    count_damage();
    describe();
    return std::move(recording_);
  }

 private:
  Result<void> find_calls() {
    for (const RankSpool& spool : spools_)
      if (!spool.definitions.calls.empty()) {
        default_calls_ = &spool.definitions.calls;
        return {};
      }
    return fail("the spool does not name the calls it recorded", {},
                "its definitions (rank-*.defs) were lost or another version wrote them; record again");
  }

  // Rank 0's clock is everyone's; without it, that of the first rank that says anything.
  void find_clock() {
    for (const RankSpool& spool : spools_) {
      root_ticks_per_s_ = ticks_per_s(spool.definitions);
      if (root_ticks_per_s_ > 0) break;
    }
    if (root_ticks_per_s_ <= 0) {
      root_ticks_per_s_ = 1e9;
      diagnostics_.add("clock-unknown", Severity::data_loss,
                       "no rank left the rate of its clock; times are as if a tick were a nanosecond");
    }
    long double first = std::numeric_limits<long double>::max();
    for (const RankSpool& spool : spools_) {
      maps_.emplace_back(spool.definitions, root_ticks_per_s_, diagnostics_);
      for (const Records& thread : spool.threads)
        if (thread.size() > 0) first = std::min(first, maps_.back().root_ticks(thread[0].enter_ticks));
    }
    origin_ticks_ = first == std::numeric_limits<long double>::max() ? 0 : first;
  }

  std::int64_t to_ns(std::size_t spool, std::uint64_t ticks) const {
    const long double ns = (maps_[spool].root_ticks(ticks) - origin_ticks_) * (1e9L / root_ticks_per_s_);
    return static_cast<std::int64_t>(std::clamp(ns, -4e18L, 4e18L));
  }

  void make_ranks() {
    std::size_t size = 0;
    for (const RankSpool& spool : spools_) {
      size = std::max(size, static_cast<std::size_t>(spool.rank) + 1);
      for (const CommDefinition& comm : spool.definitions.comms)
        if (comm.kind == "world") size = std::max(size, comm.ranks.size());
    }
    recording_.trace.ranks.resize(size);
    std::size_t recorded = 0;
    for (const RankSpool& spool : spools_) {
      if (!spool.threads.empty()) ++recorded;
      if (spool.definitions.process)
        recording_.trace.ranks[static_cast<std::size_t>(spool.rank)].host = spool.definitions.process->host;
    }
    if (recorded < size)
      diagnostics_.add("rank-missing", Severity::data_loss,
                       "a rank of MPI_COMM_WORLD left no spool; was its directory shared between the hosts?",
                       size - recorded);
  }

  void take_rank(const RankSpool& spool) {
    const auto index = static_cast<std::size_t>(&spool - spools_.data());
    pending_.clear();
    next_serial_ = 1;
    calls_ = spool.definitions.calls.empty() ? default_calls_ : &spool.definitions.calls;
    regions_.assign(calls_->size(), 0xffff);
    std::vector<RankTrace*> columns(spool.threads.size());
    const std::size_t first_thread = recording_.threads.size();
    for (std::size_t t = 1; t < spool.threads.size(); ++t)
      recording_.threads.push_back({spool.rank, spool.threads[t].header().thread, {}});
    for (std::size_t t = 0; t < columns.size(); ++t)
      columns[t] = t == 0 ? &recording_.trace.ranks[static_cast<std::size_t>(spool.rank)]
                          : &recording_.threads[first_thread + t - 1].columns;

    // Threads are merged by time, so that an operation is begun before another thread completes it.
    std::vector<std::size_t> next(spool.threads.size(), 0);
    std::vector<std::uint64_t> last_leave(spool.threads.size(), 0);
    while (true) {
      std::size_t thread = spool.threads.size();
      std::uint64_t earliest = 0;
      for (std::size_t t = 0; t < spool.threads.size(); ++t) {
        if (next[t] >= spool.threads[t].size()) continue;
        const std::uint64_t enter = spool.threads[t][next[t]].enter_ticks;
        if (thread == spool.threads.size() || enter < earliest) thread = t, earliest = enter;
      }
      if (thread == spool.threads.size()) break;
      next[thread] = take_call(spool, index, thread, next[thread], last_leave[thread], *columns[thread]);
    }
    if (!spool.definitions.end) ended_early_.push_back(spool.rank);
  }

  // Takes the records of one call, from `from`; returns the number of the record after them.
  std::size_t take_call(const RankSpool& spool, std::size_t index, std::size_t thread, std::size_t from,
                        std::uint64_t& last_leave, RankTrace& columns) {
    const Records& records = spool.threads[thread];
    const Record first = records[from];
    const std::uint64_t latest = spool.definitions.end && spool.definitions.end->ticks > 0
                                     ? static_cast<std::uint64_t>(spool.definitions.end->ticks)
                                     : std::numeric_limits<std::uint64_t>::max();
    if (first.call >= calls_->size() || first.enter_ticks > first.leave_ticks ||
        first.leave_ticks < last_leave || first.leave_ticks > latest) {
      ++damaged_records_;
      return from + 1;
    }
    if (first.enter_ticks < last_leave) ++overlapping_calls_;
    last_leave = first.leave_ticks;
    std::uint16_t& region = regions_[first.call];
    if (region == 0xffff) region = region_of((*calls_)[first.call]);
    begin_call(columns, to_ns(index, first.enter_ticks), region);
    std::size_t at = from;
    for (bool more = true; more && at < records.size(); ++at) {
      const Record record = records[at];
      if (record.call != first.call || record.enter_ticks != first.enter_ticks) break;
      take_record(record, spool, index, thread, columns);
      more = (record.flags & flag_continued) != 0;
    }
    end_call(columns, to_ns(index, first.leave_ticks));
    return at;
  }

  std::uint16_t region_of(const std::string& name) {
    auto& regions = recording_.trace.regions;
    const auto found = std::find(regions.begin(), regions.end(), name);
    if (found != regions.end()) return static_cast<std::uint16_t>(found - regions.begin());
    regions.push_back(name);
    return static_cast<std::uint16_t>(regions.size() - 1);
  }

  void take_record(const Record& record, const RankSpool& spool, std::size_t index, std::size_t thread,
                   RankTrace& columns) {
    Action action;
    action.tag = record.tag;
    action.bytes = record.bytes;
    if (record.flags & flag_synchronous) action.flags |= action_synchronous;
    if (record.flags & flag_in_place) action.flags |= action_in_place;
    const auto kind = static_cast<Kind>(record.kind);
    switch (kind) {
      case Kind::call:
      case Kind::comm_made:
        return;
      case Kind::probe:
        if (record.flags & flag_found) return;
        action.kind = ActionKind::test_failed;
        action.bytes = 0;
        action.tag = 0;
        add_action(columns, action);
        return;
      case Kind::send:
      case Kind::recv:
        if (record.peer == no_peer) return;
        if (!resolve(record, spool, index, false, action)) return;
        action.kind = kind == Kind::send ? ActionKind::send : ActionKind::recv;
        if (kind == Kind::recv && (record.flags & flag_wildcard)) action.flags |= action_wildcard_source;
        add_action(columns, action);
        return;
      case Kind::isend:
      case Kind::irecv:
        begin_message(record, spool, index, thread, columns, action);
        return;
      case Kind::isend_done:
      case Kind::irecv_done:
      case Kind::icollective_done:
        complete(record, record.operation, spool, index, columns, false);
        return;
      case Kind::done_range:
        complete_range(record, spool, index, columns);
        return;
      case Kind::collective:
      case Kind::icollective:
        take_collective(record, spool, index, thread, columns, action);
        return;
      case Kind::test_failed:
      case Kind::cancelled:
        about_operation(record, kind, columns);
        return;
    }
    ++damaged_records_;
  }

  // Communicator and peer as the trace numbers them. False (and counted): the record names what is not
  // defined.
  bool resolve(const Record& record, const RankSpool& spool, std::size_t index, bool as_asked,
               Action& action) {
    const auto comm = comm_of_[index].find(record.comm);
    if (comm == comm_of_[index].end()) {
      ++unknown_comms_;
      return false;
    }
    action.comm = comm->second;
    if (as_asked && record.tag == any_tag) {
      action.flags |= action_wildcard_tag;
      action.tag = -1;
    }
    if (as_asked && record.peer == any_peer) {
      action.flags |= action_wildcard_source;
      action.peer = -1;
    } else {
      action.peer = recording_.trace.comms[action.comm].world_rank(record.peer, spool.rank);
      if (action.peer < 0) {
        ++damaged_records_;
        return false;
      }
    }
    if (action.tag < 0 && (action.flags & action_wildcard_tag) == 0) {
      ++damaged_records_;
      return false;
    }
    return true;
  }

  void begin_message(const Record& record, const RankSpool& spool, std::size_t index, std::size_t thread,
                     RankTrace& columns, Action& action) {
    Pending pending;
    action.kind = static_cast<Kind>(record.kind) == Kind::isend ? ActionKind::isend : ActionKind::irecv;
    pending.begun = action.kind;
    pending.no_message = record.peer == no_peer;
    if (!pending.no_message) {
      if (!resolve(record, spool, index, action.kind == ActionKind::irecv, action)) return;
      action.operation = pending.serial = next_serial_++;
      pending.peer = action.peer;
      pending.tag = action.tag;
      pending.comm = action.comm;
      pending.bytes = action.bytes;
      pending.thread = thread;
      pending.action = add_action(columns, action);
    }
    pending_[record.operation] = pending;
  }

  void take_collective(const Record& record, const RankSpool& spool, std::size_t index, std::size_t thread,
                       RankTrace& columns, Action& action) {
    const auto comm = comm_of_[index].find(record.comm);
    if (comm == comm_of_[index].end()) {
      ++unknown_comms_;
      return;
    }
    action.comm = comm->second;
    action.tag = 0;
    action.peer =
        record.peer < 0 ? -1 : recording_.trace.comms[action.comm].world_rank(record.peer, spool.rank);
    if (static_cast<Kind>(record.kind) == Kind::collective) {
      action.kind = ActionKind::collective;
      action.bytes_received = record.operation;
      add_action(columns, action);
      return;
    }
    action.kind = ActionKind::icollective;
    action.operation = next_serial_++;
    Pending pending{ActionKind::icollective,
                    false,
                    action.operation,
                    action.peer,
                    0,
                    action.comm,
                    action.bytes,
                    thread,
                    none};
    pending.action = add_action(columns, action);
    pending_[record.operation] = pending;
  }

  void complete(const Record& record, std::uint64_t operation, const RankSpool& spool, std::size_t index,
                RankTrace& columns, bool in_range) {
    const auto found = pending_.find(operation);
    if (found == pending_.end()) {
      ++unknown_operations_;
      return;
    }
    const Pending pending = found->second;
    pending_.erase(found);
    if (pending.no_message) return;
    Action action;
    action.operation = pending.serial;
    action.comm = pending.comm;
    action.peer = pending.peer;
    action.tag = pending.tag;
    action.bytes = pending.bytes;
    bool is_unsized = false;
    switch (pending.begun) {
      case ActionKind::isend:
        action.kind = ActionKind::isend_done;
        break;
      case ActionKind::icollective:
        action.kind = ActionKind::icollective_done;
        if (!in_range) action.bytes_received = record.bytes;
        break;
      default:
        action.kind = ActionKind::irecv_done;
        if (in_range) {
          is_unsized = true;
          if (action.peer < 0 || action.tag < 0) {  // a wildcard's completion must say what it received
            ++damaged_records_;
            return;
          }
        } else {
          if (record.peer == no_peer) return;
          Record actual = record;
          const std::int32_t peer = recording_.trace.comms[pending.comm].world_rank(actual.peer, spool.rank);
          if (peer < 0 || actual.tag < 0) {
            ++damaged_records_;
            return;
          }
          action.peer = peer;
          action.tag = actual.tag;
          action.bytes = actual.bytes;
        }
    }
    const std::uint32_t at = add_action(columns, action);
    (void)index;
    const auto rank = static_cast<std::size_t>(spool.rank);
    if (is_unsized && &columns == &recording_.trace.ranks[rank]) unsized_.push_back({rank, at});
  }

  void complete_range(const Record& record, const RankSpool& spool, std::size_t index, RankTrace& columns) {
    if (record.bytes >
        pending_.size()) {  // every operation of the range is pending, so the range is no longer
      ++damaged_records_;
      return;
    }
    for (std::uint64_t i = 0; i < record.bytes; ++i)
      complete(record, record.operation + i, spool, index, columns, true);
  }

  void about_operation(const Record& record, Kind kind, RankTrace& columns) {
    const auto found = pending_.find(record.operation);
    if (found == pending_.end()) {
      ++unknown_operations_;
      return;
    }
    Action action;
    action.kind = kind == Kind::cancelled ? ActionKind::cancelled : ActionKind::test_failed;
    action.operation = found->second.serial;
    if (!found->second.no_message) add_action(columns, action);
    if (kind == Kind::cancelled) pending_.erase(found);
  }

  void finish_times() {
    Trace& trace = recording_.trace;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    const auto each = [this](auto&& visit) {
      for (RankTrace& rank : recording_.trace.ranks) visit(rank);
      for (OtherThread& thread : recording_.threads) visit(thread.columns);
    };
    each([&](RankTrace& rank) {
      if (rank.first_action.empty()) rank.first_action.push_back(0);
      if (rank.calls() > 0) first = std::min(first, rank.enter_ns.front());
    });
    if (first == std::numeric_limits<std::int64_t>::max()) first = 0;
    each([&](RankTrace& rank) {
      for (auto* column : {&rank.enter_ns, &rank.leave_ns})
        for (std::int64_t& time : *column) time -= first;
    });
    for (const RankSpool& spool : spools_) {
      if (!spool.definitions.process) continue;
      const Process& process = *spool.definitions.process;
      const auto index = static_cast<std::size_t>(&spool - spools_.data());
      const long double at =
          static_cast<long double>(to_ns(index, static_cast<std::uint64_t>(process.ticks)));
      recording_.realtime_begin_ns = static_cast<std::int64_t>(static_cast<long double>(process.realtime_ns) -
                                                               at + static_cast<long double>(first));
      break;
    }
    for (std::size_t s = 0; s < maps_.size(); ++s)
      trace.clock_uncertainty_s =
          std::max(trace.clock_uncertainty_s, maps_[s].uncertainty_ticks() / root_ticks_per_s_);
  }

  void fill_sizes() {
    Trace& trace = recording_.trace;
    for (const Unsized& end : unsized_) {
      RankTrace& rank = trace.ranks[end.rank];
      if (rank.match[end.action] != none)
        rank.bytes[end.action] = trace.messages[rank.match[end.action]].bytes;
    }
  }

  void count_damage() {
    if (!ended_early_.empty()) {
      std::string ranks;
      for (std::size_t i = 0; i < std::min<std::size_t>(ended_early_.size(), 16); ++i)
        ranks += (i == 0 ? "" : ", ") + std::to_string(ended_early_[i]);
      if (ended_early_.size() > 16) ranks += " ...";
      diagnostics_.add("rank-ended-early", Severity::data_loss,
                       "killed or crashed before its end: rank " + ranks +
                           "; the trace goes to the last call that returned there",
                       ended_early_.size());
    }
    if (damaged_records_ > 0)
      diagnostics_.add("damaged-record", Severity::data_loss,
                       "records of the spool make no sense and were not taken; the disk failed or was full",
                       damaged_records_);
    if (overlapping_calls_ > 0)
      diagnostics_.add(
          "overlapping-call", Severity::info,
          "a call began inside another one of the same thread; its beginning was moved to the other's end",
          overlapping_calls_);
    if (unknown_comms_ > 0)
      diagnostics_.add("unknown-communicator", Severity::data_loss,
                       "messages on communicators that the spool does not define were not taken",
                       unknown_comms_);
    if (unknown_operations_ > 0)
      diagnostics_.add("unknown-operation", Severity::data_loss,
                       "completions of operations whose beginning is not in the trace were not taken",
                       unknown_operations_);
  }

  void describe() {
    nlohmann::json& facts = recording_.facts;
    facts["ranks"] = nlohmann::json::array();
    bool same_clock = true;
    for (std::size_t s = 0; s < spools_.size(); ++s) {
      same_clock = same_clock && maps_[s].same_clock();
      if (!spools_[s].definitions.process) continue;
      const Process& process = *spools_[s].definitions.process;
      nlohmann::json rank = {{"rank", spools_[s].rank}, {"host", process.host}, {"pid", process.pid}};
      if (const auto& usage = spools_[s].definitions.usage) {
        rank["cpu_s"] = static_cast<double>(usage->cpu_ns) * 1e-9;
        rank["elapsed_s"] = static_cast<double>(usage->elapsed_ns) * 1e-9;
        rank["involuntary_switches"] = usage->involuntary_switches;
      }
      facts["ranks"].push_back(std::move(rank));
      if (!facts.contains("program")) {
        facts["program"] = process.program;
        facts["mpi"] = process.mpi;
        facts["mpi_version"] = process.mpi_version;
        facts["dilation"] = process.dilation;
        recording_.trace.dilation = process.dilation;
      }
    }
    facts["clock"] = {{"ticks_per_s", root_ticks_per_s_},
                      {"same_clock", same_clock},
                      {"uncertainty_s", recording_.trace.clock_uncertainty_s}};
  }

  const std::vector<RankSpool>& spools_;
  Diagnostics& diagnostics_;
  Recording recording_;
  const std::vector<std::string>* default_calls_ = nullptr;
  const std::vector<std::string>* calls_ = nullptr;  // of the rank being taken
  std::vector<std::uint16_t> regions_;               // by number of the call; 0xffff: not yet met
  double root_ticks_per_s_ = 0;
  std::vector<TickMap> maps_;
  long double origin_ticks_ = 0;
  CommNumbers comm_of_;
  std::unordered_map<std::uint64_t, Pending> pending_;  // of the rank being taken
  std::uint64_t next_serial_ = 1;
  std::vector<Unsized> unsized_;
  std::vector<std::int32_t> ended_early_;
  std::uint64_t damaged_records_ = 0, overlapping_calls_ = 0, unknown_comms_ = 0, unknown_operations_ = 0;
};

}  // namespace

Result<Recording> assemble(const std::vector<RankSpool>& spools, Diagnostics& diagnostics) {
  return Assembler(spools, diagnostics).run();
}

}  // namespace ww::spool
