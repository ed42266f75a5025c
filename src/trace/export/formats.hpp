// The writers of the formats, and what they share.
#pragma once
#include "base/text.hpp"
#include "trace/export/export.hpp"
#include "trace/export/output.hpp"
#include "trace/trace.hpp"

namespace ww::exporting {

// In the order of the help: one line a format, whose file defines NAME_format.
#define WW_EXPORT_FORMATS(ONE) \
  ONE(chrome)                  \
  ONE(paje)                    \
  ONE(csv)                     \
  ONE(csv_messages)            \
  ONE(csv_user)                \
  ONE(csv_one_sided)           \
  ONE(csv_files)               \
  ONE(s4)                      \
  ONE(prase)                   \
  ONE(prase_pv)                \
  ONE(seecube)

#define WW_DECLARE(name) extern const ExportFormat name##_format;
WW_EXPORT_FORMATS(WW_DECLARE)
#undef WW_DECLARE

inline bool is_send(ActionKind kind) {
  return kind == ActionKind::send || kind == ActionKind::isend;
}
inline bool is_receipt(ActionKind kind) {
  return kind == ActionKind::recv || kind == ActionKind::irecv_done;
}

// Exact decimals of a time: "1.000000123" for 10^9 ns with 9 places, "1000000.123" with 3 (microseconds).
std::string decimal(std::int64_t ns, int places);

}  // namespace ww::exporting
