#include "analyze/user_values.hpp"

#include <algorithm>
#include <cmath>

#include "analyze/questions.hpp"
#include "analyze/table.hpp"
#include "base/units.hpp"

namespace ww {
namespace {

void take(ValueTotal& total, double number, std::int64_t at_ns) {
  ++total.count;
  if (!std::isfinite(number)) {
    ++total.no_numbers;
    return;
  }
  const std::uint64_t taken = total.count - total.no_numbers;
  if (taken == 1) {
    total.first = total.least = total.most = number;
    total.first_ns = at_ns;
  }
  total.last = number;
  total.last_ns = at_ns;
  total.least = std::min(total.least, number);
  total.most = std::max(total.most, number);
  total.mean += (number - total.mean) / static_cast<double>(taken);
}

ValueTotal joined(const std::vector<ValueTotal>& by_rank) {
  ValueTotal all;
  for (const ValueTotal& one : by_rank) {
    all.count += one.count;
    all.no_numbers += one.no_numbers;
    const auto taken = static_cast<double>(one.count - one.no_numbers);
    if (taken == 0) continue;
    const auto before = static_cast<double>(all.count - all.no_numbers) - taken;
    if (before == 0) {
      const auto [count, no_numbers] = std::pair(all.count, all.no_numbers);
      all = one;
      all.count = count;
      all.no_numbers = no_numbers;
      continue;
    }
    all.mean += (one.mean - all.mean) * taken / (before + taken);
    all.least = std::min(all.least, one.least);
    all.most = std::max(all.most, one.most);
    if (one.first_ns < all.first_ns) all.first = one.first, all.first_ns = one.first_ns;
    if (one.last_ns > all.last_ns) all.last = one.last, all.last_ns = one.last_ns;
  }
  return all;
}

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

struct MarkerTotal {
  std::uint64_t count = 0;
  std::int64_t first_ns = 0, last_ns = 0;
  std::int32_t first_rank = -1;
};

// Of what stands in time, what is in the part.
template <class T>
void for_each_in(const Part& part, const Column<T>& all, const auto& take) {
  const T* one =
      std::partition_point(all.begin(), all.end(), [&](const T& it) { return part.is_past(it.at_ns); });
  for (; one != all.end() && part.has_instant(one->at_ns); ++one)
    if (part.has_thread(one->thread)) take(*one);
}

std::vector<MarkerTotal> find_markers(const Part& part) {
  const Trace& trace = part.trace();
  std::vector<MarkerTotal> totals(trace.user.texts.size());
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    for_each_in(part, trace.ranks[r].user.markers, [&](const UserMarker& marker) {
      MarkerTotal& total = totals[marker.text];
      if (total.count++ == 0 || marker.at_ns < total.first_ns) {
        total.first_ns = marker.at_ns;
        total.first_rank = static_cast<std::int32_t>(r);
      }
      total.last_ns = total.count == 1 ? marker.at_ns : std::max(total.last_ns, marker.at_ns);
    });
  }
  return totals;
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

}  // namespace

std::vector<std::vector<ValueTotal>> find_values(const Part& part) {
  const Trace& trace = part.trace();
  std::vector<std::vector<ValueTotal>> totals(trace.user.values.size(),
                                              std::vector<ValueTotal>(trace.ranks.size()));
  for (std::size_t r = 0; r < trace.ranks.size(); ++r)
    if (part.has_rank(r))
      for_each_in(part, trace.ranks[r].user.values, [&](const UserValue& value) {
        take(totals[value.name][r], value.number(trace.user.values[value.name]), value.at_ns);
      });
  return totals;
}

static Result<Answer> answer_values(const Given& given) {
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
    answer.text = "no values or markers were given (whatwire/marker.h)\n";
  if (!totals.empty()) answer.text += values.text();
  if (!markers.empty()) answer.text += (totals.empty() ? "" : "\n") + texts.text();
  if (markers.size() > most_rows)
    answer.text += fmt::format("... and {} more markers (--json has all)\n", markers.size() - most_rows);
  return answer;
}

const Question values_question = {"values", "values", "the values and markers that the program gave",
                                  answer_values};

}  // namespace ww
