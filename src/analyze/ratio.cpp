#include "analyze/ratio.hpp"

#include "analyze/questions.hpp"
#include "analyze/table.hpp"
#include "base/units.hpp"

namespace ww {
namespace {

RankRatio ratio_of(const RankBreakdown& rank) {
  RankRatio out;
  out.rank = rank.rank;
  out.communication_s = rank.library_s + rank.blocked_s;
  out.compute_s = rank.compute_s;
  out.service_s = rank.blocked_service_s;
  if (rank.compute_s <= 0) return out;
  out.ratio = out.communication_s / rank.compute_s;
  out.service_ratio = rank.blocked_service_s / rank.compute_s;
  out.messages_per_compute_s = static_cast<double>(rank.messages_sent) / rank.compute_s;
  out.bytes_per_compute_s = static_cast<double>(rank.bytes_sent) / rank.compute_s;
  return out;
}

nlohmann::json to_json(const RankRatio& r) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  nlohmann::json json = {{"communication_s", r.communication_s},
                         {"compute_s", r.compute_s},
                         {"ratio", number(r.ratio)},
                         {"service_ratio", number(r.service_ratio)},
                         {"messages_per_compute_s", number(r.messages_per_compute_s)},
                         {"bytes_per_compute_s", number(r.bytes_per_compute_s)}};
  if (r.rank >= 0) json["rank"] = r.rank;
  return json;
}

}  // namespace

Ratio find_ratio(const Breakdown& breakdown) {
  Ratio out;
  RankBreakdown sum;
  sum.rank = -1;
  for (const RankBreakdown& rank : breakdown.ranks) {
    out.ranks.push_back(ratio_of(rank));
    sum.compute_s += rank.compute_s;
    sum.library_s += rank.library_s;
    sum.blocked_s += rank.blocked_s;
    sum.blocked_service_s += rank.blocked_service_s;
    sum.messages_sent += rank.messages_sent;
    sum.bytes_sent += rank.bytes_sent;
  }
  out.all = ratio_of(sum);
  return out;
}

static Result<Answer> answer_ratio(const Given& given) {
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

const Question ratio_question = {"ratio", "communication_to_computation", "communication to computation",
                                 answer_ratio};

}  // namespace ww
