// ww-measure-openmpi, ww-measure-mpich: the experiments, as an MPI program. Started by `whatwire measure`
// behind the user's launch prefix. Of all pairs of ranks one between hosts and one within a host work; the
// other ranks sleep.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "measure/program/experiment.hpp"
#include "measure/program/host_facts.hpp"
#include "measure/samples.hpp"

namespace ww::measure {
namespace {

// In this order: each uses what those before it found out.
const Experiment* const experiments[] = {&warm_up,        &eager_threshold, &wire_bytes,     &ping_pong,
                                         &software_costs, &two_way,         &sender_progress};

struct Options {
  double budget_s = 40;
  std::int64_t largest_bytes = 4194304;
  bool progress = false;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--progress")
      options.progress = true;
    else if (name == "--budget" && i + 1 < argc)
      options.budget_s = std::atof(argv[++i]);
    else if (name == "--largest" && i + 1 < argc)
      options.largest_bytes = std::atoll(argv[++i]);
    else
      return std::nullopt;
  }
  if (!(options.budget_s > 0) || options.largest_bytes < 1024 || options.largest_bytes > (1 << 30))
    return std::nullopt;
  return options;
}

// All ranks meet; those that wait sleep, since busy waiting takes cores from those that measure.
void meet() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) usleep(1000);
  }
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

// The cores that both ranks together may use, or, on different hosts, this one.
int cores_of_pair(MPI_Comm comm, bool same_host) {
  cpu_set_t own, both;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) return 1;
  MPI_Allreduce(&own, &both, sizeof own, MPI_BYTE, MPI_BOR, comm);
  return CPU_COUNT(same_host ? &both : &own);
}

void run_pair(const Pair& pair, const std::vector<std::string>& hosts, MPI_Comm comm, const Options& options,
              double budget_s) {
  Session session(comm, pair.between, options.largest_bytes, options.progress);
  const bool same_host =
      hosts[static_cast<std::size_t>(pair.first)] == hosts[static_cast<std::size_t>(pair.second)];
  const int cores = cores_of_pair(comm, same_host);
  if (session.leads())
    session.emit(
        "pair",
        {{"ranks", {pair.first, pair.second}},
         {"hosts",
          {hosts[static_cast<std::size_t>(pair.first)], hosts[static_cast<std::size_t>(pair.second)]}},
         {"busy_cores_short", cores < (same_host ? 2 : 1)}});
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const double begin = now_s();
  double shares = 0;
  for (const Experiment* experiment : experiments) shares += experiment->share;
  for (const Experiment* experiment : experiments) {
    if (!session.leads()) {
      experiment->follow(session);
      continue;
    }
    session.progress(experiment->shows);
    const double left_s = std::max(0.0, begin + budget_s - now_s());
    experiment->lead(session, left_s * experiment->share / shares);
    shares -= experiment->share;
  }
  getrusage(RUSAGE_SELF, &after);
  if (session.leads())
    session.emit("disturbance", {{"involuntary_switches", after.ru_nivcsw - before.ru_nivcsw},
                                 {"elapsed_s", now_s() - begin}});
}

void measure_all(const Options& options) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto hosts = hosts_of_ranks(ranks);
  nlohmann::json facts = host_facts();
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(version, &length);
  // "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2\n..."
  facts["mpi"] = std::string(version).substr(0, std::string(version).find_first_of(",\n"));
  facts["kind"] = "host";
  facts["rank"] = rank;
  facts["host"] = hosts[static_cast<std::size_t>(rank)];
  const bool first_of_host = std::find(hosts.begin(), hosts.end(), facts["host"]) - hosts.begin() == rank;
  if (first_of_host) emit_record(facts);

  const auto pairs = choose_pairs(hosts);
  if (pairs.empty() && rank == 0)
    emit_record(
        {{"kind", "problem"},
         {"what", "one rank cannot exchange messages"},
         {"remedy",
          "start two ranks or more, as in: whatwire measure -- mpirun.openmpi -n 2, or mpirun.mpich"}});
  double left_s = options.budget_s;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    // the link between hosts is what most questions are about
    const double budget_s = i + 1 == pairs.size() ? left_s : 0.7 * left_s;
    left_s -= budget_s;
    const bool works = rank == pair.first || rank == pair.second;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, works ? 0 : MPI_UNDEFINED, rank, &comm);
    if (works) {
      run_pair(pair, hosts, comm, options, budget_s);
      MPI_Comm_free(&comm);
    }
    meet();
  }
  if (rank == 0) emit_record({{"kind", "end"}});
}

}  // namespace
}  // namespace ww::measure

int main(int argc, char** argv) {
  const auto options = ww::measure::parse(argc, argv);
  if (!options) {
    std::fputs("usage: ww-measure-openmpi|mpich [--budget SECONDS] [--largest BYTES] [--progress]\n", stderr);
    return 2;
  }
  MPI_Init(&argc, &argv);
  ww::measure::measure_all(*options);
  MPI_Finalize();
  return 0;
}
