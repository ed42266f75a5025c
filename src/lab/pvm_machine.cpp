// ww-lab-pvm LAB DIRECTORY -- COMMAND...: makes a virtual machine of PVM's of the hosts of a lab, runs a program in it, and halts it. Started
// on the lab's first host, by its agent (lab_launch.cpp).
//   LAB        the lab's directory
//   DIRECTORY  where the program's tasks are, for pvm_spawn, behind what PVM_PATH names
// The daemons talk over the wire, by the addresses of /etc/hosts there. Each host has a directory for its daemon's files (PVM_TMP), as all
// hosts of a lab share one file system; the agent, which is the rsh of the daemons, gives it to those that it starts. So several programs
// may run at a time, each in a machine of its own.
#include "lab/pvm_machine.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "lab/lab_entries.hpp"
#include "lab/lab_plan.hpp"
#include "library/pvm.hpp"

namespace ww::lab {
namespace {
namespace fs = std::filesystem;

// PVM's own patience with a host that does not answer is a minute.
constexpr double start_limit_s = 10, ask_limit_s = 20, join_limit_s = 100;
// Tasks that others started may end a little later than the program, and would be killed with the machine.
constexpr double end_limit_s = 5;
constexpr double daemons_limit_s = 2;

std::chrono::steady_clock::time_point in(double seconds) {
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                std::chrono::duration<double>(seconds));
}

std::string first_of(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

// What PVM's console says to commands; what it said until then if it takes longer. Halting ends it by a signal, which its shell tells.
std::string console(const std::string& commands, double limit_s) {
  const auto finished =
      run({.arguments = {"/bin/sh", "-c", fmt::format("printf '{}\\nquit\\n' | pvm 2>&1", commands)},
           .output = Command::Output::capture,
           .capture_errors = true,
           .no_input = true,
           .time_limit_s = limit_s});
  return finished ? finished->output : "";
}

// Whether the host's system says at least that nobody listens there. A daemon that is started on one that does not (its wire is down) holds all
// others up for minutes, while they wait for it to know them.
bool answers(const PlannedHost& host, double patience_s) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return true;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);  // discard
  inet_pton(AF_INET, host.address.c_str(), &to.sin_addr);
  int problem = connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 ? 0 : errno;
  pollfd waited{fd, POLLOUT, 0};
  if (problem == EINPROGRESS && poll(&waited, 1, static_cast<int>(patience_s * 1e3)) > 0) {
    socklen_t size = sizeof problem;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size);
  }
  close(fd);
  return problem == 0 || problem == ECONNREFUSED;
}

// Where a host's /etc/hosts cannot be the lab's (agent.cpp: in a chroot), PVM is told addresses in place of names.
bool names_are_known(const Plan& plan) {
  const PlannedHost& first = plan.hosts.front();
  const hostent* const found = gethostbyname(first.name.c_str());
  in_addr wanted{};
  return found != nullptr && inet_pton(AF_INET, first.address.c_str(), &wanted) == 1 &&
         found->h_length == sizeof wanted && std::memcmp(found->h_addr_list[0], &wanted, sizeof wanted) == 0;
}

class Machine {
 public:
  Machine(const Plan& plan, const fs::path& lab, const std::string& tasks_of)
      : place_(lab / fmt::format("pvm-{}", getpid())) {
    const bool by_name = names_are_known(plan);
    for (const PlannedHost& host : plan.hosts) {
      hosts_.push_back(by_name ? host.name : host.address);
      if (&host != &plan.hosts.front() && answers(host, 2 + 4 * plan.wire.delay_s))
        others_.push_back(hosts_.back());
    }
    fs::create_directories(place_ / "0");
    const std::string root = first_of("PVM_ROOT", "/usr/lib/pvm3");
    setenv("PVM_ROOT", root.c_str(), 1);
    setenv("PVM_RSH", helper_program("ww-lab-agent").c_str(), 1);
    setenv("PVM_TMP", (place_ / "0").c_str(), 1);
    setenv(pvm_place_variable, place_.c_str(), 1);
    setenv(
        "PVM_PATH",
        fmt::format("{}:{}:{}/lib", first_of("PVM_PATH", "$HOME/pvm3/bin/$PVM_ARCH"), tasks_of, root).c_str(),
        1);
    if (geteuid() == 0) setenv("PVM_ALLOW_ROOT", "1", 1);
    for (const char* other : {"PVMSOCK", "PVM_VMID"}) unsetenv(other);
  }
  ~Machine() {
    if (started_) halt();
    // What cannot be removed goes with the lab.
    (void)owned::remove_within(place_.parent_path(), directory_kind, place_.filename().string());
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Error: no daemon on the first host. Others that do not join are named, and are not part of the machine.
  Result<void> start() {
    const fs::path said = place_ / "said";
    // In a session of its own, which no time limit of a console's ends.
    const auto begun = run({.arguments = {"/bin/sh", "-c",
                                          fmt::format("{}setsid pvmd -n{} >{} 2>&1 </dev/null &", preload(),
                                                      hosts_.front(), shell_quoted({said.string()}))}});
    const fs::path file = place_ / "0" / fmt::format("pvmd.{}", geteuid());
    for (const auto until = in(start_limit_s);
         begun && !fs::exists(file) && std::chrono::steady_clock::now() < until;)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!fs::exists(file))
      return fail("PVM does not start on the lab's first host", read_file(said).value_or(""),
                  "whatwire doctor says whether PVM is there");
    started_ = true;
    if (!others_.empty()) console(fmt::format("add {}", fmt::join(others_, " ")), join_limit_s);
    daemons_at_first_ = daemons().size();
    if (const auto missing = not_joined(); !missing.empty())
      std::fprintf(stderr, "whatwire: PVM runs on the lab without %s, %s\n",
                   fmt::format("{}", fmt::join(missing, ", ")).c_str(), why_not_joined().c_str());
    return {};
  }

