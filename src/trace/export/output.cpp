#include "trace/export/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/kept_file.hpp"

namespace ww {

Output::Output(std::filesystem::path file) : file_(std::move(file)) {
  if (auto possible = check_output_file(file_); !possible) {
    refused_ = std::move(possible.error());
    return;
  }
  is_device_ = is_stream(file_);
  partial_ = file_;
  if (!is_device_) partial_ += fmt::format(".partial-{}", getpid());
  stream_ = std::fopen(partial_.c_str(), is_device_ ? "wb" : "wbx");
  if (stream_ == nullptr && error_ == 0) error_ = errno;
}

Output::~Output() {
  if (stream_ == nullptr) return;
  std::fclose(stream_);
  std::error_code ignored;
  if (!is_device_) std::filesystem::remove(partial_, ignored);
}

void Output::flush() {
  if (stream_ != nullptr && error_ == 0 && buffer_.size() > 0 &&
      std::fwrite(buffer_.data(), 1, buffer_.size(), stream_) != buffer_.size())
    error_ = errno;
  buffer_.clear();
}

Result<std::vector<std::string>> Output::finish() {
  if (refused_) return tl::unexpected(*refused_);
  flush();
  std::vector<std::string> said;
  if (stream_ != nullptr) {
    if (std::fclose(stream_) != 0 && error_ == 0) error_ = errno;
    stream_ = nullptr;
    std::error_code error;
    if (error_ == 0 && !is_device_) {
      // What we wrote ourselves begins like this; it may be written anew.
      const auto ours = [&](const std::filesystem::path& other) { return begin_alike(other, partial_); };
      auto kept = ours(file_) ? std::vector<std::string>() : keep_previous_file(file_, ours);
      if (!kept) {
        std::filesystem::remove(partial_, error);
        return tl::unexpected(std::move(kept.error()));
      }
      said = *std::move(kept);
      std::filesystem::rename(partial_, file_, error);
      if (error) error_ = error.value();
    }
    if (error_ != 0 && !is_device_) std::filesystem::remove(partial_, error);
  }
  if (error_ != 0)
    return fail("cannot write " + file_.string(), std::strerror(error_), "choose another place with -o");
  return said;
}

}  // namespace ww
