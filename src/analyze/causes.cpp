#include "analyze/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "analyze/breakdown.hpp"
#include "base/units.hpp"

namespace ww {
namespace {

using Fault = Cause::Fault;

constexpr std::size_t most_causes = 3;
constexpr double least_of_all = 0.01;  // of all ranks' time
constexpr double mostly = 0.5;

const char* name_of(Fault fault) {
  switch (fault) {
    case Fault::late_sender:
      return "late sender";
    case Fault::late_receiver:
      return "late receiver";
    case Fault::late_partner:
      return "late partner";
    case Fault::late_root:
      return "late root";
    case Fault::late_rank:
      return "late rank";
    case Fault::transfer:
      return "transfer";
    case Fault::polling:
      return "polling";
  }
  return "";
}

struct OfRank {
  double time_s = 0;
  std::uint64_t calls = 0, bytes = 0;
};

struct Sum {
  std::map<std::int32_t, OfRank> by_rank;
  double computing_s = 0;
  bool sends = false, receives = false, collectives = false;
};

class Finder {
 public:
  Finder(const Part& part, const Waits& waits, const Breakdown& breakdown)
      : part_(part), trace_(part.trace()), waits_(waits), breakdown_(breakdown) {}

  std::vector<Cause> run() {
    for (std::size_t r = 0; r < waits_.size(); ++r) {
      if (!part_.has_rank(r)) continue;
      const auto [first, last] = part_.calls(r);
      for (const Wait& wait : waits_of_calls(waits_[r], first, last))
        if (part_.takes(trace_.ranks[r], wait.call)) take(static_cast<std::int32_t>(r), wait);
    }
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r)
      if (part_.has_rank(r)) take_polling(static_cast<std::int32_t>(r));
    double elapsed_s = 0;
    for (const RankBreakdown& rank : breakdown_.ranks) elapsed_s += rank.elapsed_s;
    std::vector<Cause> causes;
    for (const auto& [key, sum] : sums_) {
      Cause cause = cause_of(key, sum, elapsed_s);
      if (cause.longest_share >= Cause::least_share && cause.of_all >= least_of_all)
        causes.push_back(std::move(cause));
    }
    std::stable_sort(causes.begin(), causes.end(),
                     [](const Cause& a, const Cause& b) { return a.time_s > b.time_s; });
    if (causes.size() > most_causes) causes.resize(most_causes);
    for (Cause& cause : causes) {
      cause.sentence = sentence_of(cause);
      cause.remedy = remedy_of(cause);
    }
    return causes;
  }

 private:
  using Key = std::tuple<Fault, std::uint16_t, std::int32_t>;  // fault, region, whom it waited for

  void take(std::int32_t self, const Wait& wait) {
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(self)];
    const auto& split = breakdown_.splits[static_cast<std::size_t>(self)];
    const std::uint16_t region = rank.region[wait.call];
    const auto [algorithmic, service] =
        part_.blocked(rank, wait.call, {split.algorithmic_ns[wait.call], split.service_ns[wait.call]});
    if (service > 0) {
      Sum& sum = add({Fault::transfer, region, -1}, self, service, wait.bytes);
      sum.sends |= wait.sends > 0, sum.receives |= wait.receives > 0, sum.collectives |= wait.collectives > 0;
    }
    if (algorithmic <= 0 || wait.until_rank < 0) return;
    Sum& sum = add({fault_of(rank, wait), region, wait.until_rank}, self, algorithmic, wait.bytes);
    const std::int64_t from = std::max(rank.enter_ns[wait.call], part_.within(rank).first);
    sum.computing_s += computing_s(wait.until_rank, from, from + algorithmic);
  }

