// The event records of PRASE (Kahl 1988, S5): what its collector wrote on an iPSC, one file a process, and what its command `pv` shows of them.
//
// In a file (User's Manual, Appendix C; Appendix F: 32 bytes a record, the low byte of a number first):
//
//   byte  0  char[6]  the type's name, ended by a zero byte
//         6  int16    node that recorded        8  int16  its pid
//        10  int32    begin                    14  int32  end: milliseconds since the start of the run
//        18  int16    channel                  20  int16  message type     22  int16  bytes    24  int16  count
//        26  int16    the other node           28  int16  its pid          30  int16  Seecube's marker, -1
//
// Those of a variable that the program marked (mchar, mdble, mflot, mint, mlong, mshrt) have its value in the 14 bytes from 18 on and none of the
// fields that stand there. As text a record is its fields between blanks, 12 or, of a variable, 6.
//
// Numbers wrap: a count of 16 bits, of which 15 count, goes on from 1 behind a record `wraps` or `wrapr`; a time of 32 bits passes its largest after
// 24.8 days (times.hpp).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ww::prase {

inline constexpr std::size_t record_bytes = 32, text_bytes = 13;

// In the order of Appendix C, field 1.
enum class RecordType : std::uint8_t {
  close,
  dump,
  end,
  flick,
  grled,
  init,
  mchar,
  mdble,
  mflot,
  mint,
  mlong,
  mshrt,
  open,
  probe,
  recv,
  recvw,
  rdled,
  send,
  sendw,
  stat,
  slog,
  wrapr,
  wraps
};
const char* to_string(RecordType type);
std::optional<RecordType> record_type_named(std::string_view name);

inline bool is_send(RecordType type) {
  return type == RecordType::send || type == RecordType::sendw;
}
inline bool is_receipt(RecordType type) {
  return type == RecordType::recv || type == RecordType::recvw;
}
inline bool is_wrap(RecordType type) {
  return type == RecordType::wrapr || type == RecordType::wraps;
}
// Of a variable that the program marked.
inline bool is_mark(RecordType type) {
  return type >= RecordType::mchar && type <= RecordType::mshrt;
}

struct EventRecord {
  RecordType type = RecordType::init;
  std::int16_t node = 0, pid = 0;
  std::int32_t begin_ms = 0, end_ms = 0;
  // Of all but marks. Of some types they hold something else, or nothing (Appendix C).
  std::int16_t channel = 0, message_type = 0, bytes = 0, count = 0, other_node = 0, other_pid = 0,
               marker = -1;
  // Of marks: of mdble and mflot the pattern of IEEE 754, of mint, mlong and mshrt the number in two's complement.
  std::uint64_t bits = 0;
  std::string text;  // of mchar
  bool operator==(const EventRecord&) const = default;
};

// Adds 32 bytes.
void append_binary(const EventRecord& record, std::string& out);
// Nothing: there are not 32 bytes, or their first six name no type.
std::optional<EventRecord> record_of_binary(std::string_view bytes);

// A line without its end. Of mchar what is no printable ASCII character is written as \xNN, and a backslash as \\.
std::string to_text(const EventRecord& record);
// Nothing: the line has another form, or numbers that the record's fields do not hold.
std::optional<EventRecord> record_of_text(std::string_view line);

}  // namespace ww::prase
