#include "analyze/function_totals.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace ww {

FunctionTotals find_functions(const RunRecord& run) {
  FunctionTotals totals;
  std::map<std::string, FunctionTotal> by_name;
  for (const RunRecord::Rank& rank : run.ranks) {
    if (rank.functions.empty()) continue;
    ++totals.ranks;
    double watched_s = rank.elapsed_s;
    for (const RunRecord::Function& one : rank.functions) watched_s = std::max(watched_s, one.all_s);
    totals.elapsed_s += watched_s;
    totals.only_counted = totals.only_counted || rank.functions_only_counted;
    for (const RunRecord::Function& one : rank.functions) {
      FunctionTotal& total = by_name[one.name];
      total.name = one.name;
      total.calls += one.calls;
      total.recorded += one.recorded;
      total.own_s += one.own_s;
      total.all_s += one.all_s;
      total.thinned = total.thinned || one.thinned;
      ++total.ranks;
      if (watched_s > 0)
        total.calls_a_second = std::max(total.calls_a_second, static_cast<double>(one.calls) / watched_s);
    }
  }
  for (auto& [name, total] : by_name) totals.functions.push_back(std::move(total));
  std::stable_sort(totals.functions.begin(), totals.functions.end(), [](const auto& a, const auto& b) {
    return a.name.empty() != b.name.empty() ? b.name.empty() : a.own_s > b.own_s;
  });
  std::vector<const FunctionTotal*> worth;
  for (const FunctionTotal& one : totals.functions)
    if (!one.name.empty() && one.all_s >= least_worth_share * totals.elapsed_s &&
        one.all_s >= least_worth_call_s * static_cast<double>(one.calls))
      worth.push_back(&one);
  std::stable_sort(worth.begin(), worth.end(),
                   [](const auto* a, const auto* b) { return a->all_s > b->all_s; });
  for (const FunctionTotal* one : worth) totals.worth_recording.push_back(one->name);
  return totals;
}

std::string as_patterns(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ',';
    for (const char c : name) {
      if (c == '*' || c == '?' || c == '[' || c == '\\') list += '\\';
      list += c;
    }
  }
  return list;
}

nlohmann::json to_json(const FunctionTotals& totals) {
  nlohmann::json list = nlohmann::json::array();
  for (const FunctionTotal& one : totals.functions)
    list.push_back({{"function", one.name.empty() ? nlohmann::json() : nlohmann::json(one.name)},
                    {"calls", one.calls},
                    {"recorded", one.recorded},
                    {"own_s", one.own_s},
                    {"all_s", one.all_s},
                    {"calls_a_second", one.calls_a_second},
                    {"ranks", one.ranks},
                    {"thinned", one.thinned}});
  return {{"functions", std::move(list)},
          {"elapsed_s", totals.elapsed_s},
          {"ranks", totals.ranks},
          {"only_counted", totals.only_counted},
          {"worth_recording", totals.worth_recording}};
}

}  // namespace ww
