#include "analyze/user_values.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

nlohmann::json to_json(const ValueTotal& total) {
  nlohmann::json json{{"count", total.count}};
  if (total.no_numbers > 0) json["no_numbers"] = total.no_numbers;
  if (total.no_numbers < total.count)
    json.update({{"first", total.first},
                 {"last", total.last},
                 {"least", total.least},
                 {"most", total.most},
                 {"mean", total.mean}});
  return json;
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

Result<Answer> answer_values(const Given& given) {
  const Trace& trace = given.trace;
  const auto totals = find_values(given.part);
  const auto markers = find_markers(given.part);
  const std::int64_t begin_ns = trace.begin_ns();
  Answer answer;
  answer.json = {{"values", nlohmann::json::array()}, {"markers", nlohmann::json::array()}};
  Table values({"value", "count", "first", "last", "least", "most", "mean"}, 1);
  for (std::size_t v = 0; v < totals.size(); ++v) {
    const ValueName& name = trace.user.values[v];
    const ValueTotal all = joined(totals[v]);
    if (all.count == 0 && !given.part.is_whole()) continue;
    nlohmann::json json = to_json(all);
    json["name"] = name.name;
    json["ranks"] = nlohmann::json::array();
    for (std::size_t r = 0; r < totals[v].size(); ++r) {
      if (totals[v][r].count == 0) continue;
      json["ranks"].push_back(to_json(totals[v][r]));
      json["ranks"].back()["rank"] = r;
    }
    answer.json["values"].push_back(std::move(json));
    values.add({shortened(name.name, 28), fmt::format("{}", all.count), number(all.first), number(all.last),
                number(all.least), number(all.most), number(all.mean)});
  }
  Table texts({"marker", "count", "first at", "on rank", "last at"}, 1);
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (markers[m].count == 0 && !given.part.is_whole()) continue;
    const double first_s = seconds_of(markers[m].first_ns - begin_ns),
                 last_s = seconds_of(markers[m].last_ns - begin_ns);
    answer.json["markers"].push_back({{"text", trace.user.texts[m]},
                                      {"count", markers[m].count},
                                      {"first_s", first_s},
                                      {"last_s", last_s}});
    if (m < most_rows)
      texts.add({shortened(trace.user.texts[m], 48), fmt::format("{}", markers[m].count), show_time(first_s),
                 fmt::format("{}", markers[m].first_rank), show_time(last_s)});
  }
  if (totals.empty() && markers.empty())
    answer.text =
        "no values or markers were given (whatwire instrument --watch, record --memory, whatwire/marker.h)\n";
  if (!totals.empty()) answer.text += values.text();
  if (!markers.empty()) answer.text += (totals.empty() ? "" : "\n") + texts.text();
  if (markers.size() > most_rows)
    answer.text += fmt::format("... and {} more markers (--json has all)\n", markers.size() - most_rows);
  return answer;
}

}  // namespace

const Question values_question = {"values", "values", "the values and markers that the program gave",
                                  answer_values};

}  // namespace ww
