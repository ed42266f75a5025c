#include "trace/export/export.hpp"

#include "trace/export/formats.hpp"

namespace ww {
namespace {

constexpr ExportFormat all[] = {
    {"chrome", "trace events in JSON: ui.perfetto.dev, chrome://tracing", exporting::write_chrome},
    {"paje", "states and links of Paje: ViTE, pj_dump, R", exporting::write_paje},
    {"csv", "a line a call", exporting::write_csv_calls},
    {"csv-messages", "a line a message", exporting::write_csv_messages},
    {"csv-user", "a line a region, value or marker of the program", exporting::write_csv_user},
    {"csv-one-sided", "a line a one-sided transfer", exporting::write_csv_one_sided},
    {"csv-files", "a line a reading or writing of a file", exporting::write_csv_files},
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

Result<void> export_trace(const Trace& trace, const ExportFormat& format, const std::filesystem::path& file) {
  Output out(file);
  format.write(trace, out);
  return out.finish();
}

}  // namespace ww
