#include "trace/export/export.hpp"

#include "trace/export/formats.hpp"

namespace ww {
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
  Output out(file);
  format.write(trace, out);
  return out.finish();
}

}  // namespace ww
