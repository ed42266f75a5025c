#include "analyze/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/carried.hpp"
#include "analyze/own_times.hpp"
#include "analyze/software.hpp"
#include "analyze/user_regions.hpp"
#include "base/disturbance.hpp"
#include "base/tcp_stalls.hpp"
#include "trace/dilated_spans.hpp"

namespace ww {
namespace {

constexpr double polling_is_much = 0.03;  // of a rank's time
constexpr double short_call_s = 2e-6;     // a call that only asks takes less
constexpr std::uint64_t many_calls = 20'000;
constexpr double unknown_is_much = 0.01;  // blocked time whose software is not known, of all ranks' time

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

bool contains_failed_test(const RankTrace& rank, std::size_t call) {
  for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
    if (rank.kind[a] == ActionKind::test_failed) return true;
  return false;
}

// What of the splits lies in a part, summed up.
class Tally {
 public:
  // `result` has the splits and delays of the whole trace.
  Tally(const Part& part, Breakdown& result, const Cancellation* stop = nullptr)
      : part_(part), trace_(part.trace()), result_(result), stop_(stop) {}
  bool is_stopped() const { return stop_ != nullptr && stop_->requested(); }

  void run() {
    result_.elapsed_s = part_.elapsed_s();
    const std::vector<WaitingOfCalls> waiting = result_.waiting();
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      if (is_stopped()) return;
      RankBreakdown out;
      out.rank = static_cast<std::int32_t>(r);
      out.host = trace_.ranks[r].host;
      if (part_.has_rank(r)) take_rank(trace_.ranks[r], waiting[r], out);
      result_.ranks.push_back(std::move(out));
    }
    // Sums of what was given and taken away again.
    for (auto& [name, total] : result_.calls)
      for (double* time_s : {&total.time_s, &total.program_s, &total.blocked_s})
        *time_s = std::max(0.0, *time_s);
    take_carried();
    for (const auto& [pair, total] : peers_) result_.peers.push_back(total);
    for (const auto& [type, total] : types_) result_.types.push_back(total);
  }

  std::int64_t total_ns() const { return total_ns_; }
  std::uint64_t polling_ranks() const { return polling_ranks_; }
  double most_polling() const { return most_polling_; }

 private:
  void take_rank(const RankTrace& rank, const WaitingOfCalls& waiting, RankBreakdown& out) {
    const auto number = static_cast<std::size_t>(out.rank);
    std::int64_t in_calls = 0, elsewhere = 0, algorithmic = 0, service = 0, polling = 0;
    const Part::Range calls = part_.calls(number);
    std::size_t nested = 0;
    for (std::size_t call = calls.first; call < calls.last; ++call) {
      const std::int64_t took = part_.clipped(rank, rank.enter_ns[call], rank.leave_ns[call]);
      if (!part_.takes(rank, call)) {
        elsewhere += took;
        continue;
      }
      const Part::Blocked blocked =
          part_.blocked(rank, call, {(*waiting.algorithmic_ns)[call], (*waiting.service_ns)[call]});
      in_calls += took;
      algorithmic += blocked.algorithmic_ns;
      service += blocked.service_ns;
      nested = add_own_times(part_, rank, call, blocked, nested, [&](std::uint32_t region) -> CallTotal& {
        return result_.calls[trace_.regions[region]];
      });
      if (took > 0 && contains_failed_test(rank, call)) polling += took;
    }
    const auto [from, to] = part_.within(rank);
    const std::int64_t elapsed = part_.is_whole() ? rank.end_ns - rank.begin_ns : to - from;
    out.elapsed_s = seconds(elapsed);
    out.compute_s = seconds(elapsed - in_calls - elsewhere);
    out.library_s = seconds(in_calls - algorithmic - service);
    out.blocked_s = seconds(algorithmic + service);
    out.blocked_algorithmic_s = seconds(algorithmic);
    out.blocked_service_s = seconds(service);
    out.elsewhere_s = seconds(elsewhere);
    total_ns_ += elapsed;
    if (static_cast<double>(polling) > polling_is_much * static_cast<double>(elapsed)) {
      most_polling_ = std::max(most_polling_, static_cast<double>(polling) / static_cast<double>(elapsed));
      ++polling_ranks_;
    }
    take_delays(rank, waiting, algorithmic + service, out);
    count_messages(rank, calls, out);
  }

