#include <algorithm>

#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

// What of a rank began in the part; messages and bytes as it sent them, with what collectives carry.
struct Work {
  std::uint64_t calls = 0, messages = 0, bytes = 0, regions = 0;
};

nlohmann::json to_json(const Work& work, double elapsed_s) {
  const auto each_s = [&](std::uint64_t count) {
    return elapsed_s > 0 ? nlohmann::json(static_cast<double>(count) / elapsed_s) : nlohmann::json();
  };
  return {{"calls", work.calls},
          {"messages", work.messages},
          {"bytes", work.bytes},
          {"regions", work.regions},
          {"calls_a_second", each_s(work.calls)},
          {"messages_a_second", each_s(work.messages)},
          {"bytes_a_second", each_s(work.bytes)},
          {"regions_a_second", each_s(work.regions)}};
}

Result<Answer> answer_throughput(const Given& given) {
  const double elapsed_s = given.part.elapsed_s();
  std::vector<std::pair<std::int32_t, Work>> ranks;
  Work all;
  for (const RankBreakdown& rank : given.breakdown.ranks) {
    const auto number = static_cast<std::size_t>(rank.rank);
    const RankTrace& trace = given.trace.ranks[number];
    Work work{0, rank.messages_sent, rank.bytes_sent + rank.collective_bytes_sent, 0};
    const Part::Range range = given.part.calls(number);
    for (std::size_t call = range.first; call < range.last; ++call)
      if (given.part.counts(trace, call)) ++work.calls;
    for (const UserRegion& region : trace.user.regions)
      if (given.part.has_instant(region.enter_ns)) ++work.regions;
    all.calls += work.calls, all.messages += work.messages;
    all.bytes += work.bytes, all.regions += work.regions;
    ranks.emplace_back(rank.rank, work);
  }
  Answer answer;
  answer.json = to_json(all, elapsed_s);
  answer.json["elapsed_s"] = elapsed_s;
  answer.json["ranks"] = nlohmann::json::array();
  for (const auto& [rank, work] : ranks) {
    nlohmann::json json = to_json(work, elapsed_s);
    json["rank"] = rank;
    answer.json["ranks"].push_back(std::move(json));
  }
  const auto each_s = [&](std::uint64_t count) {
    return elapsed_s > 0 ? fmt::format("{:.4g}", static_cast<double>(count) / elapsed_s) : "";
  };
  Table table({"rank", "calls a second", "messages", "bytes", "regions"}, 1);
  const auto add = [&](const std::string& name, const Work& work) {
    table.add({name, each_s(work.calls), each_s(work.messages),
               elapsed_s > 0 ? show_rate(static_cast<double>(work.bytes) / elapsed_s) : "",
               each_s(work.regions)});
  };
  add("all", all);
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  answer.text =
      fmt::format("What was done a second, in {}; bytes with those that collectives carry\n",
                  show_time(elapsed_s)) +
      limited(table, ranks, "ranks", [&](const auto& one) { add(fmt::format("{}", one.first), one.second); });
  return answer;
}

}  // namespace

const Question throughput_question = {"throughput", "throughput",
                                      "calls, messages, bytes and regions a second, of each rank and of all",
                                      answer_throughput};

}  // namespace ww