  void take_polling(std::int32_t self) {
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(self)];
    const auto [first, last] = part_.calls(static_cast<std::size_t>(self));
    for (std::size_t call = first; call < last; ++call)
      for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
        if (rank.kind[a] == ActionKind::test_failed) {
          if (part_.takes(rank, call))
            add({Fault::polling, rank.region[call], -1}, self,
                part_.clipped(rank, rank.enter_ns[call], rank.leave_ns[call]), 0);
          break;
        }
  }

  Sum& add(const Key& key, std::int32_t rank, std::int64_t ns, std::uint64_t bytes) {
    Sum& sum = sums_[key];
    OfRank& of_rank = sum.by_rank[rank];
    of_rank.time_s += static_cast<double>(ns) * 1e-9;
    ++of_rank.calls;
    of_rank.bytes += bytes;
    return sum;
  }

  Fault fault_of(const RankTrace& rank, const Wait& wait) const {
    if (wait.collectives > 0) {
      for (std::uint32_t a = rank.first_action[wait.call]; a < rank.first_action[wait.call + 1]; ++a)
        if ((rank.kind[a] == ActionKind::collective || rank.kind[a] == ActionKind::icollective_done) &&
            rank.match[a] != none)
          switch (trace_.collectives[rank.match[a]].op) {
            case CollectiveOp::bcast:
            case CollectiveOp::scatter:
            case CollectiveOp::scatterv:
              return Fault::late_root;
            default:
              return Fault::late_rank;
          }
      return Fault::late_rank;
    }
    if (wait.receives > 0 && wait.sends > 0) return Fault::late_partner;
    return wait.receives > 0 ? Fault::late_sender : Fault::late_receiver;
  }

  // Of [from, to), what that rank spent outside of calls.
  double computing_s(std::int32_t number, std::int64_t from, std::int64_t to) const {
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(number)];
    from = std::clamp(from, rank.begin_ns, rank.end_ns);
    to = std::clamp(to, from, rank.end_ns);
    std::int64_t computing = to - from;
    const auto first = std::upper_bound(rank.leave_ns.begin(), rank.leave_ns.end(), from);
    for (auto call = static_cast<std::size_t>(first - rank.leave_ns.begin());
         call < rank.calls() && rank.enter_ns[call] < to; ++call)
      computing -= std::min(to, rank.leave_ns[call]) - std::max(from, rank.enter_ns[call]);
    return static_cast<double>(std::max<std::int64_t>(0, computing)) * 1e-9;
  }

  Cause cause_of(const Key& key, const Sum& sum, double elapsed_of_all_s) const {
    Cause cause;
    std::uint16_t region = 0;
    std::tie(cause.fault, region, cause.waited_for) = key;
    cause.call = trace_.regions[region];
    cause.sends = sum.sends, cause.receives = sum.receives, cause.collectives = sum.collectives;
    std::vector<std::pair<double, std::int32_t>> ranks;
    double elapsed_s = 0;
    for (const auto& [rank, waited] : sum.by_rank) {
      const double of_rank_s = breakdown_.ranks[static_cast<std::size_t>(rank)].elapsed_s;
      if (waited.time_s < Cause::least_share * of_rank_s)
        continue;  // a rank that hardly waits is not among them
      ranks.emplace_back(-waited.time_s, rank);
      cause.time_s += waited.time_s;
      cause.calls += waited.calls;
      cause.bytes += waited.bytes;
      elapsed_s += of_rank_s;
    }
    std::sort(ranks.begin(), ranks.end());
    for (const auto& [time_s, rank] : ranks) cause.ranks.push_back(rank);
    if (ranks.empty()) return cause;
    cause.longest_s = -ranks.front().first;
    const double of_longest_s = breakdown_.ranks[static_cast<std::size_t>(cause.ranks.front())].elapsed_s;
    cause.share = elapsed_s > 0 ? cause.time_s / elapsed_s : 0;
    cause.longest_share = of_longest_s > 0 ? cause.longest_s / of_longest_s : 0;
    cause.of_all = elapsed_of_all_s > 0 ? cause.time_s / elapsed_of_all_s : 0;
    double all_s = 0;
    for (const auto& [rank, waited] : sum.by_rank) all_s += waited.time_s;
    cause.meanwhile_computing = all_s > 0 ? sum.computing_s / all_s : 0;
    return cause;
  }

  static std::string who(const Cause& cause, const char* one, const char* several) {
    if (cause.ranks.size() == 1)
      return fmt::format("rank {} {} {:.0f}% of its time", cause.ranks[0], one, 100 * cause.share);
    return fmt::format("{} ranks {} {:.0f}% of their time (rank {} longest, {:.0f}%)", cause.ranks.size(),
                       several, 100 * cause.share, cause.ranks[0], 100 * cause.longest_share);
  }

  // What tells a wire of little bandwidth from one of long latency: how long for how much. What passes the wire for a rank's part of a
  // collective depends on the algorithm, and has no rate.
  static std::string how_much(const Cause& cause) {
    const auto calls = static_cast<double>(cause.calls);
    const std::string time = show_time(cause.time_s / calls);
    if (cause.bytes == 0) return fmt::format("{} a call", time);
    const auto bytes = static_cast<double>(cause.bytes);
    const bool both_ways = cause.sends && cause.receives;
    std::string amount = fmt::format("{} a call for {}{}", time, show_bytes(bytes / calls),
                                     both_ways && !cause.collectives ? " sent and received" : "");
    if (cause.collectives) return amount;
    return fmt::format("{}, {}{}", amount, show_rate(bytes / cause.time_s), both_ways ? " together" : "");
  }

  static std::string sentence_of(const Cause& cause) {
    const std::string waits = who(cause, "waits", "wait");
    const std::string meanwhile = computes(cause)                  ? ", which computes meanwhile"
                                  : cause.call.starts_with("MPI_") ? ", which is in MPI itself meanwhile"
                                                                   : ", which is in a call itself meanwhile";
    const auto late = [&](const char* what) {
      return fmt::format("{}: {} in {} for rank {}{}", what, waits, cause.call, cause.waited_for, meanwhile);
    };
    switch (cause.fault) {
      case Fault::late_sender:
        return late("Late sender");
      case Fault::late_receiver:
        return late("Late receiver");
      case Fault::late_partner:
        return late("Late partner");
      case Fault::late_root:
        return late("Late root");
      case Fault::late_rank:
        return fmt::format("Late rank: {} in {} for rank {}, the last to enter it{}", waits, cause.call,
                           cause.waited_for, meanwhile);
      case Fault::transfer:
        return fmt::format("Transfer: {} in {} for what is on its way: {}", waits, cause.call,
                           how_much(cause));
      case Fault::polling:
        return fmt::format("Polling: {} in {} that found nothing", who(cause, "spends", "spend"), cause.call);
    }
    return "";
  }

  // What an author can do about it. That no network shortens it holds as far as the other computes meanwhile.
  static std::string remedy_of(const Cause& cause) {
    const bool of_mpi = cause.call.starts_with("MPI_");
    const std::string late = fmt::format("rank {}", cause.waited_for);
    const std::string network = "; no network shortens this";
    if (cause.waited_for >= 0 && !computes(cause))
      return fmt::format("see what holds {} up: it is in {} itself", late, of_mpi ? "MPI" : "a call");
    switch (cause.fault) {
      case Fault::late_sender:
        return fmt::format(
                   "let {} send earlier, before work that the message does not need, or give it less work",
                   late) +
               network;
      case Fault::late_receiver:
        return fmt::format("let {} receive earlier{}, or give it less work", late,
                           of_mpi ? " (MPI_Irecv before its work)" : "") +
               network;
      case Fault::late_partner:
      case Fault::late_root:
        return fmt::format(
                   "give {} less work before this call, or let the others do some of theirs meanwhile{}",
                   late, of_mpi ? " (a non-blocking call)" : "") +
               network;
      case Fault::late_rank:
        return fmt::format("divide the work more evenly, as {} has most of it before this call{}{}", late,
                           of_mpi ? ", or do other work meanwhile (a non-blocking call)" : "", network);
      case Fault::transfer:
        return fmt::format(
            "begin it before work that does not need it{}, send less, or use a quicker network: "
            "whatwire simulate says what one would save",
            !of_mpi             ? ""
            : cause.collectives ? " (a non-blocking call)"
                                : " (MPI_Isend, MPI_Irecv)");
      case Fault::polling:
        return "test less often, or wait where there is nothing else to do";
    }
    return "";
  }

  // Whom it waits for computes for most of the time.
  static bool computes(const Cause& cause) { return cause.meanwhile_computing > mostly; }

  const Part& part_;
  const Trace& trace_;
  const Waits& waits_;
  const Breakdown& breakdown_;
  std::map<Key, Sum> sums_;
};

}  // namespace

std::vector<Cause> find_causes(const Part& part, const Waits& waits, const Breakdown& breakdown) {
  return Finder(part, waits, breakdown).run();
}

nlohmann::json to_json(const std::vector<Cause>& causes) {
  nlohmann::json json = nlohmann::json::array();
  for (const Cause& cause : causes)
    json.push_back(
        {{"fault", name_of(cause.fault)},
         {"call", cause.call},
         {"ranks", cause.ranks},
         {"waited_for", cause.waited_for < 0 ? nlohmann::json() : nlohmann::json(cause.waited_for)},
         {"time_s", cause.time_s},
         {"share", cause.share},
         {"longest_share", cause.longest_share},
         {"share_of_all", cause.of_all},
         {"meanwhile_computing", cause.meanwhile_computing},
         {"calls", cause.calls},
         {"bytes", cause.bytes},
         {"sentence", cause.sentence},
         {"remedy", cause.remedy}});
  return json;
}

}  // namespace ww
