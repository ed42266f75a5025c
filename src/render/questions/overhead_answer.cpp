#include <algorithm>

#include "analyze/library_time.hpp"
#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

struct Row {
  std::size_t rank;
  LibraryTime of;
};

Result<Answer> answer_overhead(const Given& given) {
  const Trace& trace = given.trace;
  const auto found = find_library_times(given.part, given.breakdown);
  Answer answer;
  answer.json = {
      {"ranks", nlohmann::json::array()},
      {"rule",
       "library_s: in calls of the message library and not waiting for others, each call's own without "
       "those inside of it, from MPI_Init to MPI_Finalize"}};
  std::vector<Row> rows;
  double all_s = 0, elapsed_s = 0;
  for (std::size_t r = 0; r < found.size(); ++r) {
    if (!given.part.has_rank(r)) continue;
    nlohmann::json calls = nlohmann::json::array();
    double library_s = 0;
    for (const LibraryTime& one : found[r]) {
      const double own_s = std::max(0.0, one.library_s());
      calls.push_back({{"call", trace.regions[one.region]},
                       {"count", one.total.count},
                       {"library_s", own_s},
                       {"blocked_s", std::max(0.0, one.total.blocked_s)}});
      library_s += own_s;
      if (own_s > 0) rows.push_back({r, one});
    }
    all_s += library_s;
    elapsed_s += given.breakdown.ranks[r].elapsed_s;
    answer.json["ranks"].push_back({{"rank", r},
                                    {"library_s", library_s},
                                    {"elapsed_s", given.breakdown.ranks[r].elapsed_s},
                                    {"calls", std::move(calls)}});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.of.library_s() > b.of.library_s(); });
  answer.text = fmt::format("The message library itself, without waiting: {}, {} of the ranks' time\n",
                            show_time(all_s), percent(all_s, elapsed_s));
  Table table({"rank", "call", "calls", "library", "a call", "of its time", "waiting"}, 2);
  answer.text += limited(table, rows, "calls by rank", [&](const Row& row) {
    const double own_s = row.of.library_s();
    table.add({fmt::format("{}", row.rank), shortened(trace.regions[row.of.region], 28),
               fmt::format("{}", row.of.total.count), show_time(own_s),
               show_time(own_s / static_cast<double>(std::max<std::uint64_t>(row.of.total.count, 1))),
               percent(own_s, given.breakdown.ranks[row.rank].elapsed_s),
               show_time(std::max(0.0, row.of.total.blocked_s))});
  });
  return answer;
}

}  // namespace

const Question overhead_question = {
    "overhead", "overhead", "what the message library itself takes, by rank and function", answer_overhead};

}  // namespace ww
