#include "lab/switch/init.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace ww::lab {
namespace {

constexpr int patience_ms = 500;

// All descriptors but these; in a process with one thread.
void close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned next = 0;
  for (const int fd : kept) {
    if (static_cast<unsigned>(fd) > next) close_range(next, static_cast<unsigned>(fd) - 1, 0);
    next = static_cast<unsigned>(fd) + 1;
  }
  close_range(next, ~0U, 0);
}

void reap() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

// Numbers begin behind ours on the machine. Open MPI's directories in /tmp are named by host and number: what
// a killed job of an earlier lab of this name left must not be taken for one of this lab's.
void begin_numbers() {
  std::array<char, 32> own{};
  const ssize_t length = readlink("/proc/self", own.data(), own.size());
  const int last = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  if (length > 0 && last >= 0) (void)!write(last, own.data(), static_cast<std::size_t>(length));
  if (last >= 0) close(last);
}

// Never returns; what is left in the namespace the kernel ends with us.
[[noreturn]] void live(int from_switch, std::span<const int> namespaces) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "ww-lab-init");
  begin_numbers();
  std::vector<int> kept(namespaces.begin(), namespaces.end());
  kept.push_back(from_switch);
  close_all_but(kept);
  sigset_t set;
  sigfillset(&set);
  sigprocmask(SIG_SETMASK, &set, nullptr);
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  const int children = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  std::array<pollfd, 2> fds{{{from_switch, POLLIN, 0}, {children, POLLIN, 0}}};
  while (fds[0].revents == 0) {
    if (poll(fds.data(), fds.size(), -1) < 0) continue;
    signalfd_siginfo taken;
    while (read(children, &taken, sizeof taken) > 0) {
    }
    reap();
  }
  char order = 0;
  if (read(from_switch, &order, 1) != 1) _exit(0);  // the switch is gone
  kill(-1, SIGTERM);
  for (int waited_ms = 0; waited_ms < patience_ms && (reap(), kill(-1, 0) == 0); ++waited_ms) usleep(1000);
  _exit(0);
}

}  // namespace

Result<Init> Init::start(std::span<const int> namespaces) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail("cannot make a pipe", std::strerror(errno));
  Init init;
  init.to_init_ = ends[1];
  // Not unshare: it would also move every later child of ours (ip, tc), and forbid threads.
  const long pid = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid == 0) live(ends[0], namespaces);
  const int problem = errno;
  close(ends[0]);
  if (pid < 0)
    return fail("cannot make a namespace of processes", std::strerror(problem),
                "whatwire doctor says what is possible");
  init.pid_ = static_cast<pid_t>(pid);
  init.namespace_ = open(fmt::format("/proc/{}/ns/pid", pid).c_str(), O_RDONLY | O_CLOEXEC);
  init.process_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (init.namespace_ < 0 || init.process_ < 0)
    return fail("cannot open the lab's namespace of processes", std::strerror(errno));
  return init;
}

Init::Init(Init&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      namespace_(std::exchange(other.namespace_, -1)),
      process_(std::exchange(other.process_, -1)),
      to_init_(std::exchange(other.to_init_, -1)) {}

Init::~Init() {
  if (pid_ > 0) {
    const bool told = write(to_init_, "", 1) == 1;
    pollfd ended{process_, POLLIN, 0};
    // Stopped, or in the hands of a debugger: then at once.
    if (!told || poll(&ended, 1, 4 * patience_ms) <= 0) kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int fd : {namespace_, process_, to_init_})
    if (fd >= 0) close(fd);
}

}  // namespace ww::lab
