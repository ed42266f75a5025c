#include "lab/process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/files.hpp"

namespace ww::lab {
namespace {

// So many fields of /proc/PID/stat from that one on (proc(5) numbers them), all beyond the name.
Result<std::vector<std::uint64_t>> fields_of(pid_t pid, int first, std::size_t count) {
  const std::string file = fmt::format("/proc/{}/stat", pid);
  WW_TRY(const std::string text, read_file(file));
  // Behind the name, which is in parentheses and may hold any character: fields from 3 on.
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string skipped;
  for (int field = 3; field < first; ++field) rest >> skipped;
  std::vector<std::uint64_t> fields(count, 0);
  for (std::uint64_t& field : fields)
    if (!(rest >> field)) return fail("cannot understand a process's state", file);
  return fields;
}

Result<std::uint64_t> start_of(pid_t pid) {
  WW_TRY(const auto fields, fields_of(pid, 22, 1));
  return fields[0];
}

Result<std::string> this_boot() {
  WW_TRY(std::string text, read_file("/proc/sys/kernel/random/boot_id"));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

Result<ProcessId> ProcessId::of(pid_t pid) {
  ProcessId id{.pid = pid, .start_ticks = 0, .boot = {}};
  WW_TRY(id.start_ticks, start_of(pid));
  WW_TRY(id.boot, this_boot());
  return id;
}

void to_json(nlohmann::json& json, const ProcessId& process) {
  json = {{"pid", process.pid}, {"start_ticks", process.start_ticks}, {"boot", process.boot}};
}

void from_json(const nlohmann::json& json, ProcessId& process) {
  json.at("pid").get_to(process.pid);
  json.at("start_ticks").get_to(process.start_ticks);
  json.at("boot").get_to(process.boot);
}

Result<double> cpu_of_ended_children_s(pid_t pid) {
  WW_TRY(const auto fields, fields_of(pid, 16, 2));
  return static_cast<double>(fields[0] + fields[1]) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

ProcessHold ProcessHold::find(const ProcessId& wanted) {
  ProcessHold none(-1);
  const auto boot = this_boot();
  if (wanted.pid <= 1 || !boot || *boot != wanted.boot) return none;
  ProcessHold found(static_cast<int>(syscall(SYS_pidfd_open, wanted.pid, 0)));
  if (!found) return none;
  // If what is held has not ended by now, it was the one whose start has just been read.
  const auto ticks = start_of(wanted.pid);
  if (!ticks || *ticks != wanted.start_ticks || found.ended_within(0)) return none;
  return found;
}

ProcessHold::~ProcessHold() {
  if (fd_ >= 0) close(fd_);
}

void ProcessHold::signal(int number) const {
  if (fd_ >= 0) (void)syscall(SYS_pidfd_send_signal, fd_, number, nullptr, 0);
}

bool ProcessHold::ended_within(int milliseconds) const {
  pollfd ended{fd_, POLLIN, 0};
  return fd_ < 0 || poll(&ended, 1, milliseconds) > 0;
}

}  // namespace ww::lab