 private:
  // For the shell: the first daemon's environment begins with it.
  static std::string preload() {
    const char* const library = std::getenv(pvm_preload_variable);
    return library == nullptr ? "" : "LD_PRELOAD=" + shell_quoted({library}) + " ";
  }

  void halt() {
    if (daemons().size() < daemons_at_first_) {
      // Others answer no question until they have given up the one that died, which takes them 40 s.
      for (const pid_t daemon : daemons()) kill(daemon, SIGTERM);
    } else {
      for (const auto until = in(end_limit_s); tasks_run() && std::chrono::steady_clock::now() < until;)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      console("halt", ask_limit_s);
    }
    // Where they were halted the first is gone by now; others have been told, and what records them closes its files.
    for (const auto until = in(daemons_limit_s);
         !daemons().empty() && std::chrono::steady_clock::now() < until;)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  // Those of this machine that run, by where they have their files. All hosts of a lab have their processes in common.
  std::vector<pid_t> daemons() const {
    std::vector<pid_t> found;
    const std::string place = "PVM_TMP=" + place_.string() + "/";
    std::error_code ignored;
    for (fs::directory_iterator entry("/proc", ignored), last; !ignored && entry != last;
         entry.increment(ignored)) {
      const auto name = read_file(entry->path() / "comm");
      if (!name || *name != fmt::format("{}\n", library::pvm.daemon)) continue;
      if (const auto environment = read_file(entry->path() / "environ");
          environment && environment->find(place) != environment->npos)
        found.push_back(std::atoi(entry->path().filename().c_str()));
    }
    return found;
  }

  // But for the library's servers: of "HOST TID FLAG COMMAND" the last word.
  static bool tasks_run() {
    const std::string said = console("ps -a", ask_limit_s);
    const std::regex task("(^|\\n) +\\S+ +[0-9a-f]+ +[0-9a-f]+/\\S* +(\\S+)");
    for (std::sregex_iterator one(said.begin(), said.end(), task), end; one != end; ++one)
      if ((*one)[2] != library::pvm.servers) return true;
    return false;
  }
  std::vector<std::string> not_joined() const {
    const std::string said = console("conf", ask_limit_s);
    std::vector<std::string> missing;
    for (const std::string& host : hosts_)
      if (!std::regex_search(said, std::regex("(^|\\n) *" + host + "\\s"))) missing.push_back(host);
    return missing;
  }

  // What the first daemon wrote into its log next after it was ready.
  std::string why_not_joined() const {
    if (others_.size() + 1 < hosts_.size()) return "which did not answer";
    std::ifstream log(place_ / "0" / fmt::format("pvml.{}", geteuid()));
    bool ready = false;
    for (std::string line; std::getline(log, line); ready = ready || line.find(" ready ") != line.npos)
      if (ready) return "whose daemons did not start: " + line;
    return "whose daemons did not join it";
  }

  fs::path place_;
  std::vector<std::string> hosts_, others_;  // those that answer, without the first
  bool started_ = false;
  std::size_t daemons_at_first_ = 0;
};

int main_of(std::span<char*> arguments) {
  if (arguments.size() < 5 || std::string(arguments[3]) != "--") {
    std::fprintf(stderr, "whatwire: ww-lab-pvm is started by whatwire lab run\n");
    return 2;
  }
  const auto plan = read_plan(arguments[1]);
  if (!plan) {
    std::fprintf(stderr, "whatwire: %s\n", to_string(plan.error()).c_str());
    return 126;
  }
  Machine machine(*plan, arguments[1], arguments[2]);
  if (const auto started = machine.start(); !started) {
    std::fprintf(stderr, "whatwire: %s\n", to_string(started.error()).c_str());
    return 126;
  }
  const auto finished =
      run({.arguments = {arguments.begin() + 4, arguments.end()}, .end_when_interrupted = false});
  if (!finished) {
    std::fprintf(stderr, "whatwire: %s\n", to_string(finished.error()).c_str());
    return 126;
  }
  return finished->exit_code;
}

}  // namespace
}  // namespace ww::lab

int main(int argc, char** argv) {
  return ww::lab::main_of({argv, static_cast<std::size_t>(argc)});
}
