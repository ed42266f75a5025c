// For packed.cpp: numbers and texts to bytes and back.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ww::packed {

inline constexpr std::uint64_t most_threads = 1 << 20;  // of a rank

inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t of_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

class Writer {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void whole(std::int64_t value) { number(zigzag(value)); }
  // To `to` from `from`; wraps, so that any two have one.
  void step(std::uint64_t from, std::uint64_t to) { whole(static_cast<std::int64_t>(to - from)); }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned byte = 0; byte < 8; ++byte) bytes_.push_back(static_cast<char>(bits >> (8 * byte)));
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_.append(text);
  }
  void put(std::string_view bytes) { bytes_.append(bytes); }
  std::string take() { return std::move(bytes_); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

// After the first thing that is not there, everything is 0 and failed().
class Reader {
 public:
  explicit Reader(std::span<const char> bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) break;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_ = bytes_.subspan(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return failed_ ? 0 : value;
    }
    return fail();
  }
  std::int64_t whole() { return of_zigzag(number()); }
  std::uint64_t step(std::uint64_t from) { return from + static_cast<std::uint64_t>(whole()); }
  // At most `most`.
  std::uint64_t number_to(std::uint64_t most) {
    const std::uint64_t value = number();
    return value <= most ? value : fail();
  }
  template <class T>
  T number_of() {
    return static_cast<T>(number_to(static_cast<std::uint64_t>(static_cast<T>(-1))));
  }
  // An index of a list of `size`.
  std::uint32_t index(std::size_t size) {
    const std::uint64_t value = number();
    return static_cast<std::uint32_t>(value < size ? value : fail());
  }
  // Of things that take at least a byte each.
  std::size_t count() { return static_cast<std::size_t>(number_to(bytes_.size())); }
  bool flag() { return number_to(1) != 0; }
  double real() {
    std::uint64_t bits = 0;
    const std::span<const char> of = part(8);
    for (std::size_t byte = 0; byte < of.size(); ++byte)
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(of[byte])) << (8 * byte);
    return std::bit_cast<double>(bits);
  }
  std::string text() {
    const std::span<const char> of = part(count());
    return {of.begin(), of.end()};
  }
  std::span<const char> part(std::size_t size) {
    if (size > bytes_.size()) {
      fail();
      return {};
    }
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  // What is read is not what it should be.
  std::uint64_t fail() {
    failed_ = true;
    bytes_ = {};
    return 0;
  }
  bool failed() const { return failed_; }
  bool is_over() const { return bytes_.empty(); }

 private:
  std::span<const char> bytes_;
  bool failed_ = false;
};

}  // namespace ww::packed
