#include "analyze/unmatched.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

Result<Answer> answer_unmatched(const Given& given) {
  const std::vector<UnmatchedEnd> found = find_unmatched(given.part);
  Answer answer;
  answer.json = nlohmann::json::array();
  const auto region = [&](const UnmatchedEnd& end) {
    const RankTrace& rank = given.trace.ranks[static_cast<std::size_t>(end.rank)];
    return given.trace.regions[rank.region[end.call]];
  };
  const auto comm = [&](const UnmatchedEnd& end) {
    return end.comm < given.trace.comms.size() ? given.trace.comms[end.comm].name : std::string();
  };
  for (const UnmatchedEnd& end : found)
    answer.json.push_back({{"end", end.send ? "send" : "receive"},
                           {"rank", end.rank},
                           {"peer", end.peer >= 0 ? nlohmann::json(end.peer) : nlohmann::json()},
                           {"tag", end.tag >= 0 ? nlohmann::json(end.tag) : nlohmann::json()},
                           {"communicator", comm(end)},
                           {"bytes", end.bytes},
                           {"call", region(end)},
                           {"at_s", end.at_s},
                           {"why", end.why}});
  if (found.empty()) {
    answer.text = "every send has its receive, and every receive its send\n";
    return answer;
  }
  Table table({"call", "rank", "peer", "tag", "bytes", "at", "why"}, 1);
  answer.text = "Without their other side\n" + limited(table, found, "ends", [&](const UnmatchedEnd& end) {
                  table.add({shortened(region(end), 20), fmt::format("{}", end.rank),
                             end.peer < 0 ? "any" : fmt::format("{}", end.peer),
                             end.tag < 0 ? "any" : fmt::format("{}", end.tag),
                             show_bytes(static_cast<double>(end.bytes)), show_time(end.at_s), end.why});
                });
  return answer;
}

}  // namespace

const Question unmatched_question = {"unmatched", "unmatched",
                                     "sends and receives without their other side, listed", answer_unmatched};

}  // namespace ww
