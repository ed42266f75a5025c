#include "render/breakdown_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/daemons_text.hpp"
#include "render/diagnostics.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

std::vector<std::string> rank_row(const RankBreakdown& rank) {
  return {fmt::format("{}", rank.rank),
          shortened(rank.host, 12),
          show_time(rank.elapsed_s),
          percent(rank.compute_s, rank.elapsed_s),
          percent(rank.library_s, rank.elapsed_s),
          percent(rank.blocked_s, rank.elapsed_s),
          show_time(rank.blocked_algorithmic_s),
          show_time(rank.blocked_service_s),
          fmt::format("{}", rank.messages_sent),
          show_bytes(static_cast<double>(rank.bytes_sent))};
}

std::string by_rank(const Breakdown& breakdown) {
  Table table(
      {"rank", "host", "elapsed", "compute", "library", "blocked", "algorithm", "service", "sent", "bytes"},
      2);
  std::vector<const RankBreakdown*> ranks;
  for (const auto& rank : breakdown.ranks) ranks.push_back(&rank);
  const bool many = ranks.size() > most_rows;
  if (many)
    std::stable_sort(ranks.begin(), ranks.end(), [](const RankBreakdown* a, const RankBreakdown* b) {
      return a->blocked_s > b->blocked_s;
    });
  std::string text = many ? "Ranks, the longest blocked first\n" : "";
  text += limited(table, ranks, "ranks", [&](const RankBreakdown* rank) { table.add(rank_row(*rank)); });
  if (breakdown.ranks.size() < 2) return text;
  RankBreakdown sum;
  for (const auto& rank : breakdown.ranks) {
    sum.elapsed_s += rank.elapsed_s;
    sum.compute_s += rank.compute_s;
    sum.library_s += rank.library_s;
    sum.blocked_s += rank.blocked_s;
    sum.elsewhere_s += rank.elsewhere_s;
    sum.blocked_algorithmic_s += rank.blocked_algorithmic_s;
    sum.blocked_service_s += rank.blocked_service_s;
    sum.blocked_by_network_s += rank.blocked_by_network_s;
    sum.blocked_by_algorithm_s += rank.blocked_by_algorithm_s;
    sum.messages_sent += rank.messages_sent;
    sum.bytes_sent += rank.bytes_sent;
    sum.collective_bytes_sent += rank.collective_bytes_sent;
  }
  text += fmt::format(
      "all ranks: compute {:.1f}%, library {:.1f}%, blocked {:.1f}% (algorithm {:.1f}%, service {:.1f}%){}\n"
      "           {}, {}{}\n",
      share(sum.compute_s, sum.elapsed_s), share(sum.library_s, sum.elapsed_s),
      share(sum.blocked_s, sum.elapsed_s), share(sum.blocked_algorithmic_s, sum.elapsed_s),
      share(sum.blocked_service_s, sum.elapsed_s),
      sum.elsewhere_s > 0 ? fmt::format(", other calls {:.1f}%", share(sum.elsewhere_s, sum.elapsed_s)) : "",
      counted(sum.messages_sent, "message"), show_bytes(static_cast<double>(sum.bytes_sent)),
      sum.collective_bytes_sent == 0
          ? ""
          : fmt::format("; {} more that collectives carry from rank to rank",
                        show_bytes(static_cast<double>(sum.collective_bytes_sent))));
  if (sum.blocked_s > 0)
    text += fmt::format(
        "followed to its causes {:.1f}% are the network's, {:.1f}% the algorithm's, which no network "
        "shortens\n",
        share(sum.blocked_by_network_s, sum.elapsed_s), share(sum.blocked_by_algorithm_s, sum.elapsed_s));
  return text;
}

