// NEW-NAME: what it tells of a run, and the rule by which it finds that.
//
// As it stands: each rank's longest call.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analyze/questions.hpp"
#include "analyze/table.hpp"
#include "base/units.hpp"

namespace ww {
namespace {

Result<Answer> answer(const Given& given) {
  Answer answer;
  answer.json["ranks"] = nlohmann::json::array();
  Table table({"rank", "longest call", "time"}, 2);
  for (const RankBreakdown& row : given.breakdown.ranks) {
    const RankTrace& rank = given.trace.ranks[static_cast<std::size_t>(row.rank)];
    std::int64_t longest_ns = -1;
    std::string name;
    for (std::size_t call = 0; call < rank.calls(); ++call)
      if (const std::int64_t ns = rank.leave_ns[call] - rank.enter_ns[call]; ns > longest_ns) {
        longest_ns = ns;
        name = given.trace.regions[rank.region[call]];
      }
    if (longest_ns < 0) continue;
    answer.json["ranks"].push_back({{"rank", row.rank}, {"call", name}, {"seconds", seconds_of(longest_ns)}});
    table.add({fmt::format("{}", row.rank), name, show_time(seconds_of(longest_ns))});
  }
  answer.text = answer.json["ranks"].empty() ? "no calls\n" : table.text();
  return answer;
}

}  // namespace

const Question NEW_NAME_question = {"NEW-NAME", "NEW_NAME", "each rank's longest call", answer};

}  // namespace ww
