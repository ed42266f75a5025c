#include "trace/prase/human_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "trace/prase/record_times.hpp"
#include "trace/prase/text_lines.hpp"

namespace ww::prase {
namespace {

constexpr std::size_t human_fields = 14;
constexpr std::int64_t most_events = std::int64_t{1} << 31;
constexpr std::int64_t most_ms = std::int64_t{1} << 42;  // 139 years

template <class T>
bool take_field(std::string_view word, T least, T most, T& out) {
  const char* const end = word.data() + word.size();
  const auto [stop, problem] = std::from_chars(word.data(), end, out);
  return problem == std::errc{} && stop == end && out >= least && out <= most;
}
bool take_short(std::string_view word, std::int16_t& out) {
  return take_field<std::int16_t>(word, -32768, 32767, out);
}
bool take_number(std::string_view word, std::int64_t& out) {
  return take_field<std::int64_t>(word, 0, most_events, out);
}

std::optional<HumanLine> human_line(std::string_view text) {
  const auto words = split_words(text);
  if (words.size() != human_fields || words[5].size() != 2) return std::nullopt;
  HumanLine line;
  line.opcode = words[5];
  const bool good = take_short(words[0], line.node) && take_short(words[1], line.pid) &&
                    take_number(words[2], line.event) && take_number(words[3], line.companion) &&
                    take_field(words[4], -most_ms, most_ms, line.time_ms) &&
                    take_short(words[6], line.channel) && take_short(words[7], line.message_type) &&
                    take_short(words[8], line.bytes) && take_short(words[9], line.other_node) &&
                    take_short(words[10], line.other_pid) && take_number(words[11], line.other_event) &&
                    take_number(words[12], line.other_companion) &&
                    (words[13] == "x" || take_short(words[13], line.marker));
  return good ? std::optional(std::move(line)) : std::nullopt;
}

// An event of a process before it has its number.
struct Event {
  std::uint32_t record;
  bool is_end;
  std::int64_t at_ms;
};

bool is_single(RecordType type) {
  return type == RecordType::open || type == RecordType::close;
}

// The numbers that a record's events have at their process.
struct EventNumbers {
  std::int64_t begin = 0, end = 0;
};

struct NumberedProcess {
  std::vector<Event> events;  // by number
  std::vector<EventNumbers> numbers;
  std::vector<RecordTimes> times;  // by record
};

NumberedProcess numbered(const ProcessRecords& process) {
  NumberedProcess out;
  out.numbers.resize(process.records.size());
  UnwrappedTimes times;
  for (std::uint32_t r = 0; r < process.records.size(); ++r) {
    const EventRecord& record = process.records[r];
    const RecordTimes at = out.times.emplace_back(times.of(record));
    if (is_single(record.type)) out.events.push_back({r, false, at.begin_ms});
    if (!is_send(record.type) && !is_receipt(record.type)) continue;
    out.events.push_back({r, false, at.begin_ms});
    out.events.push_back({r, true, std::max(at.begin_ms, at.end_ms)});
  }
  std::stable_sort(out.events.begin(), out.events.end(),
                   [](const Event& a, const Event& b) { return a.at_ms < b.at_ms; });
  for (std::size_t e = 0; e < out.events.size(); ++e) {
    EventNumbers& numbers = out.numbers[out.events[e].record];
    if (!out.events[e].is_end) numbers.begin = static_cast<std::int64_t>(e);
    numbers.end = static_cast<std::int64_t>(e);
  }
  return out;
}

const char* opcode_of(RecordType type, bool is_end) {
  if (type == RecordType::open) return "co";
  if (type == RecordType::close) return "cc";
  if (is_send(type)) return is_end ? "we" : "wb";
  return is_end ? "re" : "rb";
}

// What a process has in the lines, by number; of several with one number the first.
using NumberedLines = std::map<std::int64_t, const HumanLine*>;
using LinesByProcess = std::map<std::pair<std::int16_t, std::int16_t>, NumberedLines>;

const HumanLine* line_numbered(const NumberedLines& lines, std::int64_t number) {
  const auto found = lines.find(number);
  return found == lines.end() ? nullptr : found->second;
}

// Of an end the line of its begin, of an opened or closed channel itself; nullptr: it is neither, or its begin is not there.
const HumanLine* begin_of(const NumberedLines& lines, const HumanLine& end) {
  if (end.opcode == "co" || end.opcode == "cc") return &end;
  if (end.opcode != "we" && end.opcode != "re") return nullptr;
  const HumanLine* const begin = line_numbered(lines, end.companion);
  const bool pair = begin != nullptr && begin->companion == end.event &&
                    begin->opcode == (end.opcode == "we" ? "wb" : "rb");
  return pair ? begin : nullptr;
}
bool is_begin_of_pair(const NumberedLines& lines, const HumanLine& begin) {
  const HumanLine* const end = line_numbered(lines, begin.companion);
  return end != nullptr && end != &begin && begin_of(lines, *end) == &begin;
}

// The line of the other end's event that a send's or receipt's begin names: of a send the receipt's begin, and the reverse; nullptr unless both name each other.
const HumanLine* other_begin(const LinesByProcess& all, const HumanLine& begin) {
  if (begin.other_event == begin.other_companion) return nullptr;
  const auto there = all.find({begin.other_node, begin.other_pid});
  if (there == all.end()) return nullptr;
  const bool sent = begin.opcode == "wb";
  const HumanLine* const other =
      line_numbered(there->second, sent ? begin.other_companion : begin.other_event);
  const bool mutual = other != nullptr && other->opcode == (sent ? "rb" : "wb") &&
                      other->companion == (sent ? begin.other_event : begin.other_companion) &&
                      other->other_node == begin.node && other->other_pid == begin.pid &&
                      other->message_type == begin.message_type &&
                      (sent ? other->other_event : other->other_companion) == begin.event &&
                      (sent ? other->other_companion : other->other_event) == begin.companion;
  return mutual ? other : nullptr;
}

EventRecord record_of_lines(const HumanLine& begin, const HumanLine& end) {
  EventRecord record;
  record.type = begin.opcode == "wb"   ? RecordType::sendw
                : begin.opcode == "rb" ? RecordType::recvw
                : begin.opcode == "co" ? RecordType::open
                                       : RecordType::close;
  record.node = begin.node, record.pid = begin.pid;
  record.begin_ms = wrapped_ms(begin.time_ms), record.end_ms = wrapped_ms(end.time_ms);
  record.channel = begin.channel, record.message_type = begin.message_type, record.bytes = begin.bytes;
  record.other_node = begin.other_node, record.other_pid = begin.other_pid, record.marker = begin.marker;
  return record;
}

// The messages of the lines, each with its number among those of its processes and type, by its send's begin.
std::map<const HumanLine*, std::uint64_t> numbered_messages(const LinesByProcess& all) {
  std::map<const HumanLine*, std::uint64_t> out;
  std::map<std::array<std::int16_t, 5>, std::uint64_t> counts;
  for (const auto& [process, lines] : all)
    for (const auto& [number, line] : lines)
      if (line->opcode == "wb" && other_begin(all, *line) != nullptr)
        out[line] = ++counts[{line->node, line->pid, line->other_node, line->other_pid, line->message_type}];
  return out;
}

}  // namespace

std::string to_text(const HumanLine& line) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}", line.node, line.pid, line.event,
                     line.companion, line.time_ms, line.opcode, line.channel, line.message_type, line.bytes,
                     line.other_node, line.other_pid, line.other_event, line.other_companion,
                     line.marker == -1 ? std::string("x") : fmt::format("{}", line.marker));
}

