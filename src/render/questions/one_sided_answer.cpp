#include "analyze/one_sided_totals.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

nlohmann::json to_json(const OneSidedTotal& total) {
  return {{"puts", total.puts},
          {"gets", total.gets},
          {"atomics", total.atomics},
          {"bytes_out", total.bytes_out},
          {"bytes_in", total.bytes_in},
          {"issue_s", total.issue_s},
          {"synchronisations", total.syncs},
          {"synchronisation_s", total.sync_s}};
}

Result<Answer> answer_one_sided(const Given& given) {
  const std::vector<WindowTotal> windows = find_one_sided(given.part, given.breakdown);
  Answer answer;
  answer.json = {{"windows", nlohmann::json::array()},
                 {"rule",
                  "waited_s: until the last member had entered a fence, or made or freed the window; whether "
                  "locks, flushes "
                  "and epochs among groups waited for another rank the trace does not say"}};
  struct Row {
    const WindowTotal* window;
    std::int32_t target;  // -1: all
    const OneSidedTotal* total;
  };
  std::vector<Row> rows;
  for (const WindowTotal& window : windows) {
    nlohmann::json json = to_json(window);
    json["window"] = window.window;
    json["name"] = given.trace.one_sided.windows[window.window].name;
    json["waited_s"] = window.waited_s;
    json["targets"] = nlohmann::json::array();
    rows.push_back({&window, -1, &window});
    for (const auto& [target, total] : window.targets) {
      nlohmann::json one = to_json(total);
      one["target"] = target;
      json["targets"].push_back(std::move(one));
      rows.push_back({&window, target, &total});
    }
    answer.json["windows"].push_back(std::move(json));
  }
  if (windows.empty()) {
    answer.text = "the trace has no one-sided communication\n";
    return answer;
  }
  Table table({"window", "target", "puts", "gets", "atomics", "out", "in", "syncs", "in syncs", "waited"}, 1);
  answer.text =
      "One-sided, by window and target\n" + limited(table, rows, "rows", [&](const Row& row) {
        const bool whole = row.target < 0;
        const std::string& name = given.trace.one_sided.windows[row.window->window].name;
        table.add({whole ? shortened(fmt::format("{} {}", row.window->window, name), 24) : "",
                   whole ? "all" : fmt::format("{}", row.target), fmt::format("{}", row.total->puts),
                   fmt::format("{}", row.total->gets), fmt::format("{}", row.total->atomics),
                   show_bytes(static_cast<double>(row.total->bytes_out)),
                   show_bytes(static_cast<double>(row.total->bytes_in)), fmt::format("{}", row.total->syncs),
                   show_time(row.total->sync_s), whole ? show_time(row.window->waited_s) : ""});
      });
  return answer;
}

}  // namespace

const Question one_sided_question = {
    "one-sided", "one_sided",
    "one-sided communication by window and target, and the time in synchronising it", answer_one_sided};

}  // namespace ww
