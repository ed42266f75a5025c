// ww-lab-agent: puts a program on a host of a lab.
//   ww-lab-agent --on DIR K -- PROGRAM...    on host K of the lab in DIR; its standard streams, working
//                                            directory and environment stay. Signals that we get are passed
//                                            on to it, its end is ours.
//   ww-lab-agent [-x] HOST COMMAND...        as rsh or ssh would (Open MPI's plm_rsh_agent, hydra's
//                                            -launcher-exec): on the host of that name of the lab that
//                                            $WHATWIRE_LAB names. Started within the lab only.
// On the host means: its network namespace, the lab's PID namespace, a UTS namespace with its host name, its
// /etc/hosts, and one core: host k's processes on the k-th of the usable cores, in turn, since every daemon
// of a launcher would otherwise begin at the first.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "lab/lab_plan.hpp"
#include "lab/pvm_machine.hpp"

namespace ww::lab {
namespace {

constexpr const char* lab_variable = "WHATWIRE_LAB";
constexpr const char* cores_variable = "WHATWIRE_LAB_CORES";
// The number of the lab's first process in the /proc that the hosts see, by which those within the lab find
// its namespaces.
constexpr const char* init_variable = "WHATWIRE_LAB_INIT";

Error system_error(std::string what, const std::string& where = {}) {
  return {std::move(what), where + (where.empty() ? "" : ": ") + std::strerror(errno), ""};
}

// "0,1": the cores that the launch may use. Asked once, at the outermost agent, since those within it are
// pinned already.
std::string usable_cores() {
  if (const char* known = std::getenv(cores_variable)) return known;
  cpu_set_t set;
  CPU_ZERO(&set);
  std::string text;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) text += (text.empty() ? "" : ",") + std::to_string(core);
  return text;
}

void pin(std::size_t host, const std::string& cores) {
  std::vector<int> list;
  for (const char *at = cores.data(), *end = at + cores.size(); at < end;) {
    int core = 0;
    const auto parsed = std::from_chars(at, end, core);
    if (parsed.ec != std::errc()) return;
    list.push_back(core);
    at = parsed.ptr + 1;
  }
  if (list.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(list[host % list.size()], &set);
  // A core that has gone meanwhile leaves the process unpinned, which is no error.
  (void)sched_setaffinity(0, sizeof set, &set);
}

Result<int> open_namespace(const std::string& path, int kind) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return tl::unexpected(system_error("cannot open a host's namespace", path));
  if (ioctl(fd, NS_GET_NSTYPE) == kind) return fd;
  close(fd);
  return fail("this is no namespace of a lab", path);
}

// The user namespace, if the lab has its own, and its PID namespace, which children of ours are then in.
Result<void> enter_lab(const Running& running) {
  const auto of_switch = [&](const char* what) {
    return fmt::format("/proc/{}/{}", running.process.pid, what);
  };
  WW_TRY(const int processes,
         open_namespace(of_switch(fmt::format("fd/{}", running.processes).c_str()), CLONE_NEWPID));
  if (running.own_user_namespace) {
    WW_TRY(const int user, open_namespace(of_switch("ns/user"), CLONE_NEWUSER));
    if (setns(user, CLONE_NEWUSER) != 0)
      return tl::unexpected(system_error("cannot enter the lab's user namespace"));
    close(user);
  }
  if (setns(processes, CLONE_NEWPID) != 0)
    return tl::unexpected(system_error("cannot enter the lab's namespace of processes"));
  close(processes);
  return {};
}

// Later mounts of the machine still show on the host; those of the host do not show on the machine. In a
// chroot, whose root is no mount, this holds for what is one by itself.
bool set_apart(const char* path) {
  static const bool all = mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0;
  return all || mount("none", path, nullptr, MS_SLAVE, nullptr) == 0;
}

Result<void> mount_files(const std::filesystem::path& lab) {
  // Where there is no /etc/hosts, or it cannot be set apart, the hosts keep what there is: the launcher needs
  // their addresses, not their names.
  if (set_apart("/etc/hosts") &&
      mount((lab / "hosts").c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0 && errno != EINVAL &&
      errno != ENOENT)
    return tl::unexpected(system_error("cannot give a host its /etc/hosts"));
  // The machine's /sys shows the interfaces of the machine; UCX looks for the host's there. Who cannot look
  // elsewhere says so himself.
  constexpr unsigned long plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (set_apart("/sys")) (void)mount("sysfs", "/sys", "sysfs", plain, nullptr);
  // A container may forbid this one. Then /proc/self still is what it should be, /proc/NUMBER is not.
  if (set_apart("/proc") && mount("proc", "/proc", "proc", plain, nullptr) == 0)
    setenv(init_variable, "1", 1);
  return {};
}

// In the lab's PID namespace.
Result<void> enter_host(const std::filesystem::path& lab, const Plan& plan, std::size_t k,
                        const std::string& network_path) {
  if (k >= plan.hosts.size()) return fail("the lab has no such host", std::to_string(k));
  WW_TRY(const int network, open_namespace(network_path, CLONE_NEWNET));
  if (setns(network, CLONE_NEWNET) != 0)
    return tl::unexpected(system_error("cannot enter a host's network namespace"));
  if (unshare(CLONE_NEWUTS | CLONE_NEWNS) != 0)
    return tl::unexpected(system_error("cannot make a host's name and mount namespaces"));
  const PlannedHost& host = plan.hosts[k];
  if (sethostname(host.name.c_str(), host.name.size()) != 0)
    return tl::unexpected(system_error("cannot set a host's name", host.name));
  WW_CHECK(mount_files(lab));
  const std::string cores = usable_cores();
  setenv(cores_variable, cores.c_str(), 1);
  setenv(lab_variable, lab.c_str(), 1);
  // Open MPI asks for these before it lets root (here perhaps only that of a user namespace) run anything.
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  // A daemon of PVM's is known by a file, of which hosts that share a file system need one each.
  if (const char* machine = std::getenv(pvm_place_variable)) {
    const std::string place = fmt::format("{}/{}", machine, k);
    (void)mkdir(place.c_str(), 0700);
    setenv("PVM_TMP", place.c_str(), 1);
  }
  pin(k, cores);
  return {};
}

// Between a caller, who knows us only, and the program: what ends or concerns us is passed on.
class Relay {
 public:
  Relay() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD})
      sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
    passed_ = set;
    children_before_ = ::signal(SIGCHLD, SIG_DFL);  // a caller may ignore it: then no end would be told
  }
  // In the child: as the caller had it.
  void give_back() const {
    ::signal(SIGCHLD, children_before_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  // Gives its wait status.
  int until_the_end_of(pid_t child) const {
    for (;;) {
      siginfo_t info;
      const int signal = sigwaitinfo(&passed_, &info);
      int status = 0;
      if (signal == SIGCHLD && waitpid(child, &status, WNOHANG) == child) return status;
      // A key of the terminal reached the program by itself: a second one would make launchers abort.
      if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) kill(child, signal);
    }
  }

 private:
  sigset_t before_ = {}, passed_ = {};
  sighandler_t children_before_ = SIG_DFL;
};

