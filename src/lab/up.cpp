// up.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "lab/lab.hpp"
#include "lab/lab_directory.hpp"
#include "lab/lab_entries.hpp"
#include "lab/lab_plan.hpp"
#include "lab/runtime.hpp"

namespace ww::lab {

namespace fs = std::filesystem;

namespace {

constexpr int most_hosts = 64;

Result<void> check(const UpOptions& options) {
  if (options.hosts < 1 || options.hosts > most_hosts)
    return wrong_usage(fmt::format("a lab has 1 to {} hosts", most_hosts),
                       fmt::format("--hosts {}", options.hosts));
  WW_CHECK(check_wire(options.wire));
  for (const char* program : {"ip", "tc"})
    if (!find_program(program) && access((std::string("/usr/sbin/") + program).c_str(), X_OK) != 0)
      return fail("a lab needs iproute2", program, "apt-get install iproute2");
  return {};
}

// SIGINT, SIGTERM and SIGHUP wait in a descriptor while this lives, so that none ends us half way.
class Signals {
 public:
  Signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
    fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Signals() {
    signalfd_siginfo taken;
    while (read(fd_, &taken, sizeof taken) > 0) {
    }
    close(fd_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  int fd() const { return fd_; }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_ = {};
  int fd_ = -1;
};

int free_subnet(const fs::path& labs) {
  std::set<std::string> taken;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(labs, problem))
    if (const auto plan = read_plan(entry.path())) taken.insert(plan->wire_subnet);
  for (int index = 0; index < 256; ++index)
    if (!taken.contains(make_plan("", 0, {}, index).wire_subnet)) return index;
  return -1;
}

// Takes the name: a directory with the plan, and the lock that says the lab lives.
Result<Lock> claim(const UpOptions& options, const fs::path& lab) {
  WW_TRY(const Lock all, lock_all_labs());
  if (fs::exists(lab)) {
    if (alive(lab))
      return fail("a lab of that name is up", lab.filename().string(),
                  "whatwire lab down, or another --name");
    WW_CHECK(clean_away(lab));
  }
  clean_away_dead_labs(lab.parent_path());
  const int subnet = free_subnet(lab.parent_path());
  if (subnet < 0) return fail("too many labs", lab.parent_path().string(), "whatwire lab down --all");
  WW_CHECK(owned::Claim::make(lab, directory_kind));
  WW_TRY(Lock lock, Lock::take_if_free(lab / "lock"));
  const Plan plan = make_plan(lab.filename().string(), options.hosts, options.wire, subnet);
  auto written = write_file(lab / "hosts", hosts_file(plan));
  if (written) written = write_file(lab / "lab.json", nlohmann::json(plan).dump(2));
  if (!written) {
    (void)remove_directory(lab);
    return tl::unexpected(written.error());
  }
  return lock;
}

[[noreturn]] void become_switch(const fs::path& lab, int ready_fd, int lock_fd, const sigset_t& signals) {
  setsid();
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  const int log = open((lab / "switch.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null_fd, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  // What else the caller had open (a lock of his, a pipe whose end somebody awaits) must not live as long as
  // the lab.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  fcntl(ready_fd, F_SETFD, 0);
  fcntl(lock_fd, F_SETFD, 0);
  const std::string program = helper_program("ww-lab-switch");
  const std::string ready = std::to_string(ready_fd), lock = std::to_string(lock_fd);
  if (chdir("/") == 0)
    execl(program.c_str(), "ww-lab-switch", lab.c_str(), ready.c_str(), lock.c_str(), nullptr);
  const std::string text = nlohmann::json({{"what", "cannot start the lab's switch"},
                                           {"where", program + ": " + std::strerror(errno)},
                                           {"remedy", "build or install whatwire completely"}})
                               .dump();
  [[maybe_unused]] const ssize_t written = write(ready_fd, text.data(), text.size());
  _exit(1);
}

// What the switch says when it is done building.
Result<void> await_ready(int from_switch, const Signals& signals) {
  std::string text;
  for (;;) {
    std::array<pollfd, 2> fds{{{from_switch, POLLIN, 0}, {signals.fd(), POLLIN, 0}}};
    if (poll(fds.data(), fds.size(), -1) < 0) continue;
    if (fds[1].revents != 0) return fail("interrupted", "whatwire lab up", "nothing of the lab is left");
    std::array<char, 4096> buffer{};
    const ssize_t length = read(from_switch, buffer.data(), buffer.size());
    if (length > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(length));
      continue;
    }
    break;
  }
  if (text == "ok") return {};
  const auto problem = nlohmann::json::parse(text, nullptr, false);
  if (!problem.is_object()) return fail("the lab's switch ended while it was building", text);
  return fail(problem.value("what", ""), problem.value("where", ""), problem.value("remedy", ""));
}

// It leads a group of its own, in which are also the ip and tc that it may be running.
void end_switch(pid_t child) {
  kill(child, SIGKILL);
  kill(-child, SIGKILL);
  waitpid(child, nullptr, 0);
  constexpr int most_ms = 1000;
  for (int waited_ms = 0; waited_ms < most_ms && kill(-child, SIGKILL) == 0; ++waited_ms) usleep(1000);
}

}  // namespace

Result<void> up(const UpOptions& options) {
  WW_CHECK(check(options));
  WW_CHECK(possible());
  WW_TRY(const fs::path lab, lab_directory(options.name));
  const Signals signals;
  WW_TRY(const Lock lock, claim(options, lab));
  std::array<int, 2> ready{};
  if (pipe2(ready.data(), O_CLOEXEC) != 0) return fail("cannot make a pipe", std::strerror(errno));
  const pid_t child = fork();
  if (child == 0) become_switch(lab, ready[1], lock.fd(), signals.before());
  close(ready[1]);
  Result<void> built =
      child < 0 ? fail("cannot start a process", std::strerror(errno)) : await_ready(ready[0], signals);
  close(ready[0]);
  if (built) return {};
  if (child > 0) end_switch(child);
  (void)remove_directory(lab);
  return built;
}

}  // namespace ww::lab
