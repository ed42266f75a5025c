#include <algorithm>

#include "analyze/utilisation.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

Result<Answer> answer_utilisation(const Given& given) {
  const Utilisation found = find_utilisation(given.part, given.waits);
  Answer answer;
  nlohmann::json ranks = nlohmann::json::array();
  for (const RankUtilisation& rank : found.ranks)
    ranks.push_back({{"rank", rank.rank},
                     {"elapsed_s", rank.elapsed_s},
                     {"idle_s", rank.idle_s},
                     {"polling_s", rank.polling_s},
                     {"utilisation", rank.utilisation}});
  answer.json = {{"utilisation", found.utilisation},
                 {"ranks", std::move(ranks)},
                 {"processor", or_null(found.processor)},
                 {"without_core", or_null(found.without_core)},
                 {"over_time", {{"bin_s", found.bin_s}, {"utilisation", found.over_time}}},
                 {"rule",
                  "idle: in a call that waits for messages, before the first of them was sent; in a "
                  "collective, before the last rank that it needs had entered"}};
  Table table({"rank", "elapsed", "idle", "utilisation", "polling"}, 1);
  answer.text = fmt::format(
      "Ranks had work, or a message on its way, for {:.1f}% of the time; idle: waiting while "
      "nothing had been sent\n",
      100 * found.utilisation);
  if (found.processor) {
    answer.text += fmt::format(
        "Their processors: busy for {:.1f}% of it with the program and with MPI, polling for messages "
        "included",
        100 * *found.processor);
    answer.text += found.without_core && *found.without_core >= 0.005
                       ? fmt::format("; ready but without one {:.1f}%\n", 100 * *found.without_core)
                       : "\n";
  }
  std::vector<const RankUtilisation*> rows;
  for (const RankUtilisation& rank : found.ranks) rows.push_back(&rank);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->utilisation < b->utilisation; });
  answer.text += limited(table, rows, "ranks", [&](const RankUtilisation* rank) {
    table.add({fmt::format("{}", rank->rank), show_time(rank->elapsed_s), show_time(rank->idle_s),
               fmt::format("{:.1f}%", 100 * rank->utilisation), show_time(rank->polling_s)});
  });
  answer.text += fmt::format("over time [{}] each {}, 0 to 100%\n", sparkline(found.over_time, 1),
                             show_time(found.bin_s));
  return answer;
}

}  // namespace

const Question utilisation_question = {
    "utilisation", "utilisation",
    "how much of its time each rank had something to do; idle: nothing had been sent to it",
    answer_utilisation};

}  // namespace ww
