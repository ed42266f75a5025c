#include "analyze/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/carried.hpp"
#include "analyze/software.hpp"
#include "analyze/user_regions.hpp"
#include "base/disturbance.hpp"

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

class Breaker {
 public:
  Breaker(const Trace& trace, const MachineModel* machine)
      : trace_(trace),
        waits_(find_waits(trace, machine, needs_)),
        software_(trace, waits_, machine),
        has_machine_(machine != nullptr) {}

  Breakdown run() {
    result_.elapsed_s = trace_.elapsed_s();
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) take_rank(static_cast<std::int32_t>(r));
    follow();
    take_carried();
    for (const auto& [pair, total] : peers_) result_.peers.push_back(total);
    for (const auto& [type, total] : types_) result_.types.push_back(total);
    result_.causes = find_causes(trace_, waits_, result_);
    diagnose();
    return std::move(result_);
  }

 private:
  void take_rank(std::int32_t number) {
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(number)];
    RankBreakdown out;
    out.rank = number;
    out.host = rank.host;
    Breakdown::CallSplit split{Column<std::int64_t>(trace_.store), Column<std::int64_t>(trace_.store)};
    split.algorithmic_ns.assign(rank.calls(), 0);
    split.service_ns.assign(rank.calls(), 0);
    if (trace_.predicted)
      take_known(rank, split);
    else
      for (const Wait& wait : waits_[static_cast<std::size_t>(number)]) split_call(number, wait, split);

    std::int64_t in_calls = 0, algorithmic = 0, service = 0, polling = 0;
    for (std::size_t call = 0; call < rank.calls(); ++call) {
      const std::int64_t took = in_program(rank, rank.enter_ns[call], rank.leave_ns[call]);
      in_calls += took;
      algorithmic += split.algorithmic_ns[call];
      service += split.service_ns[call];
      CallTotal& total = result_.calls[trace_.regions[rank.region[call]]];
      ++total.count;
      total.time_s += seconds(rank.leave_ns[call] - rank.enter_ns[call]);
      total.program_s += seconds(took);
      total.blocked_s += seconds(split.algorithmic_ns[call] + split.service_ns[call]);
      if (took > 0 && contains_failed_test(rank, call)) polling += took;
    }
    const std::int64_t elapsed = rank.end_ns - rank.begin_ns;
    out.elapsed_s = seconds(elapsed);
    out.compute_s = seconds(elapsed - in_calls);
    out.library_s = seconds(in_calls - algorithmic - service);
    out.blocked_s = seconds(algorithmic + service);
    out.blocked_algorithmic_s = seconds(algorithmic);
    out.blocked_service_s = seconds(service);
    total_ns_ += elapsed;
    if (static_cast<double>(polling) > polling_is_much * static_cast<double>(elapsed)) {
      most_polling_ = std::max(most_polling_, static_cast<double>(polling) / static_cast<double>(elapsed));
      ++polling_ranks_;
    }
    count_messages(number, rank, out);
    result_.ranks.push_back(std::move(out));
    result_.splits.push_back(std::move(split));
  }

  void follow() {
    std::vector<WaitingOfCalls> waiting;
    for (const Breakdown::CallSplit& split : result_.splits)
      waiting.push_back({&split.algorithmic_ns, &split.service_ns});
    result_.delays = follow_delays(trace_, waits_, needs_, waiting);
    for (std::size_t r = 0; r < result_.ranks.size(); ++r) {
      Delays::Rank& rank = result_.delays.ranks[r];
      rank.enter_ns = {};
      result_.ranks[r].blocked_by_network_s = seconds(rank.network_ns);
      result_.ranks[r].blocked_by_algorithm_s = seconds(rank.algorithm_ns);
    }
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

  PeerTotal& peer_total(std::int32_t source, std::int32_t destination) {
    return peers_.try_emplace({source, destination}, PeerTotal{source, destination}).first->second;
  }

  void take_carried() {
    const Carried carried = carried_by_collectives(trace_);
    for (const auto& [pair, bytes] : carried.bytes) {
      const auto [source, destination] = pair;
      peer_total(source, destination).collective_bytes = bytes;
      if (source == destination) continue;
      result_.ranks[static_cast<std::size_t>(source)].collective_bytes_sent += bytes;
      result_.ranks[static_cast<std::size_t>(destination)].collective_bytes_received += bytes;
    }
    result_.combined_bytes = carried.combined_bytes;
    if (carried.pairs_not_listed > 0)
      result_.diagnostics.add("collectives-not-by-peer", Severity::info,
                              "what MPI_Allgather and v, and MPI_Alltoall, v and w with the same size for "
                              "all, send is not listed "
                              "by peer: it goes from every rank to every other, which are too many pairs; "
                              "export --to csv has what "
                              "each call sent",
                              carried.pairs_not_listed);
  }

  void count_messages(std::int32_t number, const RankTrace& rank, RankBreakdown& out) {
    for (std::size_t a = 0; a < rank.actions(); ++a) {
      const std::uint64_t bytes = rank.bytes[a];
      switch (rank.kind[a]) {
        case ActionKind::send:
        case ActionKind::isend: {
          ++out.messages_sent;
          out.bytes_sent += bytes;
          PeerTotal& peer = peer_total(number, rank.peer[a]);
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
  }

  void diagnose() {
    result_.diagnostics.merge(disturbance_of(trace_.run));
    find_flood();
    if (polling_ranks_ > 0)
      result_.diagnostics.add(
          "polling", Severity::info,
          fmt::format("ranks spent up to {:.0f}% of their time in tests and probes that found "
                      "nothing; it is shown as library time, though it may have been waiting",
                      most_polling_ * 100),
          polling_ranks_);
    if (static_cast<double>(unknown_ns_) > unknown_is_much * static_cast<double>(total_ns_))
      result_.diagnostics.add(
          "software-not-told-apart", Severity::info,
          has_machine_
              ? "the machine model has no software costs for these calls: their software counts as blocked"
              : "no call of the same kind and size is known not to have waited: their software counts as "
                "blocked; a machine model tells it apart (whatwire measure, then --machine)",
          unknown_calls_);
    if (trace_.dilation != 1)
      result_.diagnostics.add(
          "dilated", Severity::warning,
          fmt::format("computation was stretched by {:g}: divide times by it", trace_.dilation));
  }

  // A call that moves nothing and makes most of the trace.
  void find_flood() {
    std::uint64_t all = 0;
    for (const auto& [name, call] : result_.calls) all += call.count;
    for (const auto& [name, call] : result_.calls)
      if (call.count >= many_calls && 2 * call.count > all && call.blocked_s == 0 &&
          call.time_s < short_call_s * static_cast<double>(call.count))
        result_.diagnostics.add(
            "flooding-call", Severity::info,
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
  std::map<std::pair<std::int32_t, std::int32_t>, PeerTotal> peers_;
  std::map<std::pair<std::uint32_t, std::int32_t>, TypeTotal> types_;
  std::int64_t unknown_ns_ = 0, total_ns_ = 0;
  std::uint64_t unknown_calls_ = 0, polling_ranks_ = 0;
  double most_polling_ = 0;
};

}  // namespace

Breakdown break_down(const Trace& trace, const MachineModel* machine) {
  return Breaker(trace, machine).run();
}

nlohmann::json to_json(const Breakdown& breakdown, const Trace& trace) {
  nlohmann::json ranks = nlohmann::json::array(), calls = nlohmann::json::object(),
                 peers = nlohmann::json::array(), types = nlohmann::json::array();
  for (const RankBreakdown& rank : breakdown.ranks)
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
  Diagnostics diagnostics = trace.diagnostics;
  diagnostics.merge(breakdown.diagnostics);
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
                      {"diagnostics", diagnostics}};
  if (!trace.user.regions.empty()) json["regions"] = to_json(find_regions(trace, breakdown));
  return json;
}

}  // namespace ww