bool is_human_line(std::string_view line) {
  return human_line(line).has_value();
}

Result<std::vector<HumanLine>> parse_human(std::string_view text, const std::string& name) {
  std::vector<HumanLine> lines;
  WW_CHECK(for_lines(text, name, "Seecube's 14 fields: NODE PID EVENT COMPANION MS OPCODE and eight more",
                     [&](const std::string& one) {
                       auto line = human_line(one);
                       if (line) lines.push_back(*std::move(line));
                       return line.has_value();
                     }));
  return lines;
}

Result<std::vector<HumanLine>> human_of(const std::vector<ProcessRecords>& processes,
                                        const Correlation& correlation) {
  std::vector<NumberedProcess> all;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    if (p > 0 && processes[p].node == processes[p - 1].node)
      return fail(
          "several processes of one node",
          fmt::format("node {}: pids {} and {}", processes[p].node, processes[p - 1].pid, processes[p].pid),
          "Seecube has one process a node; choose prase-pv, or leave files out");
    all.push_back(numbered(processes[p]));
  }
  std::vector<HumanLine> lines;
  for (std::size_t p = 0; p < processes.size(); ++p)
    for (const Event& event : all[p].events) {
      const EventRecord& record = processes[p].records[event.record];
      const EventNumbers& own = all[p].numbers[event.record];
      HumanLine line;
      line.node = record.node, line.pid = record.pid;
      line.event = event.is_end ? own.end : own.begin;
      line.companion = event.is_end ? own.begin : own.end;
      line.time_ms = event.is_end ? all[p].times[event.record].end_ms : all[p].times[event.record].begin_ms;
      line.opcode = opcode_of(record.type, event.is_end);
      line.channel = record.channel, line.message_type = record.message_type, line.bytes = record.bytes;
      line.other_node = record.other_node, line.other_pid = record.other_pid, line.marker = record.marker;
      if (const RecordRef& other = correlation.of(p, event.record); other.is_there()) {
        const EventNumbers& there = all[other.process].numbers[other.record];
        line.other_event = is_send(record.type) ? there.end : there.begin;
        line.other_companion = is_send(record.type) ? there.begin : there.end;
      }
      lines.push_back(std::move(line));
    }
  return lines;
}

