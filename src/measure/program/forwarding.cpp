// S1's experiment 5 under PVM: messages that are forwarded through the host of rank 0 while that computes Q, which takes longer by R + S for
// each. PVM's daemons forward between the tasks of their own host and the network, and between those tasks, not from one network to
// another. So a further task on the host of rank 0, which its daemon starts, passes each message on: from a task elsewhere (the source)
// to one on a third host (the target), and back the same way; straight back where there is no target. By the default route the daemon of that
// host takes each in and stores it, hands it to that task, takes it from it and sends it on. One message at a time, as in S1.
//
// Read before and after Q, and so without disturbing it: what the kernel says the daemon and that task ran (/proc/PID/schedstat). Q loses
// what runs on its core. Where rank 0 may use several cores, that task keeps off the one that Q has (S1's forwarding has no F, A or U, and
// the experiments of R and F + S have no such task), and the daemon is left where it is, as in those experiments; where there is one core (in a lab, or
// pinned), that task's time is taken off what Q lost, to be S1's R + S. The user's daemon is never bound to anything.
//
// The echo through the host is timed at its source while rank 0 computes Q and while it sleeps.
#include "measure/program/forwarding.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/processors.hpp"
#include "library/pvm.hpp"
#include "measure/program/computation.hpp"
#include "measure/program/experiment.hpp"
#include "measure/program/in_turn.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr int tag = 13, word_tag = 14, nobody = -1;
constexpr std::int64_t forwards = 8;  // of one Q
constexpr double clear_s = 300e-6;    // until what rank 0 sent and got has gone, its acknowledgement too
constexpr double first_stretch = 1.5, most_stretch = 20;
constexpr std::size_t most_samples = 100, fewest_samples = 3, enough_samples = 5;
constexpr double most_kept_alone = 0.01;  // of Q alone: in which something else had its core

// What rank 0 must know of a task to choose it: whether it computes on the same machine, and where there.
struct Place {
  std::uint64_t machine = 0;
  cpu_set_t cores{};
};

Place own_place() {
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(boot, line);
  Place place;
  place.machine = std::hash<std::string>{}(line);
  CPU_ZERO(&place.cores);
  (void)sched_getaffinity(0, sizeof place.cores, &place.cores);
  return place;
}

cpu_set_t without(cpu_set_t cores, int core) {
  CPU_CLR(core, &cores);
  return cores;
}

// Of this process, for as long as the experiment lasts.
class OnCores {
 public:
  // None: stays where it is.
  explicit OnCores(const cpu_set_t& cores) {
    if (CPU_COUNT(&cores) > 0 && sched_getaffinity(0, sizeof before_, &before_) == 0)
      changed_ = sched_setaffinity(0, sizeof cores, &cores) == 0;
  }
  ~OnCores() {
    if (changed_) (void)sched_setaffinity(0, sizeof before_, &before_);
  }
  OnCores(const OnCores&) = delete;
  OnCores& operator=(const OnCores&) = delete;

 private:
  cpu_set_t before_{};
  bool changed_ = false;
};

struct Roles {
  int source = nobody, target = nobody;
  int core = 0;               // of Q
  std::uint64_t machine = 0;  // of Q
};

// What the task beside rank 0 says of itself and of the daemon that started it. Numbers as /proc has them, which may be those of an outer
// namespace. `parent` 0: that is no daemon of PVM's.
struct Beside {
  std::int64_t self = 0, parent = 0;
  int self_on_core = 0, parent_on_core = 0;  // of Q, and on no other
};

struct Train {
  std::int64_t bytes = 0;  // < 0: stop
  std::int64_t echoes = 0;
  double delay_s = 0;  // of the source, before the first
};

// Of the task beside rank 0, by the clock of its host: when it had the first message, and when it had sent the last on.
struct Passed {
  double first_s = 0, last_s = 0;
};

template <class T>
void give(const T& value, int to, MPI_Comm comm) {
  MPI_Send(&value, sizeof value, MPI_BYTE, to, word_tag, comm);
}
template <class T>
T got(int from, MPI_Comm comm) {
  T value{};
  MPI_Recv(&value, sizeof value, MPI_BYTE, from, word_tag, comm, MPI_STATUS_IGNORE);
  return value;
}

// How long a process has run so far. Nothing where it is not to be seen.
std::optional<double> ran_s(std::int64_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/schedstat");
  double ran_ns = 0;
  return process > 0 && in >> ran_ns ? std::optional(ran_ns * 1e-9) : std::nullopt;
}

struct Case {
  std::int64_t bytes;
  Arithmetic arithmetic;
  std::vector<double> loss_s = {}, daemon_s = {}, passing_s = {};  // for each message that was forwarded
  std::vector<double> kept_alone = {};                             // of each of these, the share of Q alone
  std::vector<double> idle_echo_s = {}, echo_s = {};
  double stretch =
      first_stretch;  // of Q over what its messages need: more when some came too early or too late
};