[[noreturn]] void end_as(int status) {
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);  // the program's own core is there
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  _exit(128 + signal);
}

Error become(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return system_error("cannot start " + command[0]);
}

Error run_on(const std::string& lab, const std::string& index, std::span<char*> command) {
  std::size_t k = 0;
  const auto parsed = std::from_chars(index.data(), index.data() + index.size(), k);
  if (parsed.ec != std::errc() || parsed.ptr != index.data() + index.size())
    return {"a host of a lab is a number", index, "", true};
  const auto plan = read_plan(lab);
  if (!plan) return plan.error();
  const auto running = read_running(lab);
  if (!running) return running.error();
  if (k >= running->networks.size()) return {"the lab has no such host", index, ""};
  if (const auto entered = enter_lab(*running); !entered) return entered.error();
  const Relay relay;
  const pid_t child = fork();
  if (child < 0) return system_error("cannot start a process in the lab");
  if (child > 0) end_as(relay.until_the_end_of(child));
  relay.give_back();
  setenv(init_variable, std::to_string(running->init.pid).c_str(), 1);
  const auto entered = enter_host(lab, *plan, k, running->network(k));
  if (!entered) return entered.error();
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a launcher whose agent is gone would answer to nobody
  return become({command.begin(), command.end()});
}

Error run_as_remote_shell(const std::string& host, std::span<char*> words) {
  const char* lab = std::getenv(lab_variable);
  const char* init = std::getenv(init_variable);
  if (lab == nullptr || init == nullptr)
    return {"no lab", lab_variable, "start programs with whatwire lab run"};
  const auto plan = read_plan(lab);
  if (!plan) return plan.error();
  const auto running = read_running(lab);
  if (!running) return running.error();
  for (std::size_t k = 0; k < plan->hosts.size() && k < running->networks.size(); ++k) {
    if (plan->hosts[k].name != host && plan->hosts[k].address != host &&
        plan->hosts[k].management_address != host)
      continue;
    const std::string network = fmt::format("/proc/{}/fd/{}", init, running->networks[k]);
    if (const auto entered = enter_host(lab, *plan, k, network); !entered) return entered.error();
    // It is a daemon of PVM's that this host gets.
    if (const char* preload = std::getenv(pvm_preload_variable)) setenv("LD_PRELOAD", preload, 1);
    std::string line;  // as ssh: the words joined by spaces, for a shell
    for (const char* word : words) line += std::string(line.empty() ? "" : " ") + word;
    return become({"/bin/sh", "-c", line});
  }
  return {"the lab has no such host", host, ""};
}

int main_of(std::span<char*> arguments) {
  Error error{"ww-lab-agent is started by whatwire lab run", "", "", true};
  if (arguments.size() >= 6 && std::string(arguments[1]) == "--on" && std::string(arguments[4]) == "--")
    error = run_on(arguments[2], arguments[3], arguments.subspan(5));
  else if (arguments.size() >= 4 && std::string(arguments[1]) == "-x")  // as hydra says to ssh: no X11
    error = run_as_remote_shell(arguments[2], arguments.subspan(3));
  else if (arguments.size() >= 3 && arguments[1][0] != '-')
    error = run_as_remote_shell(arguments[1], arguments.subspan(2));
  std::fprintf(stderr, "whatwire: %s\n", to_string(error).c_str());
  return error.usage ? 2 : 126;
}

}  // namespace
}  // namespace ww::lab

int main(int argc, char** argv) {
  return ww::lab::main_of({argv, static_cast<std::size_t>(argc)});
}
