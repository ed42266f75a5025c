// Arrays of plain values behind one another, little endian, as the page's typed arrays read them.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace ww::view {

static_assert(std::endian::native == std::endian::little, "the page reads little endian");

class BytesOut {
 public:
  // `magic`: four characters.
  explicit BytesOut(std::string_view magic) : bytes_(magic) {}
  template <class T>
  void value(T value) {
    values(std::span<const T>(&value, 1));
  }
  // Fills up to a multiple of 4 behind them.
  template <class T>
  void values(std::span<const T> values) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    bytes_.append((4 - bytes_.size() % 4) % 4, '\0');
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace ww::view