  void take_delays(const RankTrace& rank, const WaitingOfCalls& waiting, std::int64_t blocked_ns,
                   RankBreakdown& out) {
    const auto number = static_cast<std::size_t>(out.rank);
    Delays::Rank& delays = result_.delays.ranks[number];
    if (!part_.is_whole()) {
      delays.algorithm_ns = 0;
      const auto [first, last] = pauses_in(result_.delays, part_, number);
      for (std::size_t p = first; p < last; ++p) {
        if (!part_.takes(rank, delays.pauses[p].call)) continue;
        const Delays::Pause pause = cut_to(part_, rank, waiting, delays.pauses[p]);
        delays.algorithm_ns += pause.to_ns - pause.from_ns;
      }
      delays.network_ns = blocked_ns - delays.algorithm_ns;
    }
    out.blocked_by_network_s = seconds(delays.network_ns);
    out.blocked_by_algorithm_s = seconds(delays.algorithm_ns);
  }

  PeerTotal& peer_total(std::int32_t source, std::int32_t destination) {
    return peers_.try_emplace({source, destination}, PeerTotal{source, destination}).first->second;
  }

  void take_carried() {
    const Carried carried = carried_by_collectives(part_);
    for (const auto& [pair, bytes] : carried.bytes) {
      const auto [source, destination] = pair;
      const bool is_sent = part_.has_rank(static_cast<std::size_t>(source)) && part_.has_peer(destination),
                 is_received =
                     part_.has_rank(static_cast<std::size_t>(destination)) && part_.has_peer(source);
      if (is_sent) peer_total(source, destination).collective_bytes = bytes;
      if (source == destination) continue;
      if (is_sent) result_.ranks[static_cast<std::size_t>(source)].collective_bytes_sent += bytes;
      if (is_received)
        result_.ranks[static_cast<std::size_t>(destination)].collective_bytes_received += bytes;
    }
    result_.combined_bytes = carried.combined_bytes;
    if (part_.is_whole() && carried.pairs_not_listed > 0)
      result_.diagnostics.add("collectives-not-by-peer", carried.pairs_not_listed);
  }

  void count_messages(const RankTrace& rank, const Part::Range& calls, RankBreakdown& out) {
    for (std::size_t call = calls.first; call < calls.last; ++call)
      if (part_.counts(rank, call))
        for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
          if (part_.has_peer(rank.peer[a])) count_message(rank, a, out);
  }

  void count_message(const RankTrace& rank, std::uint32_t a, RankBreakdown& out) {
    const std::uint64_t bytes = rank.bytes[a];
    switch (rank.kind[a]) {
      case ActionKind::send:
      case ActionKind::isend: {
        ++out.messages_sent;
        out.bytes_sent += bytes;
        PeerTotal& peer = peer_total(out.rank, rank.peer[a]);
        ++peer.messages;
        peer.bytes += bytes;
        auto [type, added] = types_.try_emplace({rank.comm[a], rank.tag[a]},
                                                TypeTotal{rank.comm[a], rank.tag[a], 0, 0, bytes, bytes});
        ++type->second.messages;
        type->second.bytes += bytes;
        type->second.smallest_bytes = std::min(type->second.smallest_bytes, bytes);
        type->second.largest_bytes = std::max(type->second.largest_bytes, bytes);
        break;
      }
      case ActionKind::recv:
      case ActionKind::irecv_done:
        ++out.messages_received;
        out.bytes_received += bytes;
        break;
      default:
        break;
    }
  }

  const Part& part_;
  const Trace& trace_;
  Breakdown& result_;
  const Cancellation* stop_;
  std::map<std::pair<std::int32_t, std::int32_t>, PeerTotal> peers_;
  std::map<std::pair<std::uint32_t, std::int32_t>, TypeTotal> types_;
  std::int64_t total_ns_ = 0;
  std::uint64_t polling_ranks_ = 0;
  double most_polling_ = 0;
};

class Breaker {
 public:
  enum class Wanted : std::uint8_t { all, splits };
  Breaker(const Trace& trace, const MachineModel* machine, Wanted wanted)
      : trace_(trace),
        waits_(wanted == Wanted::all ? find_waits(trace, machine, needs_)
               : trace.predicted     ? Waits(trace.ranks.size())  // whose waiting is known
                                     : find_waits(trace, machine)),
        software_(trace, waits_, machine),
        has_machine_(machine != nullptr) {}

  std::vector<Breakdown::CallSplit> splits() {
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) split_rank(static_cast<std::int32_t>(r));
    return std::move(result_.splits);
  }

  Breakdown run() {
    result_.splits = splits();
    result_.delays = follow_delays(trace_, waits_, needs_, result_.waiting());
    for (Delays::Rank& rank : result_.delays.ranks) rank.enter_ns = {};
    const Part whole(trace_);
    Tally tally(whole, result_);
    tally.run();
    result_.causes = find_causes(whole, waits_, result_);
    diagnose(tally);
    return std::move(result_);
  }

