#include "view/child_process.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

namespace ww::view {
namespace {

constexpr int moment_ms = 100;

// In the child, between fork and exec of a process with threads: nothing here allocates or locks.
[[noreturn]] void become(char* const* arguments, int null, int output, int error, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGINT);
  if (getppid() != parent) _exit(127);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD, SIGPIPE}) {
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  // Files of the traces that are open, with their locks, and connections are not the program's.
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  execvp(arguments[0], arguments);
  const int problem = errno;
  static_cast<void>(!write(error, &problem, sizeof problem));
  _exit(127);
}

// Those that it started, and those that they started. Of each its parent stands behind its name, which ends with the last ')'.
std::vector<pid_t> descendants_of(pid_t process) {
  std::multimap<pid_t, pid_t> children;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    pid_t one = 0, parent = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), one).ec != std::errc()) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line, state;
    std::getline(file, line);
    const std::size_t end = line.rfind(") ");
    if (end == std::string::npos || end + 4 >= line.size()) continue;
    std::from_chars(line.data() + end + 4, line.data() + line.size(), parent);
    children.emplace(parent, one);
  }
  std::vector<pid_t> found = {process};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (auto [at, end] = children.equal_range(found[i]); at != end; ++at) found.push_back(at->second);
  return found;
}

}  // namespace

void OutputTail::append(std::string_view text) {
  text_ += text;
  if (text_.size() <= most_bytes) return;
  // From the begin of a line, where there is one near.
  std::size_t from = text_.size() - most_bytes;
  if (const std::size_t line = text_.find('\n', from); line < from + most_bytes / 4) from = line + 1;
  text_.erase(0, from);
  dropped_ += from;
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command) {
  WW_INVARIANT(!command.empty());
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> output{}, error{};
  if (pipe2(output.data(), O_CLOEXEC) != 0) return fail("cannot make a pipe", std::strerror(errno));
  if (pipe2(error.data(), O_CLOEXEC) != 0) {
    const int problem = errno;
    for (const int end : output) close(end);
    return fail("cannot make a pipe", std::strerror(problem));
  }
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t parent = getpid(), process = fork();
  if (process == 0) become(arguments.data(), null, output[1], error[1], parent);
  const int forking = errno;
  for (const int end : {output[1], error[1], null}) close(end);
  int problem = 0;
  const bool failed =
      process > 0 && read(error[0], &problem, sizeof problem) == static_cast<ssize_t>(sizeof problem);
  close(error[0]);
  if (process < 0 || failed) {
    close(output[0]);
    if (process > 0) waitpid(process, nullptr, 0);
    return fail("cannot start " + command[0], std::strerror(failed ? problem : forking),
                "is it installed and executable?");
  }
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  return ChildProcess(process, output[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      output_(std::exchange(other.output_, -1)),
      exit_code_(other.exit_code_) {}

ChildProcess::~ChildProcess() {
  if (output_ >= 0) close(output_);
}

bool ChildProcess::read_all(std::string& printed) {
  std::array<char, 16384> piece{};
  // Of what prints without end a part, so that somebody looks whether it has ended.
  for (int pieces = 0; pieces < 64;) {
    const ssize_t got = read(output_, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0;
    printed.append(piece.data(), static_cast<std::size_t>(got));
    ++pieces;
  }
  return true;
}

bool ChildProcess::follow(std::string& printed) {
  pollfd ready = {output_, POLLIN, 0};
  poll(&ready, output_ >= 0 ? 1 : 0, moment_ms);
  int status = 0;
  bool ended = false;
  {
    const std::lock_guard lock(mutex_);
    ended = process_ < 0 || waitpid(process_, &status, WNOHANG) == process_;
    if (ended && process_ > 0) {
      process_ = -1;
      exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
  }
  if (output_ >= 0 && !read_all(printed)) {
    close(output_);
    output_ = -1;
  }
  return !ended;
}

void ChildProcess::interrupt() {
  const std::lock_guard lock(mutex_);
  if (process_ > 0) kill(process_, SIGINT);
}

void ChildProcess::kill_with_all() {
  const std::lock_guard lock(mutex_);
  if (process_ <= 0) return;
  for (const pid_t one : descendants_of(process_)) kill(one, SIGKILL);
}

}  // namespace ww::view
