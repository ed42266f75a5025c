// What the processor and the kernel allow programs to do.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "doctor/checks.hpp"

namespace ww::doctor {
namespace {

char readable = 'x';

// As Open MPI does it between ranks of one host: processes of one parent, which allow it to all. Gives errno.
int read_a_sister() {
  std::array<int, 2> ready{};
  if (pipe2(ready.data(), O_CLOEXEC) != 0) return errno;
  const pid_t first = fork();
  if (first == 0) {
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    [[maybe_unused]] const ssize_t told = write(ready[1], "", 1);
    pause();
    _exit(0);
  }
  const pid_t second = first < 0 ? -1 : fork();
  if (second == 0) {
    char got = 0;
    (void)!read(ready[0], &got, 1);
    const iovec here{&got, 1}, there{&readable, 1};
    _exit(process_vm_readv(first, &here, 1, &there, 1, 0) == 1 && got == 'x' ? 0 : errno);
  }
  int status = 0;
  if (second > 0) waitpid(second, &status, 0);
  if (first > 0) {
    kill(first, SIGKILL);
    waitpid(first, nullptr, 0);
  }
  close(ready[0]);
  close(ready[1]);
  return second > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

}  // namespace

Finding memory_of_others() {
  const int problem = read_a_sister();
  if (problem == 0)
    return {"ptrace", Working::good, "ranks of a host may copy from one another's memory", ""};
  return {
      "ptrace", Working::limited,
      fmt::format(
          "ranks of a host may not copy from one another's memory: {}; Open MPI complains and copies large "
          "messages twice",
          std::strerror(problem)),
      "a container needs --cap-add SYS_PTRACE; or export OMPI_MCA_btl_vader_single_copy_mechanism=none"};
}

Finding clock() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("flags")) {
      if (line.find(" constant_tsc") != std::string::npos && line.find(" nonstop_tsc") != std::string::npos)
        return {"clock", Working::good, "invariant time stamp counter", ""};
      return {"clock", Working::limited,
              "the time stamp counter is not invariant; clock_gettime is used, which costs more",
              "nothing to do; times stay right, recording a call costs more"};
    }
  return {"clock", Working::limited, "no time stamp counter known; clock_gettime is used",
          "nothing to do; times stay right, recording a call costs more"};
}

Finding cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return {"cores", allowed > 1 ? Working::good : Working::limited,
          fmt::format("{} usable: times of more busy ranks than that are disturbed", allowed),
          allowed > 1 ? "" : "use a machine with a core for each rank"};
}

}  // namespace ww::doctor
