#include <algorithm>

#include "analyze/waiting.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

Result<Answer> answer_waiting(const Given& given) {
  const Waiting found = find_waiting(given.part, given.breakdown, given.waits);
  Answer answer;
  nlohmann::json calls = nlohmann::json::object(), pairs = nlohmann::json::array();
  for (const auto& [name, call] : found.calls) {
    nlohmann::json histogram = nlohmann::json::array();
    for (const auto& [bin, sum] : call.blocked_ns.bins())
      histogram.push_back({{"from_s", static_cast<double>(Histogram::first_of(bin)) * 1e-9},
                           {"to_s", static_cast<double>(Histogram::last_of(bin)) * 1e-9},
                           {"calls", sum.count},
                           {"blocked_s", static_cast<double>(sum.sum) * 1e-9}});
    calls[name] = {{"calls", call.calls},
                   {"waited", call.waited},
                   {"time", to_json(call.time_s, "s")},
                   {"blocked", to_json(call.blocked_s, "s")},
                   {"blocked_algorithmic_s", call.algorithmic_s},
                   {"blocked_service_s", call.service_s},
                   {"histogram", std::move(histogram)}};
  }
  for (const WaitedFor& pair : found.pairs)
    pairs.push_back({{"rank", pair.rank},
                     {"waited_for", pair.waited_for},
                     {"calls", pair.calls},
                     {"blocked_algorithmic_s", pair.algorithmic_s}});
  answer.json = {{"calls", std::move(calls)}, {"waited_for", std::move(pairs)}};
  if (found.calls.empty()) {
    answer.text = "no call that could have waited\n";
    return answer;
  }
  std::vector<std::pair<std::string, const CallWaiting*>> rows;
  for (const auto& [name, call] : found.calls) rows.emplace_back(name, &call);
  const auto blocked_s = [&](const CallWaiting& call) {
    return given.part.is_whole() ? call.blocked_s.sum : call.algorithmic_s + call.service_s;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return blocked_s(*a.second) > blocked_s(*b.second); });
  Table table({"call", "calls", "waited", "blocked", "algorithm", "service", "median", "95%", "longest"}, 1);
  answer.text =
      "How long calls that can wait were blocked\n" + limited(table, rows, "calls", [&](const auto& entry) {
        const CallWaiting& call = *entry.second;
        table.add({shortened(entry.first, 24), fmt::format("{}", call.calls), fmt::format("{}", call.waited),
                   show_time(blocked_s(call)), show_time(call.algorithmic_s), show_time(call.service_s),
                   show_time(call.blocked_s.median), show_time(call.blocked_s.p95),
                   show_time(call.blocked_s.most)});
      });
  if (found.pairs.empty()) return answer;
  std::vector<WaitedFor> longest = found.pairs;
  std::stable_sort(longest.begin(), longest.end(),
                   [](const WaitedFor& a, const WaitedFor& b) { return a.algorithmic_s > b.algorithmic_s; });
  Table who({"rank", "waited for", "calls", "algorithm"}, 0);
  answer.text +=
      "\nWho waited for whom to begin\n" + limited(who, longest, "pairs", [&](const WaitedFor& pair) {
        who.add({fmt::format("{}", pair.rank), fmt::format("{}", pair.waited_for),
                 fmt::format("{}", pair.calls), show_time(pair.algorithmic_s)});
      });
  return answer;
}

}  // namespace

const Question waiting_question = {"waits", "waits", "how long calls waited, by call, and for whom",
                                   answer_waiting};

}  // namespace ww
