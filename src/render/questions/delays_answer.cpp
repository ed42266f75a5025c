#include <algorithm>

#include "analyze/delays.hpp"
#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

constexpr const char* rule =
    "the run once more on a network without cost, computation and software as recorded: the waiting that "
    "goes "
    "away is the network's, that of ranks whose partner was late because of it included; what remains is the "
    "algorithm's, and counts for the rank at the end of each chain of ranks that wait for one another";

nlohmann::json rank_json(const RankBreakdown& rank, const DelayCost& cost) {
  return {{"rank", rank.rank},
          {"blocked_s", rank.blocked_s},
          {"blocked_algorithmic_s", rank.blocked_algorithmic_s},
          {"blocked_service_s", rank.blocked_service_s},
          {"blocked_by_network_s", rank.blocked_by_network_s},
          {"blocked_by_algorithm_s", rank.blocked_by_algorithm_s},
          {"delays_others_direct_s", seconds_of(cost.direct_ns)},
          {"delays_others_propagated_s", seconds_of(cost.propagated_ns)}};
}

// And those that are not selected, but made the selected ones wait.
std::vector<RankBreakdown> with_those_who_delay(std::vector<RankBreakdown> ranks, const DelayCosts& costs) {
  std::vector<bool> listed(costs.ranks.size(), false);
  for (const RankBreakdown& rank : ranks) listed[static_cast<std::size_t>(rank.rank)] = true;
  for (std::size_t r = 0; r < costs.ranks.size(); ++r) {
    if (listed[r] || costs.ranks[r].direct_ns + costs.ranks[r].propagated_ns == 0) continue;
    ranks.emplace_back();
    ranks.back().rank = static_cast<std::int32_t>(r);
  }
  return ranks;
}

}  // namespace

static Result<Answer> answer_delays(const Given& given) {
  const Breakdown& breakdown = given.breakdown;
  const bool is_whole = given.part.is_whole();
  const DelayCosts costs =
      is_whole ? costs_of(breakdown.delays) : costs_of(breakdown.delays, given.part, breakdown.waiting());
  const std::vector<RankBreakdown> rows = with_those_who_delay(breakdown.ranks, costs);
  double blocked_s = 0, algorithmic_s = 0, network_s = 0, remains_s = 0;
  nlohmann::json ranks = nlohmann::json::array();
  const auto cost_of = [&](const RankBreakdown& rank) -> const DelayCost& {
    return costs.ranks[static_cast<std::size_t>(rank.rank)];
  };
  for (const RankBreakdown& rank : rows) {
    blocked_s += rank.blocked_s;
    algorithmic_s += rank.blocked_algorithmic_s;
    network_s += rank.blocked_by_network_s;
    remains_s += rank.blocked_by_algorithm_s;
    ranks.push_back(rank_json(rank, cost_of(rank)));
  }
  Answer answer;
  answer.json = {{"elapsed_s", breakdown.elapsed_s},
                 {"elapsed_without_network_s",
                  is_whole ? nlohmann::json(seconds_of(breakdown.delays.elapsed_ns)) : nlohmann::json()},
                 {"blocked_s", blocked_s},
                 {"blocked_by_network_s", network_s},
                 {"blocked_by_algorithm_s", remains_s},
                 {"ranks", std::move(ranks)},
                 {"calls_not_followed", breakdown.delays.not_followed},
                 {"not_followed_s", seconds_of(costs.not_followed_ns)},
                 {"rule", rule}};
  answer.text = fmt::format(
      "Of {} blocked on all ranks {} until the partner began, {} while the message was on its way.\n"
      "By its causes {} ({}) are the network's, and would go on one without cost{}; "
      "{} ({}) are the algorithm's: no network shortens them.\n\n",
      show_time(blocked_s), show_time(algorithmic_s), show_time(blocked_s - algorithmic_s),
      show_time(network_s), percent(network_s, blocked_s),
      is_whole
          ? fmt::format(", where the run\ntakes {} instead of {}",
                        show_time(seconds_of(breakdown.delays.elapsed_ns)), show_time(breakdown.elapsed_s))
          : "",
      show_time(remains_s), percent(remains_s, blocked_s));
  std::vector<std::size_t> order(rows.size());
  for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
  const auto made_wait = [&](std::size_t r) {
    return cost_of(rows[r]).direct_ns + cost_of(rows[r]).propagated_ns;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return made_wait(a) > made_wait(b); });
  Table table(
      {"rank", "blocked", "network's", "algorithm's", "made others wait", "directly", "through others"}, 1);
  answer.text += limited(table, order, "ranks", [&](std::size_t r) {
    const RankBreakdown& rank = rows[r];
    table.add({fmt::format("{}", rank.rank), show_time(rank.blocked_s), show_time(rank.blocked_by_network_s),
               show_time(rank.blocked_by_algorithm_s), show_time(seconds_of(made_wait(r))),
               show_time(seconds_of(cost_of(rank).direct_ns)),
               show_time(seconds_of(cost_of(rank).propagated_ns))});
  });
  return answer;
}

const Question delays_question = {
    "delays", "delays", "waits followed to their causes: what the network's are, who makes others wait",
    answer_delays};

}  // namespace ww
