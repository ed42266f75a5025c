#include "lab/switch/in_namespace.hpp"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/subprocess.hpp"

extern char** environ;

namespace ww::lab {

Result<void> enter_network(int namespace_fd) {
  if (setns(namespace_fd, CLONE_NEWNET) == 0) return {};
  return fail("cannot enter a network namespace", std::strerror(errno), "run as root");
}

// posix_spawn and not fork: a fork would make every page of the running switch copy-on-write.
Result<void> run_with_input(const std::vector<std::string>& arguments, const std::string& input) {
  const int in = memfd_create("input", MFD_CLOEXEC);
  const int said = memfd_create("said", MFD_CLOEXEC);
  if (in < 0 || said < 0 || write(in, input.data(), input.size()) != static_cast<ssize_t>(input.size()))
    return fail("cannot prepare input for " + arguments[0], std::strerror(errno));
  lseek(in, 0, SEEK_SET);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, said, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, said, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const std::string program = find_program(arguments[0]).value_or("/usr/sbin/" + arguments[0]);
  const int problem = posix_spawn(&child, program.c_str(), &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (problem == 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  std::array<char, 512> text{};
  const ssize_t length = pread(said, text.data(), text.size(), 0);
  close(in);
  close(said);
  if (problem != 0)
    return fail("cannot start " + arguments[0], std::strerror(problem), "apt-get install iproute2");
  if (status == 0) return {};
  std::string words(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  for (char& c : words)
    if (c == '\n') c = ' ';
  return fail(arguments[0] + " failed", words + "(given: " + input + ")");
}

Result<void> set_kernel(const std::string& path, const std::string& value) {
  std::ofstream file("/proc/sys/" + path);
  file << value << std::flush;
  if (file.good()) return {};
  return fail("cannot set a kernel parameter", path + " = " + value);
}

}  // namespace ww::lab