// What Q shares its core with besides takes what the daemon does from both. Samples whose Q alone was not alone are left out where there are
// enough others; how long Q was with the messages has no part in that.
void leave_out_disturbed(Case& one) {
  const auto is_alone = [](double kept) { return kept <= most_kept_alone; };
  const std::vector<double> kept = one.kept_alone;
  if (static_cast<std::size_t>(std::ranges::count_if(kept, is_alone)) < enough_samples) return;
  for (std::vector<double>* samples : {&one.loss_s, &one.daemon_s, &one.passing_s}) {
    if (samples->size() != kept.size()) continue;
    std::vector<double> left;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (is_alone(kept[i])) left.push_back((*samples)[i]);
    *samples = left;
  }
}

// Rank 0.
class Node {
 public:
  Node(MPI_Comm comm, int beside, const Roles& roles, const Beside& processes)
      : comm_(comm), beside_(beside), roles_(roles), processes_(processes) {}

  double expected_s(const Case& one) const {
    return 4 * q_s(one) + static_cast<double>(echoes()) * echo_s(one);
  }

  void sample(Case& one) {
    const auto idle = run(one, 0, nullptr);
    one.idle_echo_s.insert(one.idle_echo_s.end(), idle.echo_s.begin(), idle.echo_s.end());
    const double delay_s = delay_of(one), all_s = q_s(one);
    const std::int64_t turns = turns_for(one.arithmetic, all_s);
    compute(one.arithmetic, turns / 10 + 1);  // the first turns after a call are slower
    const double waited_s = thread_waited_s().value_or(0), alone_s = timed(one.arithmetic, turns);
    double kept_s = thread_waited_s().value_or(0) - waited_s;
    double begin = 0, with_s = 0;
    std::optional<double> daemon_s, passing_s;
    const auto seen = run(one, delay_s, [&] {
      compute(one.arithmetic, turns_for(one.arithmetic, clear_s));
      const auto daemon = ran_s(processes_.parent), passing = ran_s(processes_.self);
      begin = now_s();
      with_s = timed(one.arithmetic, turns);
      if (const auto now = ran_s(processes_.parent); daemon && now) daemon_s = *now - *daemon;
      if (const auto now = ran_s(processes_.self); passing && now) passing_s = *now - *passing;
    });
    const double waited_again_s = thread_waited_s().value_or(0), alone_again_s = timed(one.arithmetic, turns);
    kept_s += thread_waited_s().value_or(0) - waited_again_s;
    const double end = begin + with_s, leaving_s = stats::median(one.idle_echo_s) / 2;
    if (seen.passed.first_s < begin || seen.passed.last_s + leaving_s > end) {
      one.stretch = std::min(most_stretch, one.stretch * 1.5);
      return;
    }
    one.echo_s.insert(one.echo_s.end(), seen.echo_s.begin(), seen.echo_s.end());
    one.loss_s.push_back((with_s - (alone_s + alone_again_s) / 2) / forwards);
    one.kept_alone.push_back(kept_s / (alone_s + alone_again_s));
    if (daemon_s) one.daemon_s.push_back(*daemon_s / forwards);
    if (passing_s) one.passing_s.push_back(*passing_s / forwards);
  }

  void stop(int ranks) {
    for (int rank = 1; rank < ranks; ++rank) give(Train{-1, 0, 0}, rank, comm_);
  }

