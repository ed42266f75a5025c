#include "trace/export/export.hpp"

#include "base/files.hpp"
#include "base/new_result.hpp"
#include "trace/export/formats.hpp"

namespace ww {
namespace {

Result<std::vector<std::string>> export_directory(const Trace& trace, const ExportFormat& format,
                                                  const std::filesystem::path& name) {
  WW_TRY(auto result, owned::NewResult::begin(name, *format.directory->kind));
  for (const ExportFile& file : format.directory->files(trace))
    WW_CHECK(write_file(result.directory() / file.name, file.text));
  return result.publish();
}

}  // namespace

std::span<const ExportFormat* const> export_formats() {
#define WW_ADDRESS(name) &exporting::name##_format,
  static constexpr const ExportFormat* all[] = {WW_EXPORT_FORMATS(WW_ADDRESS)};
#undef WW_ADDRESS
  return all;
}

const ExportFormat* export_format_named(const std::string& name) {
  for (const ExportFormat* format : export_formats())
    if (name == format->name) return format;
  return nullptr;
}

Result<std::vector<std::string>> export_trace(const Trace& trace, const ExportFormat& format,
                                              const std::filesystem::path& file) {
  if (format.lacks != nullptr) {
    WW_TRY([[maybe_unused]] const Diagnostics lacks, format.lacks(trace));
  }
  if (format.directory != nullptr) return export_directory(trace, format, file);
  Output out(file);
  format.write(trace, out);
  return out.finish();
}

}  // namespace ww
