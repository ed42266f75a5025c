#include "lab/switch/awake_cores.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files.hpp"

namespace ww::lab {
namespace {

constexpr const char* device = "/dev/cpu_dma_latency";

// -1: not granted.
int open_held() {
  const int fd = open(device, O_RDWR | O_CLOEXEC);
  if (fd < 0) return -1;
  constexpr std::int32_t latency_us = 0;
  if (write(fd, &latency_us, sizeof latency_us) == static_cast<ssize_t>(sizeof latency_us)) return fd;
  close(fd);
  return -1;
}

}  // namespace

std::string AwakeCores::impossible() {
  const auto driver = read_file("/sys/devices/system/cpu/cpuidle/current_driver");
  if (!driver || driver->starts_with("none")) return "this system has no driver of idle states";
  if (const int fd = open_held(); fd >= 0) {
    close(fd);
    return "";
  }
  return fmt::format("{}: {}", device, std::strerror(errno));
}

AwakeCores::~AwakeCores() {
  if (held_ >= 0) close(held_);
}

void AwakeCores::wake(std::int64_t now_ns) {
  used_ns_ = now_ns;
  if (held_ < 0) held_ = open_held();
}

void AwakeCores::look(std::int64_t now_ns, std::uint64_t frames) {
  if (frames != frames_) wake(now_ns);
  frames_ = frames;
  if (held_ < 0 || now_ns - used_ns_ < patience_ns) return;
  close(held_);
  held_ = -1;
}

}  // namespace ww::lab