  // Where they share Q's core what the passing task took must be known to be taken off.
  bool gives_r_and_s(const Case& one) const {
    return processes_.self_on_core == 0 || one.passing_s.size() == one.loss_s.size();
  }
  std::vector<double> r_and_s(const Case& one) const {
    std::vector<double> seconds = one.loss_s;
    if (processes_.self_on_core != 0)
      for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] -= one.passing_s[i];
    return seconds;
  }

 private:
  struct Seen {
    std::vector<double> echo_s;
    Passed passed;
  };

  std::int64_t echoes() const { return roles_.target == nobody ? forwards : forwards / 2; }
  static double echo_s(const Case& one) {
    if (!one.echo_s.empty()) return stats::median(one.echo_s);
    return one.idle_echo_s.empty() ? 1e-3 : 1.5 * stats::median(one.idle_echo_s);
  }
  // Of the source: until Q has begun for certain.
  static double delay_of(const Case& one) {
    return clear_s + (200e-6 + 2 * echo_s(one)) * one.stretch / first_stretch;
  }
  double q_s(const Case& one) const {
    return delay_of(one) + one.stretch * static_cast<double>(echoes()) * echo_s(one);
  }
  static double timed(Arithmetic arithmetic, std::int64_t turns) {
    const double begin = now_s();
    compute(arithmetic, turns);
    return now_s() - begin;
  }

  // Has the messages sent, once all are ready for it; meanwhile does `work`, or sleeps.
  Seen run(const Case& one, double delay_s, const std::function<void()>& work) const {
    const Train train{one.bytes, echoes(), delay_s};
    for (const int rank : {beside_, roles_.target, roles_.source})
      if (rank != nobody) {
        give(train, rank, comm_);
        got<char>(rank, comm_);
      }
    if (work) {
      work();
      give(char{}, roles_.source, comm_);  // not before: what it has to say would come in during the work
    }
    Seen seen;
    seen.echo_s.resize(static_cast<std::size_t>(echoes()));
    MPI_Recv(seen.echo_s.data(), static_cast<int>(seen.echo_s.size()), MPI_DOUBLE, roles_.source, word_tag,
             comm_, MPI_STATUS_IGNORE);
    give(char{}, beside_, comm_);
    seen.passed = got<Passed>(beside_, comm_);
    return seen;
  }

  MPI_Comm comm_;
  int beside_;
  Roles roles_;
  Beside processes_;
};

// Messages whose contents do not matter, to and from one rank.
struct Messages {
  MPI_Comm comm;
  std::int64_t bytes;
  BlankBuffer& out;
  BlankBuffer& in;
  void send(int to) { MPI_Send(out.data(), static_cast<int>(bytes), MPI_BYTE, to, tag, comm); }
  void receive(int from) {
    MPI_Recv(in.data(), static_cast<int>(bytes), MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
  }
};

// The source's and the target's part, and that of ranks that have none: until the end.
void serve(MPI_Comm comm, int rank, int beside, const Roles& roles) {
  const Place own = own_place();
  const OnCores off_q(own.machine == roles.machine ? without(own.cores, roles.core) : cpu_set_t{});
  BlankBuffer out, in;
  for (BlankBuffer* one : {&out, &in})
    one->grow(static_cast<std::size_t>(std::ranges::max(underlying_sizes)) + 1);
  for (Train train; train = got<Train>(0, comm), train.bytes >= 0;) {
    Messages messages{comm, train.bytes, out, in};
    give(char{}, 0, comm);
    if (rank == roles.target) {
      for (std::int64_t i = 0; i < train.echoes; ++i) messages.receive(beside), messages.send(beside);
      continue;
    }
    spin(train.delay_s);
    std::vector<double> echo_s;
    for (std::int64_t i = 0; i < train.echoes; ++i) {
      const double begin = now_s();
      messages.send(beside);
      messages.receive(beside);
      echo_s.push_back(now_s() - begin);
    }
    if (train.delay_s > 0) got<char>(0, comm);
    MPI_Send(echo_s.data(), static_cast<int>(echo_s.size()), MPI_DOUBLE, 0, word_tag, comm);
  }
}

// Of tasks that can send without taking anything of Q's core: on other hosts, if there are any, and the target on a third one.
Roles choose_roles(const std::vector<std::string>& hosts, const std::vector<Place>& places) {
  Roles roles;
  roles.core = sched_getcpu();
  roles.machine = places.front().machine;
  const auto find = [&](bool here, int beside) {
    for (int rank = 1; rank < static_cast<int>(hosts.size()); ++rank) {
      const auto& place = places[static_cast<std::size_t>(rank)];
      const cpu_set_t others = without(place.cores, roles.core);
      if (place.machine == roles.machine && CPU_COUNT(&others) == 0) continue;
      const auto& host = hosts[static_cast<std::size_t>(rank)];
      if ((host == hosts.front()) != here) continue;
      if (beside == nobody || host != hosts[static_cast<std::size_t>(beside)]) return rank;
    }
    return nobody;
  };
  roles.source = find(false, nobody);
  if (roles.source != nobody)
    roles.target = find(false, roles.source);
  else
    roles.source = find(true, nobody);
  return roles;
}

void measure(ProcessGroup& group, MPI_Comm comm, const Roles& roles, double end) {
  const int beside = group.ranks();
  cpu_set_t of_q;
  CPU_ZERO(&of_q);
  CPU_SET(roles.core, &of_q);
  const OnCores on_one(of_q);
  give(roles, beside, comm);
  const auto processes = got<Beside>(beside, comm);
  Node node(comm, beside, roles, processes);
  std::vector<Case> cases;
  for (const std::int64_t bytes : underlying_sizes)
    for (const Arithmetic arithmetic : {Arithmetic::integer, Arithmetic::floating})
      cases.push_back({bytes, arithmetic});
  in_turn(
      cases, end, group.random(), [&](const Case& one) { return node.expected_s(one); },
      [](const Case& one) { return one.loss_s.size() >= most_samples; },
      [&](Case& one) { node.sample(one); });
  node.stop(beside + 1);
  const std::string between =
      group.hosts()[static_cast<std::size_t>(roles.source)] == group.hosts().front() ? "intra" : "inter";
  for (Case& one : cases) {
    if (one.loss_s.size() < fewest_samples) continue;
    leave_out_disturbed(one);
    const nlohmann::json what = {
        {"between", between}, {"bytes", one.bytes}, {"computation", to_string(one.arithmetic)}};
    nlohmann::json forwarded = what;
    forwarded.update({{"route", ww_pvm_routes_direct() != 0 ? "direct" : "default"},
                      {"hosts", roles.target == nobody ? 2 : 3},
                      {"task_on_core", processes.self_on_core != 0},
                      {"daemon_on_core", processes.parent_on_core != 0},
                      {"loss_s", one.loss_s},
                      {"idle_echo_s", one.idle_echo_s},
                      {"echo_s", one.echo_s}});
    if (!one.daemon_s.empty()) forwarded["daemon_s"] = one.daemon_s;
    if (!one.passing_s.empty()) forwarded["task_s"] = one.passing_s;
    group.emit("forwarding", std::move(forwarded));
    if (!node.gives_r_and_s(one)) continue;
    nlohmann::json six = what;
    six.update({{"experiment", 5}, {"hops", 1}, {"seconds", node.r_and_s(one)}});
    group.emit("six", std::move(six));
  }
}

void run(ProcessGroup& group, double budget_s) {
  const double end = now_s() + budget_s;
  const Place own = own_place();
  std::vector<Place> places(static_cast<std::size_t>(group.leads() ? group.ranks() : 0));
  MPI_Gather(&own, sizeof own, MPI_BYTE, places.data(), sizeof own, MPI_BYTE, 0, group.comm());
  Roles roles;
  if (group.leads()) roles = choose_roles(group.hosts(), places);
  MPI_Bcast(&roles, sizeof roles, MPI_BYTE, 0, group.comm());
  if (roles.source == nobody) return;
  MPI_Comm comm = ww_pvm_task_beside(group.comm());
  if (comm == MPI_COMM_NULL) return;
  if (group.leads())
    measure(group, comm, roles, end);
  else
    serve(comm, group.rank(), group.ranks(), roles);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

// "PPid" of /proc/self/status, of the same namespace as all of /proc; 0: not PVM's daemon.
std::int64_t daemon_above() {
  std::ifstream status("/proc/self/status");
  std::int64_t parent = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("PPid:")) parent = std::stoll(line.substr(5));
  std::ifstream comm("/proc/" + std::to_string(parent) + "/comm");
  std::string name;
  std::getline(comm, name);
  return name.starts_with(library::pvm.daemon) ? parent : 0;
}

}  // namespace

