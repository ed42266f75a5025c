#include "analyze/one_sided.hpp"

#include <algorithm>
#include <span>

#include "analyze/questions.hpp"
#include "analyze/table.hpp"
#include "base/units.hpp"

namespace ww {
namespace {

void count(OneSidedTotal& total, const Transfer& transfer, double issue_s, bool begins) {
  total.issue_s += issue_s;
  if (!begins) return;
  if (transfer.kind == TransferKind::put)
    ++total.puts;
  else if (transfer.kind == TransferKind::get)
    ++total.gets;
  else
    ++total.atomics;
  total.bytes_out += transfer.bytes_out;
  total.bytes_in += transfer.bytes_in;
}

// Of what stands in the order of the calls, what belongs to some of these.
template <class T>
std::span<const T> of_calls(const Column<T>& all, const Part::Range& calls) {
  const auto at = [&](std::size_t call) {
    return std::lower_bound(all.begin(), all.end(), call,
                            [](const T& one, std::size_t number) { return one.call < number; });
  };
  return {at(calls.first), at(calls.last)};
}

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

}  // namespace

std::vector<WindowTotal> find_one_sided(const Part& part, const Breakdown& breakdown) {
  const Trace& trace = part.trace();
  std::vector<WindowTotal> windows(trace.one_sided.windows.size());
  for (std::size_t w = 0; w < windows.size(); ++w) windows[w].window = static_cast<std::uint32_t>(w);
  for (std::size_t r = 0; r < trace.one_sided.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    const RankTrace& rank = trace.ranks[r];
    const Part::Range calls = part.calls(r);
    const auto took = [&](std::uint32_t call) {
      return seconds_of(part.in_span(rank.enter_ns[call], rank.leave_ns[call]));
    };
    const auto is_taken = [&](std::uint32_t call, std::int32_t target) {
      return part.takes_name(rank, call) && (target < 0 || part.has_peer(target));
    };
    for (const Transfer& transfer : of_calls(trace.one_sided.ranks[r].transfers, calls)) {
      if (!is_taken(transfer.call, transfer.target)) continue;
      WindowTotal& window = windows[transfer.window];
      const bool begins = part.begins(rank, transfer.call);
      count(window, transfer, took(transfer.call), begins);
      count(window.targets[transfer.target], transfer, took(transfer.call), begins);
    }
    for (const WindowSync& sync : of_calls(trace.one_sided.ranks[r].syncs, calls)) {
      if (!is_taken(sync.call, sync.target)) continue;
      WindowTotal& window = windows[sync.window];
      const auto add = [&](OneSidedTotal& total) {
        if (part.begins(rank, sync.call)) ++total.syncs;
        total.sync_s += took(sync.call);
      };
      add(window);
      if (sync.target >= 0) add(window.targets[sync.target]);
      const Part::Blocked whole{breakdown.splits[r].algorithmic_ns[sync.call], 0};
      window.waited_s += seconds_of(part.blocked(rank, sync.call, whole).algorithmic_ns);
    }
  }
  return windows;
}

static Result<Answer> answer_one_sided(const Given& given) {
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

const Question one_sided_question = {
    "one-sided", "one_sided",
    "one-sided communication by window and target, and the time in synchronising it", answer_one_sided};

}  // namespace ww