// Shares are of the timed program, in which MPI_Init and MPI_Finalize are not: these come last.
std::string by_call(const Breakdown& breakdown) {
  std::vector<std::pair<std::string, CallTotal>> calls(breakdown.calls.begin(), breakdown.calls.end());
  std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.program_s, a.second.time_s) > std::pair(b.second.program_s, b.second.time_s);
  });
  double elapsed_s = 0;
  for (const auto& rank : breakdown.ranks) elapsed_s += rank.elapsed_s;
  Table table({"call", "count", "time", "of run", "each", "blocked", "share of it"}, 1);
  return limited(table, calls, "calls", [&](const auto& entry) {
    const CallTotal& call = entry.second;
    const bool outside = call.program_s == 0 && call.time_s > 0;
    table.add({shortened(entry.first, 32), fmt::format("{}", call.count), show_time(call.time_s),
               outside ? "outside" : percent(call.program_s, elapsed_s),
               show_time(call.time_s / static_cast<double>(std::max<std::uint64_t>(call.count, 1))),
               show_time(call.blocked_s), fmt::format("{:.0f}%", share(call.blocked_s, call.time_s))});
  });
}

std::string by_type(const Breakdown& breakdown, const Trace& trace) {
  if (breakdown.types.empty()) return "no messages between ranks\n";
  std::vector<TypeTotal> types = breakdown.types;
  std::stable_sort(types.begin(), types.end(),
                   [](const TypeTotal& a, const TypeTotal& b) { return a.bytes > b.bytes; });
  Table table({"communicator", "tag", "messages", "bytes", "smallest", "largest"}, 1);
  return limited(table, types, "types", [&](const TypeTotal& type) {
    const std::string name = type.comm < trace.comms.size() ? trace.comms[type.comm].name : "";
    table.add({name.empty() ? fmt::format("#{}", type.comm) : shortened(name, 32),
               fmt::format("{}", type.tag), fmt::format("{}", type.messages),
               show_bytes(static_cast<double>(type.bytes)),
               show_bytes(static_cast<double>(type.smallest_bytes)),
               show_bytes(static_cast<double>(type.largest_bytes))});
  });
}

std::string bytes_text(std::uint64_t bytes) {
  return show_bytes(static_cast<double>(bytes));
}

std::string what_is_counted(const Breakdown& breakdown, bool collectives) {
  std::string text;
  if (collectives)
    text +=
        "collectives: what the program gave them for that rank, whatever way the library sends it; a rank's "
        "part for\nitself is in it\n";
  if (breakdown.combined_bytes > 0)
    text += fmt::format(
        "{} more went into reductions for several ranks (MPI_Allreduce, MPI_Scan, ...), which combine it on "
        "its\nway: it belongs to no pair\n",
        bytes_text(breakdown.combined_bytes));
  return text;
}

std::string headline(const Part& part, const std::string& note) {
  const Trace& trace = part.trace();
  std::string text = trace.run.program.empty() ? trace.source.string() : trace.run.program;
  if (text.size() > 40) text = "..." + text.substr(text.size() - 37);
  text += fmt::format(": {}, {}, {} events", counted(trace.ranks.size(), "rank"),
                      show_time(trace.elapsed_s()), trace.events);
  if (trace.clock_uncertainty_s > 0) text += ", clocks within " + show_time(trace.clock_uncertainty_s);
  text += "\n";
  if (trace.unmatched_sends + trace.unmatched_receives > 0)
    text += fmt::format("{} and {} without their other side\n", counted(trace.unmatched_sends, "send"),
                        counted(trace.unmatched_receives, "receive"));
  if (const auto daemons = daemons_from(trace.run.daemons)) text += daemons_in_short(*daemons);
  if (trace.predicted) text += "predicted, not recorded\n";
  if (is_partial(trace)) text += "a partial recording: see below what was left out\n";
  if (!part.is_whole()) text += wrapped("selected: " + describe(part.selection()), 4) + "\n" + note;
  return text + "\n";
}

}  // namespace

