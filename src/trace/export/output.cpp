#include "trace/export/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ww {

Output::Output(std::filesystem::path file) : file_(std::move(file)) {
  partial_ = file_;
  partial_ += fmt::format(".partial-{}", getpid());
  std::error_code ignored;
  if (std::filesystem::is_directory(file_, ignored))
    error_ = EISDIR;
  else
    stream_ = std::fopen(partial_.c_str(), "wb");
  if (stream_ == nullptr && error_ == 0) error_ = errno;
}

Output::~Output() {
  if (stream_ == nullptr) return;
  std::fclose(stream_);
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void Output::flush() {
  if (stream_ != nullptr && error_ == 0 && buffer_.size() > 0 &&
      std::fwrite(buffer_.data(), 1, buffer_.size(), stream_) != buffer_.size())
    error_ = errno;
  buffer_.clear();
}

Result<void> Output::finish() {
  flush();
  std::error_code error;
  if (stream_ != nullptr) {
    if (std::fclose(stream_) != 0 && error_ == 0) error_ = errno;
    stream_ = nullptr;
    if (error_ == 0) {
      std::filesystem::rename(partial_, file_, error);
      if (error) error_ = error.value();
    }
    if (error_ != 0) std::filesystem::remove(partial_, error);
  }
  if (error_ != 0)
    return fail("cannot write " + file_.string(), std::strerror(error_), "choose another place with -o");
  return {};
}

}  // namespace ww
