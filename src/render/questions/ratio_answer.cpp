#include "analyze/ratio.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

nlohmann::json to_json(const RankRatio& r) {
  nlohmann::json json = {{"communication_s", r.communication_s},
                         {"compute_s", r.compute_s},
                         {"ratio", or_null(r.ratio)},
                         {"service_ratio", or_null(r.service_ratio)},
                         {"messages_per_compute_s", or_null(r.messages_per_compute_s)},
                         {"bytes_per_compute_s", or_null(r.bytes_per_compute_s)}};
  if (r.rank >= 0) json["rank"] = r.rank;
  return json;
}

Result<Answer> answer_ratio(const Given& given) {
  const Ratio found = find_ratio(given.breakdown);
  Answer answer;
  answer.json = to_json(found.all);
  answer.json["ranks"] = nlohmann::json::array();
  for (const RankRatio& rank : found.ranks) answer.json["ranks"].push_back(to_json(rank));
  Table table({"rank", "communication", "computation", "ratio", "service ratio", "messages", "bytes"}, 1);
  const auto row = [&](const RankRatio& r) {
    const auto number = [](const std::optional<double>& v) { return v ? fmt::format("{:.3g}", *v) : "-"; };
    table.add({r.rank < 0 ? "all" : fmt::format("{}", r.rank), show_time(r.communication_s),
               show_time(r.compute_s), number(r.ratio), number(r.service_ratio),
               number(r.messages_per_compute_s) + "/s",
               r.bytes_per_compute_s ? show_bytes(*r.bytes_per_compute_s) + "/s" : "-"});
  };
  std::vector<RankRatio> rows{found.all};
  rows.insert(rows.end(), found.ranks.begin(), found.ranks.end());
  answer.text = "Communication to computation; messages and bytes sent for each second of computation\n" +
                limited(table, rows, "ranks", row);
  return answer;
}

}  // namespace

const Question ratio_question = {"ratio", "communication_to_computation", "communication to computation",
                                 answer_ratio};

}  // namespace ww
