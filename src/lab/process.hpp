// A process that a file names. Its number alone will not do: numbers recur.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.hpp"

namespace ww::lab {

// The n-th start of a process of that number: when, in ticks since which boot (proc(5), field 22 of stat).
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::string boot;  // /proc/sys/kernel/random/boot_id
  static Result<ProcessId> of(pid_t pid);
};
void to_json(nlohmann::json& json, const ProcessId& process);
void from_json(const nlohmann::json& json, ProcessId& process);

// CPU time of all processes that have ended and whose end it has taken, their own such processes included (proc(5), fields 16 and 17 of
// stat). Error: there is no such process.
Result<double> cpu_of_ended_children_s(pid_t pid);

// A hold on exactly that process (pidfd), for as long as it runs; later nothing that is done through it
// reaches another one.
class ProcessHold {
 public:
  // None: it has ended, or another has its number.
  static ProcessHold find(const ProcessId& wanted);
  ProcessHold(ProcessHold&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  ProcessHold(const ProcessHold&) = delete;
  ProcessHold& operator=(const ProcessHold&) = delete;
  ~ProcessHold();
  explicit operator bool() const { return fd_ >= 0; }
  void signal(int number) const;
  // Has it ended, at the latest after that time?
  bool ended_within(int milliseconds) const;

 private:
  explicit ProcessHold(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace ww::lab
