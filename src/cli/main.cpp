// whatwire: standard streams that can be relied on, then the command line (run.hpp).
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "cli/run.hpp"

namespace {

// A standard stream that was closed before we started: the next file that is opened must not take its place
// and be written to instead. Writing to standard output then fails; what goes to standard error is lost.
void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)!open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

// A reader that went away must not end the work half-done: writes fail instead. A handler and not SIG_IGN,
// which the programs that we start would inherit. False where the signal was ignored already.
bool survive_broken_pipes() {
  struct sigaction before = {}, action = {};
  if (sigaction(SIGPIPE, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return false;
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  return sigaction(SIGPIPE, &action, nullptr) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  reserve_standard_streams();
  const bool ends_by_signal = survive_broken_pipes();
  int problem = 0;
  const int code = ww::cli::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), problem);
  if (std::fflush(stdout) != 0 && problem == 0) problem = errno;
  if (problem == 0 && std::ferror(stdout) == 0) return code;
  if (problem == EPIPE && ends_by_signal) {  // as others do: `whatwire report x.ww | head -1`
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  return code != 0 && problem == 0 ? code : ww::cli::standard_output_failed(problem);
}
