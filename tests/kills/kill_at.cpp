// kill_at N START COMMAND...    ends COMMAND, with all its threads, at its Nth system call since START
//
// START: the system call that begins the count. "PATH:TEXT": the first that names a path with TEXT in it;
// "child": the first that waited for a child which has ended; "begin": the very first.
// The call at which it is ended is not carried out; calls of all threads count, those of its children do not.
// N 0: it is never ended. The last line of standard error is one JSON object:
// {"calls": how many there were since START, "killed": N was reached, "at": the number of that system call,
//  "exit": the exit code, or 128 + the signal}
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <set>
#include <string>

namespace {

// The positions of paths among a system call's arguments.
std::initializer_list<int> paths_of(long call) {
  static constexpr std::initializer_list<int> first{0}, second{1}, first_two{0, 1}, of_rename{1, 3}, none{};
  switch (call) {
    case SYS_open:
    case SYS_stat:
    case SYS_lstat:
    case SYS_access:
    case SYS_mkdir:
    case SYS_rmdir:
    case SYS_unlink:
    case SYS_truncate:
    case SYS_chmod:
      return first;
    case SYS_rename:
      return first_two;
    case SYS_openat:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_faccessat:
    case SYS_faccessat2:
    case SYS_mkdirat:
    case SYS_unlinkat:
      return second;
    case SYS_renameat:
    case SYS_renameat2:
      return of_rename;
    default:
      return none;
  }
}

std::string text_at(pid_t process, unsigned long address) {
  char buffer[4096];
  iovec here{buffer, sizeof buffer}, there{reinterpret_cast<void*>(address), sizeof buffer};
  ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
  if (got < 0) {  // the end of what is mapped: to the end of its page
    there.iov_len = here.iov_len = 4096 - address % 4096;
    got = process_vm_readv(process, &here, 1, &there, 1, 0);
  }
  return got <= 0 ? "" : std::string(buffer, strnlen(buffer, static_cast<std::size_t>(got)));
}

struct Start {
  std::string path;
  bool child = false;
  bool seen = false;
};

bool begins(const Start& start, pid_t thread, const __ptrace_syscall_info& info, long last_call) {
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY && !start.path.empty())
    for (const int place : paths_of(static_cast<long>(info.entry.nr)))
      if (text_at(thread, info.entry.args[place]).find(start.path) != std::string::npos) return true;
  return info.op == PTRACE_SYSCALL_INFO_EXIT && start.child && last_call == SYS_wait4 && info.exit.rval > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const long wanted = std::strtol(argv[1], nullptr, 10);
  Start start;
  const std::string from = argv[2];
  if (from.starts_with("PATH:")) start.path = from.substr(5);
  start.child = from == "child";
  start.seen = from == "begin";
  const pid_t process = fork();
  if (process == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  int status = 0;
  waitpid(process, &status, 0);
  ptrace(PTRACE_SETOPTIONS, process, nullptr,
         PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
  ptrace(PTRACE_SYSCALL, process, nullptr, 0);
  long calls = 0, at = -1, last_call = -1;
  int exit_code = -1;
  bool killed = false;
  while (exit_code < 0) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) break;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == process) exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      signal = 0;
      __ptrace_syscall_info info{};
      ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
      const bool entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
      if (entry && thread == process) last_call = static_cast<long>(info.entry.nr);
      if (!start.seen) start.seen = begins(start, thread, info, last_call);
      if (start.seen && entry && !killed) {
        ++calls;
        if (calls == wanted) {
          killed = true;
          at = static_cast<long>(info.entry.nr);
          kill(process, SIGKILL);
          continue;
        }
      }
    } else if (signal == SIGTRAP || status >> 16 != 0) {
      signal = 0;  // an event of ours
    } else if (signal == SIGSTOP) {
      signal = 0;  // a new thread begins
    }
    if (!killed) ptrace(PTRACE_SYSCALL, thread, nullptr, signal);
  }
  std::fprintf(stderr, "\n{\"calls\": %ld, \"killed\": %s, \"at\": %ld, \"exit\": %d}\n", calls,
               killed ? "true" : "false", at, exit_code);
  return 0;
}
