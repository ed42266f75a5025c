// PRASE's and Seecube's files, damaged at random (fuzz_rounds.hpp) and read, converted and imported: an error, or something that holds together.
#include <algorithm>
#include <bit>
#include <cmath>

#include "trace/fuzz_rounds.hpp"
#include "trace/prase/convert.hpp"
#include "trace/prase/human_file.hpp"
#include "trace/prase/prase_fixture.hpp"
#include "trace/prase/trace_of_prase.hpp"

namespace ww::prase {
namespace {

using fuzz::Files;

void check_error(const Error& error) {
  WW_INVARIANT(!error.what.empty() && !error.remedy.empty());
}

// Each end names the other, a send a receipt, and both have the same type.
void check_correlation(const PraseRun& run, const Correlation& correlation) {
  std::uint64_t ends = 0, messages = 0;
  for (std::uint32_t p = 0; p < run.processes.size(); ++p)
    for (std::uint32_t r = 0; r < run.processes[p].records.size(); ++r) {
      const EventRecord& record = run.processes[p].records[r];
      if (is_send(record.type) || is_receipt(record.type)) ++ends;
      const RecordRef& other = correlation.of(p, r);
      if (!other.is_there()) continue;
      ++messages;
      const EventRecord& there = run.processes[other.process].records[other.record];
      WW_INVARIANT((correlation.of(other.process, other.record) == RecordRef{p, r}));
      WW_INVARIANT(is_send(record.type) ? is_receipt(there.type) : is_send(there.type));
      WW_INVARIANT(record.message_type == there.message_type && record.other_node == there.node &&
                   record.other_pid == there.pid);
    }
  WW_INVARIANT(messages == 2 * correlation.messages);
  WW_INVARIANT(ends == messages + correlation.sends_alone + correlation.receipts_alone);
}

bool is_no_number(const EventRecord& record) {
  return (record.type == RecordType::mdble && std::isnan(std::bit_cast<double>(record.bits))) ||
         (record.type == RecordType::mflot &&
          std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(record.bits))));
}

// What is read is the same again from each form that holds all of it.
void check_forms(const PraseRun& run) {
  for (const ProcessRecords& process : run.processes) {
    const auto binary = parse_prase_run(binary_of(process), "records");
    WW_INVARIANT(binary && binary->processes == std::vector{process});
    if (std::none_of(process.records.begin(), process.records.end(), is_no_number)) {
      const auto pv = parse_prase_run(pv_text_of(process), "records");
      WW_INVARIANT(pv && pv->processes == std::vector{process});
    }
  }
  const auto converted = convert(run, "seecube");
  if (!converted) return check_error(converted.error());
  const std::string& human = converted->files.front().content;
  if (human.empty()) return;
  const auto lines = parse_human(human, "human");
  WW_INVARIANT(lines.has_value());
  WW_INVARIANT(correlate(run_of_human(*lines).processes).messages == converted->correlation.messages);
}

bool reads(const Files& files) {
  const spool::TestDir dir;
  for (const auto& [name, content] : files) spool::write_bytes(dir.path() / name, content);
  holds_prase_records(dir.path());
  const auto run = read_prase_run(dir.path());
  if (!run) {
    check_error(run.error());
    return false;
  }
  check_correlation(*run, correlate(run->processes));
  check_forms(*run);
  const auto made = trace_of(*run);
  if (!made) {
    check_error(made.error());
    return true;
  }
  const spool::TestDir archive;
  WW_INVARIANT(write_imported(*made, "damaged", archive.path()));
  const auto trace = load_trace(archive.path(), {1, Loading::Keep::memory});
  WW_INVARIANT(trace.has_value());
  fuzz::check(*trace);
  // Every message of the archive is one of the correlation's.
  WW_INVARIANT(trace->messages.size() <= made->messages);
  return true;
}

PraseRun many_kinds() {
  std::string pv =
      "init 1 0 0 40 0 0 0 0 0 0 -1\nopen 1 0 41 42 170 0 0 0 0 0 -1\nmdble 1 0 43 43 0.25\nmchar 1 0 44 44 "
      "half\n"
      "mint 1 0 45 45 7\nprobe 1 0 46 46 170 100 0 0 0 0 -1\n";
  pv += node_1_of_g;
  pv +=
      "wraps 1 0 620 625 170 100 1024 1 7 0 -1\nsend 1 0 620 625 170 100 1024 1 7 0 -1\nend 1 0 700 700 0 0 "
      "0 0 0 0 -1\n";
  pv += node_7_of_g;
  pv +=
      "grled 7 0 630 635 0 1 0 0 0 0 -1\nwrapr 7 0 620 640 170 100 1024 1 1 0 -1\nrecv 7 0 620 640 320 100 "
      "1024 1 1 0 -1\n";
  return run_of_text(pv + node_12_of_g);
}

Files files_in(const char* form) {
  Files files;
  const auto converted = convert(many_kinds(), form);
  WW_INVARIANT(converted.has_value());
  for (const ConvertedFile& file : converted->files) files[file.name] = file.content;
  return files;
}

TEST(Fuzz, DamagedRecordsOfPrase) {
  fuzz::fuzz_from(files_in("prase"), 0.5, 0.005, reads);
}

TEST(Fuzz, DamagedTextOfPv) {
  fuzz::fuzz_from(files_in("prase-pv"), 0.02, 0.2, reads);
}

TEST(Fuzz, DamagedLinesOfSeecube) {
  fuzz::fuzz_from(files_in("seecube"), 0.02, 0.2, reads);
}

}  // namespace
}  // namespace ww::prase
