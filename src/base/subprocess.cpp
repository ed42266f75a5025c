#include "base/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/interruption.hpp"

namespace ww {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1, write_end = -1;
  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void close_write() {
    if (write_end >= 0) close(write_end);
    write_end = -1;
  }
  ~Pipe() {
    close_write();
    if (read_end >= 0) close(read_end);
  }
};

[[noreturn]] void become(const Command& command, const Pipe& out, const Pipe& err, int error_fd) {
  if (command.time_limit_s) setpgid(0, 0);
  const int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (command.no_input) dup2(null_fd, STDIN_FILENO);
  switch (command.output) {
    case Command::Output::inherit:
      break;
    case Command::Output::capture:
      dup2(out.write_end, STDOUT_FILENO);
      break;
    case Command::Output::to_stderr:
      dup2(STDERR_FILENO, STDOUT_FILENO);
      break;
  }
  if (command.capture_errors) dup2(err.write_end, STDERR_FILENO);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int problem = errno;
  [[maybe_unused]] ssize_t written = write(error_fd, &problem, sizeof problem);
  _exit(127);
}

// Takes what has come through a pipe; false: it is closed.
bool take(const pollfd& fd, std::string& into) {
  std::array<char, 65536> buffer{};
  const ssize_t n = read(fd.fd, buffer.data(), buffer.size());
  if (n > 0) into.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

// Which step it was says nothing to who pressed Ctrl-C, and the line of a step may be very long.
tl::unexpected<Error> interrupted() {
  return fail("interrupted");
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

Result<Finished> run(const Command& command) {
  WW_INVARIANT(!command.arguments.empty());
  Pipe out, err, exec_error;
  if (!out.open() || !err.open() || !exec_error.open())
    return fail("cannot make a pipe", std::strerror(errno));
  static std::mutex one_at_a_time;
  const std::lock_guard alone(one_at_a_time);
  interruption::Relay relay(command.time_limit_s.has_value());
  if (interruption::requested()) return interrupted();
  const auto start = Clock::now();
  const pid_t child = fork();
  if (child < 0) return fail("cannot start a process", std::strerror(errno));
  if (child == 0) {
    relay.in_child();
    become(command, out, err, exec_error.write_end);
  }
  relay.set_child(child);
  out.close_write();
  err.close_write();
  exec_error.close_write();
  int problem = 0;
  if (read(exec_error.read_end, &problem, sizeof problem) == static_cast<ssize_t>(sizeof problem)) {
    waitpid(child, nullptr, 0);
    return fail("cannot start " + command.arguments[0], std::strerror(problem),
                "is it installed and executable?");
  }
  Finished result;
  std::optional<Clock::time_point> deadline;
  if (command.time_limit_s)
    deadline = start + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(*command.time_limit_s));
  std::array<pollfd, 2> fds{{{command.output == Command::Output::capture ? out.read_end : -1, POLLIN, 0},
                             {command.capture_errors ? err.read_end : -1, POLLIN, 0}}};
  int status = 0;
  rusage usage = {};
  while (true) {
    const bool drained = result.timed_out || (fds[0].fd < 0 && fds[1].fd < 0);
    const pid_t ended = drained ? wait4(child, &status, WNOHANG, &usage) : 0;
    if (ended == child) break;
    if (ended < 0 && errno != EINTR)
      return fail("cannot wait for " + command.arguments[0], std::strerror(errno));
    if (deadline && Clock::now() >= *deadline) {
      kill(-child, result.timed_out ? SIGKILL : SIGTERM);
      result.timed_out = true;
      deadline = Clock::now() + std::chrono::seconds(1);
      continue;
    }
    if (relay.wait(fds.data(), fds.size(), deadline) <= 0) continue;
    if (fds[0].fd >= 0 && fds[0].revents != 0 && !take(fds[0], result.output)) fds[0].fd = -1;
    if (fds[1].fd >= 0 && fds[1].revents != 0 && !take(fds[1], result.errors)) fds[1].fd = -1;
  }
  if (result.timed_out) kill(-child, SIGKILL);
  result.elapsed_s = std::chrono::duration<double>(Clock::now() - start).count();
  result.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.exit_code = WIFSIGNALED(status) ? 128 + result.signal : WEXITSTATUS(status);
  result.interrupted = relay.interrupted();
  if (result.interrupted && command.end_when_interrupted) return interrupted();
  return result;
}

std::optional<std::string> find_program(const std::string& name) {
  const auto executable = [](const std::string& path) {
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return executable(name) ? std::optional(name) : std::nullopt;
  const char* path = getenv("PATH");
  std::string rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!name.empty()) {
    const auto colon = rest.find(':');
    const std::string candidate = rest.substr(0, colon) + "/" + name;
    if (executable(candidate)) return candidate;
    if (colon == std::string::npos) break;
    rest.erase(0, colon + 1);
  }
  return std::nullopt;
}

}  // namespace ww
