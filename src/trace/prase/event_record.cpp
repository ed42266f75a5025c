#include "trace/prase/event_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "base/text.hpp"

namespace ww::prase {
namespace {

constexpr std::array type_names{"close", "dump", "end",   "flick", "grled", "init",  "mchar", "mdble",
                                "mflot", "mint", "mlong", "mshrt", "open",  "probe", "recv",  "recvw",
                                "rdled", "send", "sendw", "stat",  "slog",  "wrapr", "wraps"};
constexpr std::size_t name_bytes = 6, value_at = 18;

// The bytes of a number, low one first, whatever this machine's order is.
template <class T>
void append_low_first(T value, std::string& out) {
  auto bits = static_cast<std::make_unsigned_t<T>>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out += static_cast<char>(bits & 0xff);
    bits = static_cast<std::make_unsigned_t<T>>(static_cast<std::uint64_t>(bits) >> 8);
  }
}

template <class T>
T low_first(std::string_view bytes, std::size_t at) {
  std::uint64_t bits = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[at + i]);
  return static_cast<T>(bits);
}

template <class T>
std::uint64_t extended(T value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

void append_value(const EventRecord& record, std::string& out) {
  const std::size_t end = out.size() + record_bytes - value_at;
  switch (record.type) {
    case RecordType::mchar:
      out += record.text.substr(0, text_bytes);
      break;
    case RecordType::mdble:
      append_low_first(record.bits, out);
      break;
    case RecordType::mflot:
      append_low_first(static_cast<std::uint32_t>(record.bits), out);
      break;
    case RecordType::mlong:
      append_low_first(static_cast<std::int32_t>(record.bits), out);
      break;
    default:  // an int of the iPSC's C has two bytes
      append_low_first(static_cast<std::int16_t>(record.bits), out);
  }
  out.resize(end, '\0');
}

void take_value(std::string_view bytes, EventRecord& record) {
  switch (record.type) {
    case RecordType::mchar: {
      const std::string_view text = bytes.substr(value_at, text_bytes);
      record.text = text.substr(0, text.find('\0'));
      break;
    }
    case RecordType::mdble:
      record.bits = low_first<std::uint64_t>(bytes, value_at);
      break;
    case RecordType::mflot:
      record.bits = low_first<std::uint32_t>(bytes, value_at);
      break;
    case RecordType::mlong:
      record.bits = extended(low_first<std::int32_t>(bytes, value_at));
      break;
    default:
      record.bits = extended(low_first<std::int16_t>(bytes, value_at));
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char one : text) {
    if (one == '\\')
      out += "\\\\";
    else if (one >= ' ' && one <= '~')
      out += one;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(one));
  }
  return out;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '\\') {
      out += text[++i];
    } else {
      unsigned char byte = 0;
      if (i + 3 >= text.size() || text[i + 1] != 'x') return std::nullopt;
      const char* const digits = text.data() + i + 2;
      if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return std::nullopt;
      out += static_cast<char>(byte);
      i += 3;
    }
  }
  if (out.size() > text_bytes || out.find('\0') != std::string::npos) return std::nullopt;
  return out;
}

template <class T>
bool take_word(std::string_view word, T& out) {
  const char* const end = word.data() + word.size();
  const auto [stop, problem] = std::from_chars(word.data(), end, out);
  return problem == std::errc{} && stop == end;
}

bool take_value_word(std::string_view word, EventRecord& record) {
  if (record.type == RecordType::mdble) {
    double value = 0;
    if (!take_word(word, value)) return false;
    record.bits = std::bit_cast<std::uint64_t>(value);
    return true;
  }
  if (record.type == RecordType::mflot) {
    float value = 0;
    if (!take_word(word, value)) return false;
    record.bits = std::bit_cast<std::uint32_t>(value);
    return true;
  }
  std::int32_t value = 0;
  if (!take_word(word, value)) return false;
  if (record.type != RecordType::mlong && value != static_cast<std::int16_t>(value)) return false;
  record.bits = extended(value);
  return true;
}

std::string value_text(const EventRecord& record) {
  switch (record.type) {
    case RecordType::mchar:
      return escaped(record.text);
    case RecordType::mdble:
      return fmt::format("{}", std::bit_cast<double>(record.bits));
    case RecordType::mflot:
      return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(record.bits)));
    default:
      return fmt::format("{}", static_cast<std::int64_t>(record.bits));
  }
}

}  // namespace

