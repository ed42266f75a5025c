// NEW-NAME: what it tells of a run, and the rule by which it finds that. It is asked of parts of a run too
// (Part): what it counts must add up over spans and ranks, which selection_test.cpp holds of every question.
// What finds it, if more than a few lines, is a file of src/analyze.
//
// As it stands: how many messages each rank sent, and of how many bytes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

Result<Answer> answer(const Given& given) {
  Answer answer;
  answer.json["ranks"] = nlohmann::json::array();
  Table table({"rank", "messages", "bytes"}, 0);
  for (const RankBreakdown& rank : given.breakdown.ranks)
    answer.json["ranks"].push_back(
        {{"rank", rank.rank}, {"messages", rank.messages_sent}, {"bytes", rank.bytes_sent}});
  answer.text = limited(table, given.breakdown.ranks, "ranks", [&](const RankBreakdown& rank) {
    table.add({fmt::format("{}", rank.rank), fmt::format("{}", rank.messages_sent),
               show_bytes(static_cast<double>(rank.bytes_sent))});
  });
  return answer;
}

}  // namespace

const Question NEW_NAME_question = {"NEW-NAME", "NEW_NAME", "messages that each rank sent", answer};

}  // namespace ww
