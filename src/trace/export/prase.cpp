// The event records of PRASE (Kahl 1988, S5), binary and as its `pv` shows them, a file a rank (n0_p0, ...), and Seecube's `human` of the same. What of a trace
// they hold: prase/prase_of_trace.hpp.
#include <algorithm>

#include "trace/export/formats.hpp"
#include "trace/prase/correlate.hpp"
#include "trace/prase/human_file.hpp"
#include "trace/prase/prase_of_trace.hpp"

namespace ww::exporting {
namespace {

bool has_records(const Trace& trace) {
  return std::any_of(trace.ranks.begin(), trace.ranks.end(), [](const RankTrace& rank) {
    return !rank.user.values.empty() || !rank.user.markers.empty() ||
           std::any_of(rank.kind.begin(), rank.kind.end(),
                       [](ActionKind kind) { return is_send(kind) || is_receipt(kind); });
  });
}

prase::PraseRun records_of(const Trace& trace) {
  // That the format holds the trace was asked before (`lacks`).
  return has_records(trace) ? prase::prase_of(trace).value_or(prase::PraseRun()) : prase::PraseRun();
}

std::vector<ExportFile> files_as(const Trace& trace,
                                 std::string (*content_of)(const prase::ProcessRecords&)) {
  std::vector<ExportFile> files;
  for (const prase::ProcessRecords& process : records_of(trace).processes)
    files.push_back({prase::file_name_of(process), content_of(process)});
  return files;
}
std::vector<ExportFile> binary_files(const Trace& trace) {
  return files_as(trace, prase::binary_of);
}
std::vector<ExportFile> pv_files(const Trace& trace) {
  return files_as(trace, prase::pv_text_of);
}

Result<Diagnostics> lacks(const Trace& trace) {
  WW_TRY(const prase::PraseRun run, prase::prase_of(trace));
  return run.diagnostics;
}

Result<std::vector<prase::HumanLine>> human_lines_of(const prase::PraseRun& run) {
  return prase::human_of(run.processes, prase::correlate(run.processes));
}

std::vector<ExportFile> human_files(const Trace& trace) {
  const auto lines = human_lines_of(records_of(trace));
  if (!lines || lines->empty()) return {};
  return {{prase::human_name, prase::human_text_of(*lines)}};
}

Result<Diagnostics> human_lacks(const Trace& trace) {
  WW_TRY(prase::PraseRun run, prase::prase_of(trace));
  WW_TRY(const auto lines, human_lines_of(run));
  if (const std::uint64_t count = prase::instantaneous(lines); count > 0)
    run.diagnostics.add("instantaneous-event", count);
  return run.diagnostics;
}

constexpr const char* records_are_of = "messages between two ranks, values or markers";
constexpr ExportDirectory binary_directory{&prase::prase_kind, binary_files};
constexpr ExportDirectory pv_directory{&prase::prase_kind, pv_files};
constexpr ExportDirectory human_directory{&prase::seecube_kind, human_files};

}  // namespace

const ExportFormat prase_format{
    "prase",
    "a directory: of each rank the 32-byte event records of PRASE (Kahl 1988), as its collector "
    "wrote them",
    nullptr,
    records_are_of,
    has_records,
    &binary_directory,
    lacks};
const ExportFormat prase_pv_format{"prase-pv",  "a directory: the same as the text that PRASE's pv shows",
                                   nullptr,     records_are_of,
                                   has_records, &pv_directory,
                                   lacks};
const ExportFormat seecube_format{
    "seecube",
    "a directory with the file human, 14 fields a line, which Seecube's Resolver takes (Kahl "
    "1988, Appendix E)",
    nullptr,
    records_are_of,
    has_records,
    &human_directory,
    human_lacks};

}  // namespace ww::exporting