 private:
  void split_rank(std::int32_t number) {
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(number)];
    Breakdown::CallSplit split{Column<std::int64_t>(trace_.store), Column<std::int64_t>(trace_.store)};
    split.algorithmic_ns.assign(rank.calls(), 0);
    split.service_ns.assign(rank.calls(), 0);
    if (trace_.predicted)
      take_known(rank, split);
    else
      for (const Wait& wait : waits_[static_cast<std::size_t>(number)]) split_call(number, wait, split);
    result_.splits.push_back(std::move(split));
  }

  // The part of a span that lies between MPI_Init and MPI_Finalize.
  static std::int64_t in_program(const RankTrace& rank, std::int64_t from, std::int64_t to) {
    return std::max<std::int64_t>(0, std::min(to, rank.end_ns) - std::max(from, rank.begin_ns));
  }

  // The replay that predicted the run knew what was waiting.
  static void take_known(const RankTrace& rank, Breakdown::CallSplit& split) {
    for (const KnownWait& wait : rank.waits) {
      split.algorithmic_ns[wait.call] += in_program(rank, wait.from_ns, wait.begun_ns);
      split.service_ns[wait.call] += in_program(rank, wait.begun_ns, wait.to_ns);
    }
  }

  void split_call(std::int32_t number, const Wait& wait, Breakdown::CallSplit& split) {
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(number)];
    const std::int64_t enter = std::clamp(rank.enter_ns[wait.call], rank.begin_ns, rank.end_ns);
    const std::int64_t leave = std::clamp(rank.leave_ns[wait.call], enter, std::max(enter, rank.end_ns));
    const std::int64_t algorithmic = std::clamp(wait.until_ns, enter, leave) - enter;
    split.algorithmic_ns[wait.call] = algorithmic;
    if (wait.file_io) return;
    const std::int64_t rest = leave - enter - algorithmic;
    const auto software = software_.of(number, wait);
    if (!software) {
      unknown_ns_ += rest;
      ++unknown_calls_;
    }
    split.service_ns[wait.call] = std::max<std::int64_t>(0, rest - software.value_or(0));
  }

  void diagnose(const Tally& tally) {
    result_.diagnostics.merge(disturbance_of(trace_.run));
    result_.diagnostics.merge(lack_of_cores_in(trace_.run));
    result_.diagnostics.merge(tcp_stalls_in(trace_.run));
    find_flood();
    if (tally.polling_ranks() > 0)
      result_.diagnostics.add(
          "polling",
          fmt::format("ranks spent up to {:.0f}% of their time in tests and probes that found "
                      "nothing; it is shown as library time, though it may have been waiting",
                      tally.most_polling() * 100),
          tally.polling_ranks());
    if (static_cast<double>(unknown_ns_) > unknown_is_much * static_cast<double>(tally.total_ns()))
      result_.diagnostics.add(
          "software-not-told-apart",
          has_machine_
              ? "the machine model has no software costs for these calls: their software counts as blocked"
              : "no call of the same kind and size is known not to have waited: their software counts as "
                "blocked; a machine model tells it apart (whatwire measure, then --machine)",
          unknown_calls_);
    if (trace_.dilation != 1)
      result_.diagnostics.add(
          "dilated",
          fmt::format(
              "computation was stretched by {:g}{}: divide times by it", trace_.dilation,
              sets_dilation(trace_) ? ", and by what the program set itself (ww_dilate) from then on" : ""));
  }

  // A call that moves nothing and makes most of the trace.
  void find_flood() {
    std::uint64_t all = 0;
    for (const auto& [name, call] : result_.calls) all += call.count;
    for (const auto& [name, call] : result_.calls)
      if (call.count >= many_calls && 2 * call.count > all && call.blocked_s == 0 &&
          call.time_s < short_call_s * static_cast<double>(call.count))
        result_.diagnostics.add(
            "flooding-call",
            fmt::format("{:.0f}% of all calls are {}, which waits for nothing: leave them out to record more "
                        "of the rest (whatwire record --calls p2p,collective,communicator)",
                        100 * static_cast<double>(call.count) / static_cast<double>(all), name),
            call.count);
  }

  const Trace& trace_;
  std::vector<Needs> needs_;  // before waits_, which fills it
  Waits waits_;
  Software software_;
  bool has_machine_;
  Breakdown result_;
  std::int64_t unknown_ns_ = 0;
  std::uint64_t unknown_calls_ = 0;
};

template <class T>
Column<T> view_of(const Column<T>& column) {
  return Column<T>::view({column.data(), column.size()});
}

}  // namespace

Breakdown break_down(const Trace& trace, const MachineModel* machine) {
  return Breaker(trace, machine, Breaker::Wanted::all).run();
}

std::vector<Breakdown::CallSplit> split_calls(const Trace& trace, const MachineModel* machine) {
  return Breaker(trace, machine, Breaker::Wanted::splits).splits();
}

