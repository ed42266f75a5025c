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
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ww {
namespace {

std::atomic<pid_t> running_child{0};
std::atomic<int> passed_signal{0};

std::atomic<bool> child_shares_terminal{false};

void pass_on(int signal, siginfo_t* info, void*) {
  passed_signal = signal;
  const pid_t child = running_child.load();
  if (child > 0 && !(child_shares_terminal && info->si_code == SI_KERNEL)) kill(child, signal);
}

// Passes SIGINT and SIGTERM on to the child for as long as it lives. Ctrl-C in a terminal reaches a child of
// our process group anyway: passed on again it would be the second, at which launchers abort at once and
// leave ranks behind.
class SignalRelay {
 public:
  SignalRelay(pid_t child, bool own_group) {
    passed_signal = 0;
    child_shares_terminal = !own_group;
    running_child = child;
    struct sigaction action = {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~SignalRelay() {
    running_child = 0;
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;

 private:
  struct sigaction old_interrupt_ = {}, old_terminate_ = {};
};

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
    case Command::Output::discard:
      dup2(null_fd, STDOUT_FILENO);
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

// Reads both pipes until they close or the deadline passes; true if it passed.
bool drain(Pipe& out, Pipe& err, Finished& result,
           std::optional<std::chrono::steady_clock::time_point> deadline, bool want_out, bool want_err) {
  std::array<char, 65536> buffer{};
  while (want_out || want_err) {
    std::array<pollfd, 2> fds{
        {{want_out ? out.read_end : -1, POLLIN, 0}, {want_err ? err.read_end : -1, POLLIN, 0}}};
    int wait_ms = -1;
    if (deadline) {
      const auto left = *deadline - std::chrono::steady_clock::now();
      if (left <= left.zero()) return true;
      wait_ms = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count()) + 1;
    }
    const int ready = poll(fds.data(), fds.size(), wait_ms);
    if (ready < 0 && errno != EINTR) break;
    if (ready <= 0) continue;
    const auto take = [&](const pollfd& fd, std::string& into, bool& want) {
      if (fd.fd < 0 || fd.revents == 0) return;
      const ssize_t n = read(fd.fd, buffer.data(), buffer.size());
      if (n > 0)
        into.append(buffer.data(), static_cast<std::size_t>(n));
      else if (n == 0 || errno != EINTR)
        want = false;
    };
    take(fds[0], result.output, want_out);
    take(fds[1], result.errors, want_err);
  }
  return false;
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
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) return fail("cannot start a process", std::strerror(errno));
  if (child == 0) become(command, out, err, exec_error.write_end);
  SignalRelay relay(child, command.time_limit_s.has_value());
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
  std::optional<std::chrono::steady_clock::time_point> deadline;
  if (command.time_limit_s)
    deadline = start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(*command.time_limit_s));
  result.timed_out =
      drain(out, err, result, deadline, command.output == Command::Output::capture, command.capture_errors);
  int status = 0;
  rusage usage = {};
  for (bool told = false;;) {
    if (result.timed_out && !told) {
      told = true;
      kill(-child, SIGTERM);
      deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    }
    const pid_t ended = wait4(child, &status, deadline ? WNOHANG : 0, &usage);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR)
      return fail("cannot wait for " + command.arguments[0], std::strerror(errno));
    if (!deadline) continue;
    if (std::chrono::steady_clock::now() > *deadline) {
      if (told) kill(-child, SIGKILL);
      result.timed_out = true;
    }
    usleep(2000);
  }
  if (result.timed_out) kill(-child, SIGKILL);
  result.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.exit_code = WIFSIGNALED(status) ? 128 + result.signal : WEXITSTATUS(status);
  result.interrupted = passed_signal != 0;
  if (result.interrupted && command.end_when_interrupted)
    return fail("interrupted", shell_quoted(command.arguments), "nothing after this step was done");
  return result;
}

Result<Finished> run_checked(const Command& command) {
  WW_TRY(Finished finished, run(command));
  if (finished.exit_code == 0) return finished;
  std::string said = finished.errors.empty() ? finished.output : finished.errors;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  const auto last_line = said.rfind('\n');
  if (last_line != std::string::npos) said.erase(0, last_line + 1);
  return fail(fmt::format("{} failed with exit code {}", shell_quoted(command.arguments), finished.exit_code),
              said);
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

std::string shell_quoted(const std::vector<std::string>& arguments) {
  static const std::string plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace ww
