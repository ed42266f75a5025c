// Labs of two hosts, made and removed; in between what is installed runs on one.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/subprocess.hpp"
#include "doctor/checks.hpp"
#include "lab/lab.hpp"

namespace ww::doctor {
namespace {

volatile sig_atomic_t ended_by = 0;
void note(int signal) {
  ended_by = signal;
}

// A signal that would end us does so when the lab is gone again.
class Patience {
 public:
  Patience() {
    struct sigaction action = {};
    action.sa_handler = note;
    for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &action, &before_[i]);
  }
  ~Patience() {
    for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &before_[i], nullptr);
    if (ended_by != 0) raise(ended_by);
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(signals)] = {};
};

class TriedLab {
 public:
  explicit TriedLab(lab::WireKind kind)
      : name_(*lab::LabName::parse(fmt::format("doctor{}", getpid()))),
        up_(lab::up({.name = name_, .hosts = 2, .wire = {.kind = kind}})) {}
  ~TriedLab() {
    if (up_) (void)lab::down(name_);
  }
  TriedLab(const TriedLab&) = delete;
  TriedLab& operator=(const TriedLab&) = delete;
  const Result<void>& up() const { return up_; }
  const lab::LabName& name() const { return name_; }

 private:
  Patience patience_;
  lab::LabName name_;
  Result<void> up_;
};

// "", or why two ranks of that MPI do not exchange messages between the hosts.
std::string problem_on(const lab::LabName& lab, const Installation& mpi) {
  constexpr double patience_s = 20;
  const auto line = lab::launch_on(lab, hello(mpi));
  if (!line) return to_string(line.error());
  const auto done = run({.arguments = *line,
                         .output = Command::Output::capture,
                         .capture_errors = true,
                         .no_input = true,
                         .time_limit_s = patience_s,
                         .end_when_interrupted = false});
  if (!done) return to_string(done.error());
  if (done->interrupted) ended_by = SIGINT;
  if (done->timed_out) return fmt::format("no end after {:.0f} s", patience_s);
  if (done->exit_code == 0) return {};
  return fmt::format("exit code {}", done->exit_code);
}

Finding of(const char* subject, const Error& error) {
  return {subject, Working::limited, error.what + (error.where.empty() ? "" : ": " + error.where),
          error.remedy};
}

Finding switched(const std::vector<Installation>& installed) {
  const TriedLab tried(lab::WireKind::switched);
  if (!tried.up()) return of("lab", tried.up().error());
  std::string ran;
  for (const Installation& mpi : installed) {
    if (!mpi.runs) continue;
    if (const std::string problem = problem_on(tried.name(), mpi); !problem.empty())
      return {"lab", Working::limited,
              fmt::format("{} does not run on a lab's hosts: {}", mpi.library->title, problem),
              fmt::format("whatwire lab up --rate none && whatwire lab run -- {}", shell_quoted(hello(mpi)))};
    ran += (ran.empty() ? "" : " and ") + std::string(mpi.library->title);
  }
  const auto state = lab::status(tried.name());
  std::string made = "two hosts made and removed" + (ran.empty() ? "" : "; " + ran + " ran on them");
  if (state && (*state)["cores"].contains("asleep_because"))
    made += "; cores sleep on it while nothing runs, so that programs of PVM are slower on slow wires (" +
            (*state)["cores"]["asleep_because"].get<std::string>() + ")";
  if (!state || !(*state)["switch"].contains("missing_rights")) return {"lab", Working::good, made, ""};
  return {
      "lab", Working::limited,
      made + "; its switch is less exact: " + (*state)["switch"]["missing_rights"].get<std::string>(),
      "rates are kept less exactly when other programs want the cores; run as root, or allow it: ulimit -r "
      "50, ulimit -l unlimited"};
}

// Wires that are the kernel's own.
Finding of_kernel(const char* subject, lab::WireKind kind) {
  const TriedLab tried(kind);
  if (!tried.up()) {
    Finding found = of(subject, tried.up().error());
    if (found.remedy.empty()) found.remedy = "do without, the lab's own switch does more: whatwire lab up";
    return found;
  }
  return {subject, Working::good,
          fmt::format("two hosts made and removed: whatwire lab up --wire {}", lab::to_string(kind)), ""};
}

}  // namespace

Finding namespaces() {
  const auto rights = lab::possible();
  if (!rights) return of("namespaces", rights.error());
  return {"namespaces", Working::good,
          *rights == lab::Rights::root ? "can be made" : "can be made within a user namespace", ""};
}

std::vector<Finding> labs(const std::vector<Installation>& installed) {
  return {switched(installed), of_kernel("lab (kernel)", lab::WireKind::kernel),
          of_kernel("lab (tbf)", lab::WireKind::tbf)};
}

}  // namespace ww::doctor
