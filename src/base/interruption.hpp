// SIGINT and SIGTERM as a wish to end: what runs for long does not begin anything new, keeps what is
// complete, and the process exits with code 130.
#pragma once
#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <optional>

namespace ww::interruption {

inline constexpr int exit_code = 130;

// As long as it lives, the first SIGINT or SIGTERM is noted instead of ending the process; a second one ends
// it while no child runs. One at a time. Also where the process was started with SIGINT ignored, as a shell's
// script does with what it starts by &.
class Heed {
 public:
  Heed();
  ~Heed();
  Heed(const Heed&) = delete;
  Heed& operator=(const Heed&) = delete;

 private:
  struct sigaction old_interrupt_ = {}, old_terminate_ = {};
};

// A signal has come since Heed began.
bool requested();

// For base/subprocess.cpp: passes SIGINT and SIGTERM on to a child for as long as it lives. The signals are
// blocked from its making on, so that none is lost before there is a child, and come in wait() only.
//
// Ctrl-C in a terminal reaches a child of our process group anyway, and so does a signal to the whole group:
// passed on again it would be the second, at which launchers abort at once and leave ranks behind. That it
// was Ctrl-C can be seen; otherwise the child is given some time to end by itself.
class Relay {
 public:
  explicit Relay(bool own_group);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  void in_child() const;  // after fork: the signals as they were
  void set_child(pid_t child) { child_ = child; }
  // Waits for a signal, the end of a child, one of `fds`, or the time; the result of ppoll.
  int wait(pollfd* fds, unsigned count, std::optional<std::chrono::steady_clock::time_point> until);
  bool interrupted() const { return interrupted_; }

 private:
  void pass_on();
  bool own_group_;
  pid_t child_ = 0;
  bool interrupted_ = false;
  int due_signal_ = 0;
  std::chrono::steady_clock::time_point due_;
  sigset_t old_mask_ = {}, waiting_mask_ = {};
  struct sigaction old_interrupt_ = {}, old_terminate_ = {}, old_child_ = {};
};

}  // namespace ww::interruption