const char* to_string(RecordType type) {
  return type_names[static_cast<std::size_t>(type)];
}

std::optional<RecordType> record_type_named(std::string_view name) {
  const auto* const found = std::find(type_names.begin(), type_names.end(), name);
  if (found == type_names.end()) return std::nullopt;
  return static_cast<RecordType>(found - type_names.begin());
}

void append_binary(const EventRecord& record, std::string& out) {
  std::string name = to_string(record.type);
  name.resize(name_bytes, '\0');
  out += name;
  for (const std::int16_t value : {record.node, record.pid}) append_low_first(value, out);
  for (const std::int32_t value : {record.begin_ms, record.end_ms}) append_low_first(value, out);
  if (is_mark(record.type)) return append_value(record, out);
  for (const std::int16_t value : {record.channel, record.message_type, record.bytes, record.count,
                                   record.other_node, record.other_pid, record.marker})
    append_low_first(value, out);
}

std::optional<EventRecord> record_of_binary(std::string_view bytes) {
  if (bytes.size() < record_bytes) return std::nullopt;
  std::string_view name = bytes.substr(0, name_bytes);
  // Ended by a zero byte in C; a Fortran program's own writer would have filled with blanks.
  name = name.substr(0, name.find_first_of(std::string_view("\0 ", 2)));
  const auto type = record_type_named(name);
  if (!type) return std::nullopt;
  EventRecord record;
  record.type = *type;
  record.node = low_first<std::int16_t>(bytes, 6);
  record.pid = low_first<std::int16_t>(bytes, 8);
  record.begin_ms = low_first<std::int32_t>(bytes, 10);
  record.end_ms = low_first<std::int32_t>(bytes, 14);
  if (is_mark(record.type)) {
    take_value(bytes, record);
    return record;
  }
  std::size_t at = value_at;
  for (std::int16_t* field : {&record.channel, &record.message_type, &record.bytes, &record.count,
                              &record.other_node, &record.other_pid, &record.marker}) {
    *field = low_first<std::int16_t>(bytes, at);
    at += sizeof *field;
  }
  return record;
}

std::string to_text(const EventRecord& record) {
  const std::string first = fmt::format("{} {} {} {} {}", to_string(record.type), record.node, record.pid,
                                        record.begin_ms, record.end_ms);
  if (is_mark(record.type)) return first + " " + value_text(record);
  return fmt::format("{} {} {} {} {} {} {} {}", first, record.channel, record.message_type, record.bytes,
                     record.count, record.other_node, record.other_pid, record.marker);
}

std::optional<EventRecord> record_of_text(std::string_view line) {
  constexpr std::size_t all_fields = 12, fields_of_mark = 6;
  const auto words = split_words(line);
  EventRecord record;
  const auto type = words.empty() ? std::nullopt : record_type_named(words[0]);
  if (!type || words.size() < fields_of_mark - 1) return std::nullopt;
  record.type = *type;
  if (!take_word(words[1], record.node) || !take_word(words[2], record.pid) ||
      !take_word(words[3], record.begin_ms) || !take_word(words[4], record.end_ms))
    return std::nullopt;
  if (record.type == RecordType::mchar) {
    // All behind the one blank that ends field 5; a text may have blanks, and may be empty.
    const std::size_t behind = static_cast<std::size_t>(words[4].data() - line.data()) + words[4].size();
    auto text = unescaped(behind < line.size() ? line.substr(behind + 1) : std::string_view());
    if (!text) return std::nullopt;
    record.text = *std::move(text);
    return record;
  }
  if (is_mark(record.type)) {
    if (words.size() != fields_of_mark || !take_value_word(words[5], record)) return std::nullopt;
    return record;
  }
  if (words.size() != all_fields) return std::nullopt;
  std::size_t at = fields_of_mark - 1;
  for (std::int16_t* field : {&record.channel, &record.message_type, &record.bytes, &record.count,
                              &record.other_node, &record.other_pid, &record.marker})
    if (!take_word(words[at++], *field)) return std::nullopt;
  return record;
}

}  // namespace ww::prase
