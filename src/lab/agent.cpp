// ww-lab-agent: puts a program on a host of a lab.
//   ww-lab-agent --on DIR K -- PROGRAM...    on host K of the lab in DIR; its standard streams, working
//   directory and
//                                            environment stay
//   ww-lab-agent [-x] HOST COMMAND...        as rsh or ssh would (Open MPI's plm_rsh_agent, hydra's
//                                            -launcher-exec): on the host of
//   that name of
//                                            the lab that $WHATWIRE_LAB names
// On the host means: its network namespace, a UTS namespace with its host name, its /etc/hosts, and one core:
// host k's processes on the k-th of the usable cores, in turn, since every daemon of a launcher would
// otherwise begin at the first.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "lab/plan.hpp"

namespace ww::lab {
namespace {

constexpr const char* lab_variable = "WHATWIRE_LAB";
constexpr const char* cores_variable = "WHATWIRE_LAB_CORES";

Error system_error(std::string what, std::string where = {}) {
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

Result<int> open_namespace(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return tl::unexpected(system_error("cannot open a host's namespace", path));
  return fd;
}

Result<void> enter(const std::filesystem::path& lab, std::size_t k) {
  WW_TRY(const Plan plan, read_plan(lab));
  WW_TRY(const Running running, read_running(lab));
  if (k >= plan.hosts.size()) return fail("the lab has no such host", std::to_string(k));
  WW_TRY(const int network, open_namespace(running.namespaces[k]));
  if (running.own_user_namespace && geteuid() != 0) {
    WW_TRY(const int user, open_namespace(fmt::format("/proc/{}/ns/user", running.pid)));
    if (setns(user, CLONE_NEWUSER) != 0)
      return tl::unexpected(system_error("cannot enter the lab's user namespace"));
  }
  if (setns(network, CLONE_NEWNET) != 0)
    return tl::unexpected(system_error("cannot enter a host's network namespace"));
  if (unshare(CLONE_NEWUTS | CLONE_NEWNS) != 0)
    return tl::unexpected(system_error("cannot make a host's name and mount namespaces"));
  const PlannedHost& host = plan.hosts[k];
  if (sethostname(host.name.c_str(), host.name.size()) != 0)
    return tl::unexpected(system_error("cannot set a host's name", host.name));
  // Later mounts of the machine still show here; ours do not show there. In a chroot, whose root is no mount,
  // or where there is no /etc/hosts, the hosts keep what there is: the launcher needs their addresses, not
  // their names.
  if ((mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0 ||
       mount((lab / "hosts").c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0) &&
      errno != EINVAL && errno != ENOENT)
    return tl::unexpected(system_error("cannot give a host its /etc/hosts"));
  // The machine's /sys shows the interfaces of the machine; UCX looks for the host's there. Who cannot look
  // elsewhere says so himself.
  (void)mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
  const std::string cores = usable_cores();
  setenv(cores_variable, cores.c_str(), 1);
  setenv(lab_variable, lab.c_str(), 1);
  // Open MPI asks for these before it lets root (here perhaps only that of a user namespace) run anything.
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  pin(k, cores);
  return {};
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
  std::from_chars(index.data(), index.data() + index.size(), k);
  if (const auto entered = enter(lab, k); !entered) return entered.error();
  return become({command.begin(), command.end()});
}

Error run_as_remote_shell(const std::string& host, std::span<char*> words) {
  const char* lab = std::getenv(lab_variable);
  if (lab == nullptr) return {"no lab", lab_variable, "start programs with whatwire lab run"};
  const auto plan = read_plan(lab);
  if (!plan) return plan.error();
  for (std::size_t k = 0; k < plan->hosts.size(); ++k) {
    if (plan->hosts[k].name != host && plan->hosts[k].address != host &&
        plan->hosts[k].management_address != host)
      continue;
    if (const auto entered = enter(lab, k); !entered) return entered.error();
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