Breakdown break_down(const Part& part, const Breakdown& whole, const Waits& waits, const Cancellation* stop) {
  Breakdown out;
  for (const Breakdown::CallSplit& split : whole.splits)
    out.splits.push_back({view_of(split.algorithmic_ns), view_of(split.service_ns)});
  for (const Delays::Rank& rank : whole.delays.ranks) {
    out.delays.ranks.emplace_back();
    out.delays.ranks.back().pauses = view_of(rank.pauses);
  }
  out.delays.not_followed = whole.delays.not_followed;
  out.diagnostics = whole.diagnostics;
  Tally tally(part, out, stop);
  tally.run();
  if (tally.is_stopped()) return out;
  out.causes = find_causes(part, waits, out);
  std::erase_if(out.ranks, [&](const RankBreakdown& rank) {
    return !part.has_rank(static_cast<std::size_t>(rank.rank));
  });
  return out;
}

std::vector<WaitingOfCalls> Breakdown::waiting() const {
  std::vector<WaitingOfCalls> waiting;
  for (const CallSplit& split : splits) waiting.push_back({&split.algorithmic_ns, &split.service_ns});
  return waiting;
}

Diagnostics diagnostics_of(const Trace& trace, const Breakdown& breakdown) {
  Diagnostics all = trace.diagnostics;
  all.merge(breakdown.diagnostics);
  return all;
}

nlohmann::json to_json(const Breakdown& breakdown, const Part& part) {
  const Trace& trace = part.trace();
  nlohmann::json ranks = nlohmann::json::array(), calls = nlohmann::json::object(),
                 peers = nlohmann::json::array(), types = nlohmann::json::array();
  for (const RankBreakdown& rank : breakdown.ranks) {
    ranks.push_back({{"rank", rank.rank},
                     {"host", rank.host},
                     {"elapsed_s", rank.elapsed_s},
                     {"compute_s", rank.compute_s},
                     {"library_s", rank.library_s},
                     {"blocked_s", rank.blocked_s},
                     {"blocked_algorithmic_s", rank.blocked_algorithmic_s},
                     {"blocked_service_s", rank.blocked_service_s},
                     {"blocked_by_network_s", rank.blocked_by_network_s},
                     {"blocked_by_algorithm_s", rank.blocked_by_algorithm_s},
                     {"messages_sent", rank.messages_sent},
                     {"bytes_sent", rank.bytes_sent},
                     {"messages_received", rank.messages_received},
                     {"bytes_received", rank.bytes_received},
                     {"collective_bytes_sent", rank.collective_bytes_sent},
                     {"collective_bytes_received", rank.collective_bytes_received}});
    if (const auto& address = trace.ranks[static_cast<std::size_t>(rank.rank)].address)
      ranks.back()["address"] = fmt::format("{:016x}", *address);
    if (part.of_calls()) ranks.back()["elsewhere_s"] = rank.elsewhere_s;
  }
  for (const auto& [name, call] : breakdown.calls)
    calls[name] = {{"count", call.count},
                   {"time_s", call.time_s},
                   {"program_s", call.program_s},
                   {"blocked_s", call.blocked_s}};
  for (const PeerTotal& peer : breakdown.peers)
    peers.push_back({{"source", peer.source},
                     {"destination", peer.destination},
                     {"messages", peer.messages},
                     {"bytes", peer.bytes},
                     {"collective_bytes", peer.collective_bytes}});
  for (const TypeTotal& type : breakdown.types)
    types.push_back({{"communicator", type.comm < trace.comms.size() ? trace.comms[type.comm].name : ""},
                     {"tag", type.tag},
                     {"messages", type.messages},
                     {"bytes", type.bytes},
                     {"smallest_bytes", type.smallest_bytes},
                     {"largest_bytes", type.largest_bytes}});
  nlohmann::json json{{"ranks", std::move(ranks)},
                      {"elapsed_s", breakdown.elapsed_s},
                      {"unmatched_sends", trace.unmatched_sends},
                      {"unmatched_receives", trace.unmatched_receives},
                      {"wildcard_receives", trace.wildcard_receives},
                      {"events", trace.events},
                      {"clock",
                       {{"uncertainty_s", trace.clock_uncertainty_s},
                        {"violations", trace.causality.violations},
                        {"violations_remaining", trace.causality.remaining},
                        {"largest_shift_s", static_cast<double>(trace.causality.largest_shift_ns) * 1e-9}}},
                      {"calls", std::move(calls)},
                      {"causes", to_json(breakdown.causes)},
                      {"peers", std::move(peers)},
                      {"combined_bytes", breakdown.combined_bytes},
                      {"types", std::move(types)},
                      {"diagnostics", diagnostics_of(trace, breakdown)}};
  if (!trace.user.regions.empty()) json["regions"] = to_json(find_regions(part, breakdown));
  if (!part.is_whole()) json["selection"] = to_json(part.selection());
  return json;
}

}  // namespace ww
