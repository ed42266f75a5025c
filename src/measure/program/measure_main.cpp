// ww-measure-openmpi, ww-measure-mpich, ww-measure-pvm: the experiments, as an MPI program, whose calls the last says by PVM's
// (mpi_by_pvm/mpi.h). Started by `whatwire measure` behind the user's launch prefix, several times for one model. Of all pairs of ranks one between hosts and
// one within a host work, the other ranks sleep; then come the experiments of all ranks.
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/processors.hpp"
#include "measure/program/experiment.hpp"
#include "measure/program/forwarding.hpp"
#include "measure/program/host_facts.hpp"
#include "measure/program/timer.hpp"
#include "measure/samples.hpp"

namespace ww::measure {
namespace {

// In this order: each uses what those before it found out.
const Experiment* const in_order[] = {&warm_up, &eager_threshold, &wire_bytes, &ping_pong};
// Shuffled, so that what changes with time does not always fall on the same one.
#define WW_ADDRESS(name) &name,
const Experiment* const in_any_order[] = {WW_EXPERIMENTS(WW_ADDRESS)};
const GroupExperiment* const of_all[] = {WW_GROUP_EXPERIMENTS(WW_ADDRESS)};
#undef WW_ADDRESS

// Of the first launch's time. PVM's messages are slow beside the computation that they pass.
#ifdef WW_MPI_BY_PVM
constexpr double share_of_all = 0.35, share_of_all_pair = 0.25;
#else
constexpr double share_of_all = 0.3, share_of_all_pair = 0.15;
#endif

std::vector<std::int64_t> numbers(const std::string& text) {
  std::vector<std::int64_t> out;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, ',');) out.push_back(std::atoll(one.c_str()));
  return out;
}

std::optional<Terms> parse(int argc, char** argv) {
  Terms terms;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--progress") {
      terms.progress = true;
      continue;
    }
    if (name == "--quick") {
      terms.quick = true;
      continue;
    }
    if (name == "--stop-at-mean") {
      terms.stop_at_mean = true;
      continue;
    }
#ifdef WW_MPI_BY_PVM
    if (name == "--direct-route") {
      ww_pvm_direct_route(1);
      continue;
    }
#endif
    if (i + 1 == argc) return std::nullopt;
    const char* value = argv[++i];
    if (name == "--budget")
      terms.budget_s = std::atof(value);
    else if (name == "--largest")
      terms.largest_bytes = std::atoll(value);
    else if (name == "--launch")
      terms.launch = std::atoi(value);
    else if (name == "--seed")
      terms.seed = std::strtoull(value, nullptr, 10);
    else if (const auto dash = name.rfind('-'); name.ends_with("-inter") || name.ends_with("-intra")) {
      const std::string what = name.substr(2, dash - 2), between = name.substr(dash + 1);
      if (what == "eager")
        terms.eager_threshold_bytes[between] = std::atoll(value);
      else if (what == "sizes")
        terms.sizes[between] = numbers(value);
      else if (what == "checks")
        terms.checks[between] = numbers(value);
      else
        return std::nullopt;
    } else
      return std::nullopt;
  }
  if (!(terms.budget_s > 0) || terms.largest_bytes < 1024 || terms.largest_bytes > (1 << 30))
    return std::nullopt;
  return terms;
}

bool runs(When when, const Terms& terms) {
  return when == When::always || (terms.launch == 0 && (when == When::first || !terms.quick));
}

// The same on both ranks of a pair.
std::vector<const Experiment*> chosen(const Terms& terms, const std::string& between) {
  std::vector<const Experiment*> list, rest;
  for (const Experiment* one : in_order)
    if (runs(one->when, terms)) list.push_back(one);
  for (const Experiment* one : in_any_order)
    if (runs(one->when, terms)) rest.push_back(one);
  std::mt19937_64 random(terms.seed + std::hash<std::string>{}(between));
  std::shuffle(rest.begin(), rest.end(), random);
  list.insert(list.end(), rest.begin(), rest.end());
  return list;
}

using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;

std::vector<std::string> hosts_of_ranks(int ranks) {
  Name own{};
  int length = 0;
  MPI_Get_processor_name(own.data(), &length);
  std::vector<Name> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_CHAR, all.data(), static_cast<int>(own.size()),
                MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> names;
  for (const Name& name : all) names.emplace_back(name.data());
  return names;
}

