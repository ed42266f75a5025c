#include "trace/export/export.hpp"

#include <algorithm>

#include "trace/export/formats.hpp"

namespace ww {
namespace {

bool has_messages(const Trace& trace) {
  return !trace.messages.empty();
}

bool has_user_events(const Trace& trace) {
  return std::any_of(trace.ranks.begin(), trace.ranks.end(), [](const RankTrace& rank) {
    return !rank.user.regions.empty() || !rank.user.values.empty() || !rank.user.markers.empty();
  });
}

bool has_transfers(const Trace& trace) {
  const auto& ranks = trace.one_sided.ranks;
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankOneSided& rank) { return !rank.transfers.empty(); });
}

bool has_file_operations(const Trace& trace) {
  const auto& ranks = trace.file_io.ranks;
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankFileIo& rank) { return !rank.operations.empty(); });
}

constexpr ExportFormat all[] = {
    {"chrome", "trace events in JSON: ui.perfetto.dev, chrome://tracing", exporting::write_chrome},
    {"paje", "states and links of Paje: ViTE, pj_dump, R", exporting::write_paje},
    {"csv", "a line a call", exporting::write_csv_calls},
    {"csv-messages", "a line a message", exporting::write_csv_messages, "messages", has_messages},
    {"csv-user", "a line a region, value or marker of the program", exporting::write_csv_user,
     "regions, values or markers (whatwire/marker.h)", has_user_events},
    {"csv-one-sided", "a line a one-sided transfer", exporting::write_csv_one_sided, "one-sided transfers",
     has_transfers},
    {"csv-files", "a line a reading or writing of a file", exporting::write_csv_files,
     "file operations through MPI", has_file_operations},
};

}  // namespace

std::span<const ExportFormat> export_formats() {
  return all;
}

const ExportFormat* export_format_named(const std::string& name) {
  for (const ExportFormat& format : all)
    if (name == format.name) return &format;
  return nullptr;
}

Result<std::vector<std::string>> export_trace(const Trace& trace, const ExportFormat& format,
                                              const std::filesystem::path& file) {
  Output out(file);
  format.write(trace, out);
  return out.finish();
}

}  // namespace ww
