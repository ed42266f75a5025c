#include "trace/prase/prase_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "base/files.hpp"
#include "trace/prase/human_file.hpp"
#include "trace/prase/text_lines.hpp"

namespace ww::prase {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t looked_at_bytes = 256;

// Of a file name "nN_pP".
struct NamedProcess {
  std::int16_t node = 0, pid = 0;
};
std::optional<NamedProcess> process_named(std::string_view name) {
  NamedProcess out;
  const char* const end = name.data() + name.size();
  if (!name.starts_with('n')) return std::nullopt;
  const auto [behind_node, bad_node] = std::from_chars(name.data() + 1, end, out.node);
  if (bad_node != std::errc{} || !std::string_view(behind_node, end).starts_with("_p")) return std::nullopt;
  const auto [behind_pid, bad_pid] = std::from_chars(behind_node + 2, end, out.pid);
  if (bad_pid != std::errc{} || behind_pid != end) return std::nullopt;
  return out;
}

// Numbers of 16 and 32 bits are never without a byte that no text has.
bool is_text(std::string_view content) {
  const std::string_view begin = content.substr(0, looked_at_bytes);
  return std::all_of(begin.begin(), begin.end(), [](char one) {
    return (one >= ' ' && one <= '~') || one == '\n' || one == '\r' || one == '\t';
  });
}

enum class FileForm { none, binary, pv, human };
FileForm form_of(std::string_view content) {
  if (!is_text(content)) return record_of_binary(content) ? FileForm::binary : FileForm::none;
  const std::string_view line = first_line(content);
  if (record_of_text(line)) return FileForm::pv;
  return is_human_line(line) ? FileForm::human : FileForm::none;
}

void parse_binary(std::string_view content, const std::optional<NamedProcess>& only, PraseRun& run) {
  ByProcess records;
  std::uint64_t damaged = content.size() % record_bytes == 0 ? 0 : 1;
  for (; content.size() >= record_bytes; content.remove_prefix(record_bytes)) {
    auto record = record_of_binary(content);
    if (!record || (only && (record->node != only->node || record->pid != only->pid)))
      ++damaged;
    else
      records.add(*std::move(record));
  }
  run.processes = records.taken();
  if (damaged > 0) run.diagnostics.add("damaged-event-record", damaged);
}

Result<void> parse_pv(std::string_view content, const std::string& name, PraseRun& run) {
  ByProcess records;
  WW_CHECK(for_lines(content, name,
                     "TYPE NODE PID BEGIN END and seven numbers, or of a marked variable its value (S5's pv)",
                     [&](const std::string& line) {
                       auto record = record_of_text(line);
                       if (record) records.add(*std::move(record));
                       return record.has_value();
                     }));
  run.processes = records.taken();
  return {};
}

std::vector<fs::path> files_of(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    if (process_named(entry.path().filename().string()) && entry.is_regular_file(ignored))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty() && fs::is_regular_file(directory / human_name, ignored))
    files.push_back(directory / human_name);
  return files;
}

std::string beginning_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string begin(looked_at_bytes, '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return begin;
}

}  // namespace

void ByProcess::add(EventRecord record) {
  all_[{record.node, record.pid}].push_back(std::move(record));
}

std::vector<ProcessRecords> ByProcess::taken() {
  std::vector<ProcessRecords> processes;
  for (auto& [key, records] : all_) processes.push_back({key.first, key.second, std::move(records)});
  all_.clear();
  return processes;
}

Result<PraseRun> parse_prase_run(std::string_view content, const std::string& name) {
  PraseRun run;
  const FileForm form = form_of(content);
  if (form == FileForm::binary) parse_binary(content, process_named(fs::path(name).filename().string()), run);
  if (form == FileForm::pv) WW_CHECK(parse_pv(content, name, run));
  if (form == FileForm::human) {
    WW_TRY(const auto lines, parse_human(content, name));
    run = run_of_human(lines);
  }
  if (run.processes.empty())
    return fail("no event records of PRASE or Seecube", name,
                "name what PRASE collected (n0_p0, ...), what pv shows of it, or Seecube's human");
  return run;
}

bool holds_prase_records(const fs::path& given) {
  std::error_code ignored;
  if (fs::is_directory(given, ignored)) return !files_of(given).empty();
  if (!fs::is_regular_file(given, ignored)) return false;
  const std::string begin = beginning_of(given);
  return form_of(begin) != FileForm::none;
}

Result<PraseRun> read_prase_run(const fs::path& given) {
  std::error_code ignored;
  std::vector<fs::path> files{given};
  if (fs::is_directory(given, ignored)) files = files_of(given);
  if (files.empty())
    return fail("no files of PRASE there", given.string(),
                "its files are n0_p0, n1_p0, ...: whatwire export TRACE --to prase -o DIR");
  PraseRun run;
  ByProcess all;
  std::uint64_t empty = 0;
  for (const fs::path& file : files) {
    WW_TRY(const std::string content, read_file(file));
    // A process that was killed before its first dump leaves nothing.
    if (content.empty() && files.size() > 1) {
      ++empty;
      continue;
    }
    WW_TRY(PraseRun one, parse_prase_run(content, file.string()));
    if (files.size() == 1) return one;
    for (ProcessRecords& process : one.processes)
      for (EventRecord& record : process.records) all.add(std::move(record));
    run.diagnostics.merge(one.diagnostics);
  }
  if (empty > 0) run.diagnostics.add("empty-record-file", empty);
  run.processes = all.taken();
  if (run.processes.empty())
    return fail("no event records of PRASE or Seecube", given.string(), "its files are empty: record again");
  return run;
}

std::string file_name_of(const ProcessRecords& process) {
  return fmt::format("n{}_p{}", process.node, process.pid);
}

std::string binary_of(const ProcessRecords& process) {
  std::string out;
  out.reserve(record_bytes * process.records.size());
  for (const EventRecord& record : process.records) append_binary(record, out);
  return out;
}

std::string pv_text_of(const ProcessRecords& process) {
  std::string out;
  for (const EventRecord& record : process.records) out += to_text(record) + "\n";
  return out;
}

}  // namespace ww::prase
