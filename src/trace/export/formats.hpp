// The writers of the formats, and what they share.
#pragma once
#include "base/text.hpp"
#include "trace/export/output.hpp"
#include "trace/trace.hpp"

namespace ww::exporting {

void write_chrome(const Trace& trace, Output& out);
void write_paje(const Trace& trace, Output& out);
void write_csv_calls(const Trace& trace, Output& out);
void write_csv_messages(const Trace& trace, Output& out);
void write_csv_user(const Trace& trace, Output& out);
void write_csv_one_sided(const Trace& trace, Output& out);
void write_csv_files(const Trace& trace, Output& out);

inline bool is_send(ActionKind kind) {
  return kind == ActionKind::send || kind == ActionKind::isend;
}
inline bool is_receipt(ActionKind kind) {
  return kind == ActionKind::recv || kind == ActionKind::irecv_done;
}

// A field of CSV: quoted where it must be.

// Exact decimals of a time: "1.000000123" for 10^9 ns with 9 places, "1000000.123" with 3 (microseconds).
std::string decimal(std::int64_t ns, int places);

}  // namespace ww::exporting