struct Pair {
  const char* between;
  int first, second;
};

std::vector<Pair> choose_pairs(const std::vector<std::string>& hosts) {
  std::vector<Pair> pairs;
  for (const bool same : {false, true}) {
    bool found = false;
    for (std::size_t a = 0; a < hosts.size() && !found; ++a)
      for (std::size_t b = a + 1; b < hosts.size() && !found; ++b)
        if (found = (hosts[a] == hosts[b]) == same; found)
          pairs.push_back({same ? "intra" : "inter", static_cast<int>(a), static_cast<int>(b)});
  }
  return pairs;
}

// The cores that all ranks of the communicator together may use, or, on different hosts, this one.
int cores_of(MPI_Comm comm, bool same_host) {
  cpu_set_t own, all;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) return 1;
  MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, comm);
  return CPU_COUNT(same_host ? &all : &own);
}

// What the calling thread of either rank was kept from its core, for times that are to be measured alone.
class Kept {
 public:
  void begin() {
    before_s_ = thread_waited_s();
    began_s_ = now_s();
  }
  void end() {
    if (const auto now = thread_waited_s(); before_s_ && now) waited_s_ += *now - *before_s_;
    known_ = known_ && before_s_;
    elapsed_s_ += now_s() - began_s_;
  }
  // Of its time, by the rank that lost more of it; negative: not known.
  double most_share(MPI_Comm comm) const {
    double share = elapsed_s_ > 0 ? waited_s_ / elapsed_s_ : 0, most = 0;
    MPI_Allreduce(&share, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    int known = known_ ? 1 : 0, both = 0;
    MPI_Allreduce(&known, &both, 1, MPI_INT, MPI_MIN, comm);
    return both != 0 ? most : -1;
  }

 private:
  std::optional<double> before_s_;
  double began_s_ = 0, waited_s_ = 0, elapsed_s_ = 0;
  bool known_ = true;
};

void run_pair(const Pair& pair, const std::vector<std::string>& hosts, MPI_Comm comm, const Terms& terms,
              double budget_s) {
  Session session(comm, pair.between, terms);
  const auto& first = hosts[static_cast<std::size_t>(pair.first)];
  const auto& second = hosts[static_cast<std::size_t>(pair.second)];
  const bool same_host = first == second;
  const int cores = cores_of(comm, same_host);
  const auto experiments = chosen(terms, pair.between);
  if (session.leads()) {
    nlohmann::json order = nlohmann::json::array();
    for (const Experiment* experiment : experiments) order.push_back(experiment->name);
    session.emit("pair", {{"ranks", {pair.first, pair.second}},
                          {"hosts", {first, second}},
                          {"order", order},
                          {"busy_cores_short", cores < (same_host ? 2 : 1)}});
  }
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const double begin = now_s();
  double shares = 0;
  Kept kept;
  for (const Experiment* experiment : experiments) shares += experiment->share;
  for (const Experiment* experiment : experiments) {
    const bool disturbs_itself = experiment == &busy;
    if (!disturbs_itself) kept.begin();
    if (session.leads()) {
      session.progress(experiment->shows);
      const double left_s = std::max(0.0, begin + budget_s - now_s());
      experiment->lead(session, left_s * experiment->share / shares);
      shares -= experiment->share;
    } else {
      experiment->follow(session);
    }
    if (!disturbs_itself) kept.end();
  }
  getrusage(RUSAGE_SELF, &after);
  const double most_kept = kept.most_share(comm);
  if (session.leads())
    session.emit("disturbance", {{"involuntary_switches", after.ru_nivcsw - before.ru_nivcsw},
                                 {"elapsed_s", now_s() - begin},
                                 {"kept_from_core", most_kept}});
}

void run_all_ranks(const std::vector<std::string>& hosts, const Terms& terms, double budget_s) {
  ProcessGroup group(MPI_COMM_WORLD, hosts, terms.largest_bytes, terms.progress, terms.seed);
  const double begin = now_s();
  double shares = 0;
  for (const GroupExperiment* experiment : of_all)
    if (group.ranks() >= experiment->least_ranks) shares += experiment->share;
  for (const GroupExperiment* experiment : of_all) {
    if (group.ranks() < experiment->least_ranks) continue;
    group.progress(experiment->shows);
    const double left_s = group.agreed(std::max(0.0, begin + budget_s - now_s()));
    experiment->run(group, left_s * experiment->share / shares);
    shares -= experiment->share;
    group.meet();
  }
}

// Of the ranks on this host more than there are cores for them?
bool cores_short(const std::vector<std::string>& hosts, int rank) {
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  const int cores = cores_of(host, true);
  MPI_Comm_free(&host);
  const auto& own = hosts[static_cast<std::size_t>(rank)];
  int short_here = cores < std::count(hosts.begin(), hosts.end(), own) ? 1 : 0, anywhere = 0;
  MPI_Allreduce(&short_here, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return anywhere != 0;
}

void emit_facts(const std::vector<std::string>& hosts, int rank) {
  nlohmann::json facts = host_facts();
  facts["timer"] = timer_facts();
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(version, &length);
  // "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2\n..."
  facts["mpi"] = std::string(version).substr(0, std::string(version).find_first_of(",\n"));
  facts["mpi_settings"] = mpi_settings();
  facts["kind"] = "host";
  facts["rank"] = rank;
  facts["host"] = hosts[static_cast<std::size_t>(rank)];
  const bool first_of_host = std::find(hosts.begin(), hosts.end(), facts["host"]) - hosts.begin() == rank;
  if (first_of_host) emit_record(facts);
}

void measure_all(const Terms& terms) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double begin = now_s();
  const auto hosts = hosts_of_ranks(ranks);
  if (terms.launch == 0) emit_facts(hosts, rank);

  const auto pairs = choose_pairs(hosts);
  if (pairs.empty() && rank == 0)
    emit_record(
        {{"kind", "problem"},
         {"what", "one rank cannot exchange messages"},
         {"remedy",
          "start two ranks or more, as in: whatwire measure -- mpirun.openmpi -n 2, or mpirun.mpich"}});
  const bool group = !pairs.empty() && terms.launch == 0 && !terms.quick;
  double left_s = terms.budget_s;
  double of_group_s = group ? left_s * (ranks > 2 ? share_of_all : share_of_all_pair) : 0;
  left_s -= of_group_s;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    // the link between hosts is what most questions are about
    const double budget_s = i + 1 == pairs.size() ? left_s : 0.7 * left_s;
    left_s -= budget_s;
    const bool works = rank == pair.first || rank == pair.second;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, works ? 0 : MPI_UNDEFINED, rank, &comm);
    if (works) {
      run_pair(pair, hosts, comm, terms, budget_s);
      MPI_Comm_free(&comm);
    }
    meet(MPI_COMM_WORLD);
  }
  if (group) {
    of_group_s = std::max(of_group_s / 2, begin + terms.budget_s - now_s());
    const bool busy_cores_short = cores_short(hosts, rank);
    if (rank == 0) emit_record({{"kind", "group"}, {"hosts", hosts}, {"busy_cores_short", busy_cores_short}});
    run_all_ranks(hosts, terms, of_group_s);
  }
  if (rank == 0) emit_record({{"kind", "end"}, {"elapsed_s", now_s() - begin}});
}

}  // namespace
}  // namespace ww::measure

int main(int argc, char** argv) {
  const auto terms = ww::measure::parse(argc, argv);
  if (!terms) {
    std::fputs(
        "usage: ww-measure-openmpi|mpich|pvm [--direct-route (of PVM)] [--budget SECONDS] [--largest BYTES] "
        "[--launch K] [--seed N] "
        "[--quick]\n"
        "       [--stop-at-mean] [--progress] [--eager-inter BYTES] [--sizes-inter BYTES,..] [--checks-inter "
        "BYTES,..] (and "
        "-intra)\n",
        stderr);
    return 2;
  }
#ifdef WW_MPI_BY_PVM
  ww_pvm_catch_output();
#endif
  MPI_Init(&argc, &argv);
#ifdef WW_MPI_BY_PVM
  if (ww_pvm_is_beside() != 0) {
    ww::measure::pass_messages_on();
    MPI_Finalize();
    return 0;
  }
#endif
  ww::measure::measure_all(*terms);
  MPI_Finalize();
  return 0;
}
