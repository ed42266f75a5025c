// A program that is started and followed by a thread of its own: what it prints is kept as far as there is room, and it does not
// outlive us.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::view {

// What was printed last.
class OutputTail {
 public:
  static constexpr std::size_t most_bytes = 64 << 10;
  void append(std::string_view text);
  const std::string& text() const { return text_; }
  std::uint64_t dropped() const { return dropped_; }  // bytes before it

 private:
  std::string text_;
  std::uint64_t dropped_ = 0;
};

class ChildProcess {
 public:
  // In a process group of its own, so that a Ctrl-C in the terminal is not its business; both of its outputs come together; it has
  // no input. It gets a SIGINT when the calling thread ends, which is whoever follows it. Error: it cannot be started.
  static Result<ChildProcess> start(const std::vector<std::string>& command);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  // Waits for a moment for what it prints. False: it has ended, and all that it had printed by then was given. What it started and
  // left behind may go on printing: that is not waited for.
  bool follow(std::string& printed);
  // As a shell has it: of one that a signal ended 128 + the signal. Once it has ended.
  int exit_code() const { return exit_code_; }

  // By any thread.
  void interrupt();      // SIGINT to it alone, as `kill -INT` would: it passes that on itself
  void kill_with_all();  // it and whatever it started, and that started

 private:
  ChildProcess(pid_t process, int output) : process_(process), output_(output) {}
  bool read_all(std::string& printed);

  std::mutex mutex_;
  pid_t process_ = -1;  // -1: it has ended and its number may be another's
  int output_ = -1;
  int exit_code_ = 0;
};

}  // namespace ww::view
