#include <algorithm>

#include "analyze/critical_path.hpp"
#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

constexpr std::size_t most_parts_in_json = 10000;

Result<Answer> answer_critical_path(const Given& given) {
  const CriticalPath path = find_critical_path(given.part, given.waits);
  Answer answer;
  nlohmann::json ranks = nlohmann::json::array(), calls = nlohmann::json::object(), parts = ranks;
  for (const auto& [rank, on] : path.ranks)
    ranks.push_back(
        {{"rank", rank}, {"compute_s", on.compute_s}, {"calls_s", on.calls_s}, {"visits", on.visits}});
  for (const auto& [name, s] : path.calls_s)
    calls[name] = {{"time_s", s}, {"share", share(s, path.length_s) / 100}};
  const std::int64_t begin = given.trace.begin_ns();
  for (std::size_t i = 0; i < std::min(path.parts.size(), most_parts_in_json); ++i) {
    const PathPart& part = path.parts[i];
    parts.push_back({{"rank", part.rank},
                     {"what", part.call == none ? "computation" : call_name(given.trace, part)},
                     {"from_s", seconds_of(part.from_ns - begin)},
                     {"to_s", seconds_of(part.to_ns - begin)}});
  }
  answer.json = {{"length_s", path.length_s},
                 {"compute_s", path.compute_s},
                 {"compute_share", share(path.compute_s, path.length_s) / 100},
                 {"calls", std::move(calls)},
                 {"ranks", std::move(ranks)},
                 {"parts", std::move(parts)},
                 {"parts_omitted", path.parts.size() - std::min(path.parts.size(), most_parts_in_json)},
                 {"rule",
                  "back from the rank that ends last; where a call had to wait for another rank to begin, on "
                  "to that rank at that instant"}};
  answer.text = fmt::format("Critical path {}: computation {:.1f}%, in calls {:.1f}%; {} on {}\n",
                            show_time(path.length_s), share(path.compute_s, path.length_s),
                            share(path.length_s - path.compute_s, path.length_s),
                            counted(path.parts.size(), "part"), counted(path.ranks.size(), "rank"));
  std::vector<std::pair<std::string, double>> what{{"computation", path.compute_s}};
  what.insert(what.end(), path.calls_s.begin(), path.calls_s.end());
  std::stable_sort(what.begin(), what.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  Table by_call({"on the path", "time", "share"}, 1);
  answer.text += limited(by_call, what, "calls", [&](const auto& entry) {
    by_call.add({shortened(entry.first, 32), show_time(entry.second), percent(entry.second, path.length_s)});
  });
  std::vector<std::pair<std::int32_t, RankOnPath>> on(path.ranks.begin(), path.ranks.end());
  std::stable_sort(on.begin(), on.end(), [](const auto& a, const auto& b) {
    return a.second.compute_s + a.second.calls_s > b.second.compute_s + b.second.calls_s;
  });
  Table by_rank({"rank", "computation", "in calls", "share", "visits"}, 1);
  answer.text +=
      "\n" + limited(by_rank, on, "ranks", [&](const auto& entry) {
        const RankOnPath& rank = entry.second;
        by_rank.add({fmt::format("{}", entry.first), show_time(rank.compute_s), show_time(rank.calls_s),
                     percent(rank.compute_s + rank.calls_s, path.length_s), fmt::format("{}", rank.visits)});
      });
  return answer;
}

}  // namespace

const Question critical_path_question = {"critical-path", "critical_path",
                                         "the chain of ranks and calls that the run's length comes from",
                                         answer_critical_path};

}  // namespace ww
