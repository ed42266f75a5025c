// A file that is written piece by piece under another name, and has its own name only once it is complete.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww {

class Output {
 public:
  explicit Output(std::filesystem::path file);
  ~Output();  // not finished: nothing is left
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  template <class... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<T>(values)...);
    if (buffer_.size() >= piece_bytes) flush();
  }
  // The first error of all that was written. Gives a line for the user if a file of somebody else's had the
  // name: it is kept (base/kept_file.hpp).
  Result<std::vector<std::string>> finish();

 private:
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  void flush();

  std::filesystem::path file_, partial_;
  std::FILE* stream_ = nullptr;
  int error_ = 0;  // errno of the first failure
  std::optional<Error> refused_;
  bool is_device_ = false;  // or a pipe: written to as it is
  fmt::memory_buffer buffer_;
};

}  // namespace ww
