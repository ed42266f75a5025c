#include <algorithm>

#include "base/memory_values.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

// The most that any value of that name said on the rank; nothing where memory was not looked at over time.
std::optional<double> most_of(const Trace& trace, std::size_t rank, const char* name) {
  std::optional<double> most;
  for (const UserValue& value : trace.ranks[rank].user.values) {
    const ValueName& of = trace.user.values[value.name];
    if (of.name == name && of.unit == memory_values::unit)
      most = std::max(most.value_or(0), value.number(of));
  }
  return most;
}

nlohmann::json or_null_if_negative(double bytes) {
  return bytes >= 0 ? nlohmann::json(bytes) : nlohmann::json();
}

std::string shown(double bytes) {
  return bytes >= 0 ? show_bytes(bytes) : "";
}

Result<Answer> answer_memory(const Given& given) {
  const Trace& trace = given.trace;
  struct Row {
    std::size_t rank;
    RunRecord::Memory memory;
    std::optional<double> own, shared;
  };
  std::vector<Row> rows;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    Row row{r, {}, most_of(trace, r, memory_values::own), most_of(trace, r, memory_values::shared)};
    for (const RunRecord::Rank& rank : trace.run.ranks)
      if (rank.rank == static_cast<std::int64_t>(r)) row.memory = rank.memory;
    if (row.memory.peak_bytes >= 0 || row.own || row.shared) rows.push_back(row);
  }
  Answer answer;
  answer.json = {
      {"ranks", nlohmann::json::array()},
      {"rule",
       "peak: resident at most, with what the recorder added; its code, data and spools: of them resident at "
       "the end; spools_bytes: written; private and shared: the most that was seen by record --memory"}};
  for (const Row& row : rows)
    answer.json["ranks"].push_back(
        {{"rank", row.rank},
         {"peak_bytes", or_null_if_negative(row.memory.peak_bytes)},
         {"recorder_code_bytes", or_null_if_negative(row.memory.recorder_code_bytes)},
         {"recorder_data_bytes", or_null_if_negative(row.memory.recorder_data_bytes)},
         {"spools_resident_bytes", or_null_if_negative(row.memory.spools_resident_bytes)},
         {"spools_bytes", or_null_if_negative(row.memory.spools_bytes)},
         {"private_most_bytes", or_null(row.own)},
         {"shared_most_bytes", or_null(row.shared)}});
  if (rows.empty()) {
    answer.text =
        "what memory the ranks took is not known: whatwire record tells it, of runs that end by themselves\n";
    return answer;
  }
  const bool sampled =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.own.has_value(); });
  answer.text = "Memory: resident at most, of which the recorder added its code, data and records\n";
  std::vector<std::string> head{"rank", "peak", "recorder's code", "data", "records", "written"};
  if (sampled) head.insert(head.end(), {"private, most", "shared, most"});
  Table table(head, 1);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.memory.peak_bytes > b.memory.peak_bytes; });
  answer.text += limited(table, rows, "ranks", [&](const Row& row) {
    std::vector<std::string> cells{fmt::format("{}", row.rank),
                                   shown(row.memory.peak_bytes),
                                   shown(row.memory.recorder_code_bytes),
                                   shown(row.memory.recorder_data_bytes),
                                   shown(row.memory.spools_resident_bytes),
                                   shown(row.memory.spools_bytes)};
    if (sampled) cells.insert(cells.end(), {shown(row.own.value_or(-1)), shown(row.shared.value_or(-1))});
    table.add(cells);
  });
  answer.text +=
      sampled
          ? "over time: the values \"memory: private\" and \"memory: shared\" (--ask values, whatwire view)\n"
          : "over time: whatwire record --memory 10 -- ...\n";
  return answer;
}

}  // namespace

const Question memory_question = {
    .name = "memory",
    .key = "memory",
    .about = "how much memory each rank took, and what of it the recorder added",
    .answer = answer_memory,
    .always_whole = "it is that of the process, from its begin to its end"};

}  // namespace ww