std::string show(const std::vector<Cause>& causes) {
  if (causes.empty())
    return fmt::format("No rank waits for {:.0f}% of its time.\n", 100 * Cause::least_share);
  std::string text;
  for (const Cause& cause : causes)
    text += cause.sentence + ".\n" + "    " + wrapped("What to do: " + cause.remedy + ".", 4) + "\n";
  return text;
}

std::string show(const RegionTotals& totals) {
  if (totals.regions.empty()) return "no regions were marked (whatwire/marker.h)\n";
  std::vector<const RegionTotal*> sorted;
  for (const RegionTotal& region : totals.regions) sorted.push_back(&region);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const RegionTotal* a, const RegionTotal* b) { return a->all.time_s > b->all.time_s; });
  sorted.push_back(&totals.outside);
  Table table({"region", "visits", "time", "compute", "library", "blocked", "algorithm", "service", "most",
               "on rank"},
              1);
  return limited(table, sorted, "regions", [&](const RegionTotal* region) {
    const RegionTime& all = region->all;
    std::size_t most = 0;
    for (std::size_t r = 0; r < region->by_rank.size(); ++r)
      if (region->by_rank[r].time_s > region->by_rank[most].time_s) most = r;
    const double most_s = region->by_rank.empty() ? 0 : region->by_rank[most].time_s;
    table.add({shortened(region->name, 28), region == &totals.outside ? "" : fmt::format("{}", all.visits),
               show_time(all.time_s), percent(all.compute_s, all.time_s), percent(all.library_s, all.time_s),
               percent(all.blocked_s(), all.time_s), show_time(all.blocked_algorithmic_s),
               show_time(all.blocked_service_s), show_time(most_s), fmt::format("{}", most)});
  });
}

std::string show_sent(const Breakdown& breakdown) {
  const bool collectives = std::any_of(breakdown.peers.begin(), breakdown.peers.end(),
                                       [](const PeerTotal& peer) { return peer.collective_bytes > 0; });
  if (breakdown.peers.empty())
    return "no messages between ranks, and no collectives that carry anything from one to another\n" +
           what_is_counted(breakdown, false);
  std::vector<PeerTotal> peers = breakdown.peers;
  std::stable_sort(peers.begin(), peers.end(), [](const PeerTotal& a, const PeerTotal& b) {
    return a.bytes + a.collective_bytes > b.bytes + b.collective_bytes;
  });
  Table table({"from", "to", "messages", "bytes", "each", "collectives", "together"}, 0);
  return limited(
             table, peers, "pairs",
             [&](const PeerTotal& peer) {
               table.add({fmt::format("{}", peer.source), fmt::format("{}", peer.destination),
                          fmt::format("{}", peer.messages), bytes_text(peer.bytes),
                          peer.messages == 0 ? "-" : bytes_text(peer.bytes / peer.messages),
                          bytes_text(peer.collective_bytes), bytes_text(peer.bytes + peer.collective_bytes)});
             }) +
         what_is_counted(breakdown, collectives);
}

std::string show_tables(const Breakdown& breakdown, const Part& part, By by) {
  const Trace& trace = part.trace();
  switch (by) {
    case By::overview:
      return show(breakdown.causes) + "\n" + by_rank(breakdown) + "\n" + by_call(breakdown) +
             (trace.user.regions.empty() ? "" : "\n" + show(find_regions(part, breakdown)));
    case By::rank:
      return by_rank(breakdown);
    case By::call:
      return by_call(breakdown);
    case By::peer:
      return show_sent(breakdown);
    case By::type:
      return by_type(breakdown, trace);
    case By::region:
      return show(find_regions(part, breakdown));
  }
  return "";
}

std::string show(const Breakdown& breakdown, const Part& part, const std::string& answer,
                 const std::string& note) {
  const std::string notes = show(diagnostics_of(part.trace(), breakdown));
  const std::string text = headline(part, note) + answer;
  return notes.empty() ? text : text + (text.ends_with("\n\n") ? "" : "\n") + notes;
}

}  // namespace ww