const GroupExperiment forwarding{"forwarding", "messages that pass the host of a computation", 0.5, 2, run};

void pass_messages_on() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto roles = got<Roles>(0, MPI_COMM_WORLD);
  const OnCores off_q(without(own_place().cores, roles.core));
  const cpu_set_t own = own_place().cores;
  cpu_set_t of_daemon;
  CPU_ZERO(&of_daemon);
  (void)sched_getaffinity(getppid(), sizeof of_daemon, &of_daemon);
  const auto on_core = [&](const cpu_set_t& cores) {
    return CPU_COUNT(&cores) == 1 && CPU_ISSET(roles.core, &cores) ? 1 : 0;
  };
  std::error_code problem;
  const std::string self = std::filesystem::read_symlink("/proc/self", problem).string();
  give(Beside{problem ? 0 : std::stoll(self), daemon_above(), on_core(own), on_core(of_daemon)}, 0,
       MPI_COMM_WORLD);

  BlankBuffer out, in;
  for (BlankBuffer* one : {&out, &in})
    one->grow(static_cast<std::size_t>(std::ranges::max(underlying_sizes)) + 1);
  for (Train train; train = got<Train>(0, MPI_COMM_WORLD), train.bytes >= 0;) {
    Messages messages{MPI_COMM_WORLD, train.bytes, out, in};
    give(char{}, 0, MPI_COMM_WORLD);
    Passed passed;
    for (std::int64_t i = 0; i < train.echoes; ++i) {
      messages.receive(roles.source);
      if (i == 0) passed.first_s = now_s();
      if (roles.target != nobody) {
        messages.send(roles.target);
        messages.receive(roles.target);
      }
      messages.send(roles.source);
    }
    passed.last_s = now_s();
    got<char>(0, MPI_COMM_WORLD);
    give(passed, 0, MPI_COMM_WORLD);
  }
}

}  // namespace ww::measure