std::string human_text_of(const std::vector<HumanLine>& lines) {
  std::string text;
  for (const HumanLine& line : lines) text += to_text(line) + "\n";
  return text;
}

std::uint64_t instantaneous(const std::vector<HumanLine>& lines) {
  LinesByProcess all;
  for (const HumanLine& line : lines) all[{line.node, line.pid}].try_emplace(line.event, &line);
  std::uint64_t count = 0;
  for (const HumanLine& line : lines) {
    if (line.opcode != "wb" && line.opcode != "rb") continue;
    const HumanLine* const end = line_numbered(all[{line.node, line.pid}], line.companion);
    if (end != nullptr && end->time_ms <= line.time_ms) ++count;
  }
  return count;
}

PraseRun run_of_human(const std::vector<HumanLine>& lines) {
  PraseRun run;
  LinesByProcess all;
  std::uint64_t damaged = 0, fallen_back = 0;
  for (const HumanLine& line : lines)
    if (!all[{line.node, line.pid}].try_emplace(line.event, &line).second) ++damaged;
  const auto messages = numbered_messages(all);
  for (const auto& [process, numbered_lines] : all) {
    ProcessRecords& out = run.processes.emplace_back(ProcessRecords{process.first, process.second, {}});
    Counting counting;
    for (const auto& [number, end] : numbered_lines) {
      if (is_begin_of_pair(numbered_lines, *end)) continue;  // taken with its end
      const HumanLine* const begin = begin_of(numbered_lines, *end);
      if (begin == nullptr) {
        ++damaged;
        continue;
      }
      EventRecord record = record_of_lines(*begin, *end);
      const HumanLine* const other = begin == end ? nullptr : other_begin(all, *begin);
      if (other == nullptr)
        out.records.push_back(record);
      else
        counting.add(record, messages.at(is_send(record.type) ? begin : other), out.records);
    }
    fallen_back += counting.fallen_back();
  }
  std::erase_if(run.processes, [](const ProcessRecords& one) { return one.records.empty(); });
  if (damaged > 0) run.diagnostics.add("damaged-event-record", damaged);
  if (fallen_back > 0) run.diagnostics.add("count-not-kept", fallen_back);
  return run;
}

}  // namespace ww::prase
