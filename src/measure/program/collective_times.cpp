// Each collective over sizes and numbers of ranks. All ranks start at one instant of the common clock; a run
// lasts from that instant until the last rank is out. A run to whose start some rank came too late (it was
// still in the run before, or off its core) is thrown out and counted. No barrier before a run: its own
// pattern of leaving would be part of what is measured (open-mpi issue 11022).
#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "measure/program/common_clock.hpp"
#include "measure/program/experiment.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr double least_slack_s = 30e-6;
constexpr std::int64_t most_runs = 120, fewest_runs = 3, batch = 12;
constexpr stats::StopRule stop_rule{0.02, 12};

struct Place {
  MPI_Comm comm;
  int rank, ranks;
  char *out, *in;  // each of ranks * bytes
};

struct Collective {
  const char* name;
  bool all_to_each;  // its buffers hold `bytes` for each rank
  void (*call)(const Place& at, int bytes);
};

const Collective table[] = {
    {"barrier", false, [](const Place& at, int) { MPI_Barrier(at.comm); }},
    {"bcast", false, [](const Place& at, int n) { MPI_Bcast(at.out, n, MPI_BYTE, 0, at.comm); }},
    {"reduce", false,
     [](const Place& at, int n) { MPI_Reduce(at.out, at.in, n / 8, MPI_DOUBLE, MPI_SUM, 0, at.comm); }},
    {"allreduce", false,
     [](const Place& at, int n) { MPI_Allreduce(at.out, at.in, n / 8, MPI_DOUBLE, MPI_SUM, at.comm); }},
    {"scan", false,
     [](const Place& at, int n) { MPI_Scan(at.out, at.in, n / 8, MPI_DOUBLE, MPI_SUM, at.comm); }},
    {"gather", true,
     [](const Place& at, int n) { MPI_Gather(at.out, n, MPI_BYTE, at.in, n, MPI_BYTE, 0, at.comm); }},
    {"scatter", true,
     [](const Place& at, int n) { MPI_Scatter(at.out, n, MPI_BYTE, at.in, n, MPI_BYTE, 0, at.comm); }},
    {"allgather", true,
     [](const Place& at, int n) { MPI_Allgather(at.out, n, MPI_BYTE, at.in, n, MPI_BYTE, at.comm); }},
    {"alltoall", true,
     [](const Place& at, int n) { MPI_Alltoall(at.out, n, MPI_BYTE, at.in, n, MPI_BYTE, at.comm); }},
    {"reduce_scatter", true,
     [](const Place& at, int n) {
       MPI_Reduce_scatter_block(at.out, at.in, n / 8, MPI_DOUBLE, MPI_SUM, at.comm);
     }},
};

struct Case {
  const Collective* collective;
  int ranks;
  std::int64_t bytes;
};

std::vector<Case> plan(const ProcessGroup& group) {
  std::vector<int> counts;
  for (int ranks = 2; ranks < group.ranks(); ranks *= 2) counts.push_back(ranks);
  counts.push_back(group.ranks());
  std::vector<Case> cases;
  for (const Collective& collective : table)
    for (const int ranks : counts)
      for (const std::int64_t bytes : {8, 512, 8192, 131072, 1048576}) {
        if (bytes * (collective.all_to_each ? ranks : 1) > group.largest_bytes()) continue;
        const bool sizeless = std::string(collective.name) == "barrier";
        if (sizeless && bytes > 8) continue;
        cases.push_back({&collective, ranks, sizeless ? 0 : bytes});
      }
  return cases;
}

// What the ranks of a case do; `seconds` and `late` are filled on rank 0.
struct Measured {
  std::vector<double> seconds;
  std::int64_t late = 0;
};

Measured measure(const Case& one, const Place& at, const CommonClock& clock, double budget_s) {
  const auto call = [&] { one.collective->call(at, static_cast<int>(one.bytes)); };
  call();
  // the slowest rank's second run says how far apart runs must start
  double begin = now_s();
  call();
  double own_s = now_s() - begin, typical_s = 0;
  MPI_Allreduce(&own_s, &typical_s, 1, MPI_DOUBLE, MPI_MAX, at.comm);
  double gap_s = 1.5 * typical_s + least_slack_s;
  Measured out;
  const double end = now_s() + budget_s;
  for (std::int64_t tried = 0; tried < 2 * most_runs;) {
    const double left_s = end - now_s();
    const std::int64_t runs = std::llround(
        agreed(std::clamp<double>(std::floor(left_s / gap_s), tried == 0 ? fewest_runs : 0, batch), at.comm));
    if (runs <= 0) break;
    const double first_s = agreed(clock.now_s() + 2 * gap_s, at.comm);
    std::vector<double> ends(static_cast<std::size_t>(runs)), lasts(ends.size());
    std::vector<int> missed(ends.size()), anyone(ends.size());
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const double start_s = first_s + static_cast<double>(k) * gap_s;
      missed[k] = clock.now_s() > start_s ? 1 : 0;
      clock.wait_until(start_s);
      // woken late, by whoever had the core
      if (clock.now_s() > start_s + std::max(2e-6, 0.02 * typical_s)) missed[k] = 1;
      call();
      ends[k] = clock.now_s() - start_s;
    }
    MPI_Reduce(ends.data(), lasts.data(), static_cast<int>(runs), MPI_DOUBLE, MPI_MAX, 0, at.comm);
    MPI_Allreduce(missed.data(), anyone.data(), static_cast<int>(runs), MPI_INT, MPI_MAX, at.comm);
    std::int64_t late = 0;
    for (std::size_t k = 0; k < ends.size(); ++k) {
      late += anyone[k];
      if (at.rank == 0 && anyone[k] == 0) out.seconds.push_back(lasts[k]);
    }
    out.late += late;
    tried += runs;
    if (2 * late > runs) gap_s *= 2;
    const bool enough = at.rank == 0 && (out.seconds.size() >= most_runs || stop_rule.satisfied(out.seconds));
    if (agreed(enough ? 1 : 0, at.comm) > 0) break;
  }
  return out;
}

void run(ProcessGroup& group, double budget_s) {
  const double end = now_s() + budget_s;
  auto cases = plan(group);
  std::shuffle(cases.begin(), cases.end(), group.random());
  // large ones last, so that a budget that is too small leaves whole small sizes
  std::stable_sort(cases.begin(), cases.end(),
                   [](const Case& a, const Case& b) { return a.bytes < b.bytes; });
  double slowest_per_byte_s = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    const double share_s = group.agreed((end - now_s()) / static_cast<double>(cases.size() - i));
    // two runs to learn and three to measure, by what smaller ones took a byte
    const double expected_s = 5 * slowest_per_byte_s * static_cast<double>(one.bytes);
    const bool runs = group.agreed(std::int64_t{share_s > 0 && expected_s < 4 * share_s ? 1 : 0}) != 0;
    if (!runs) continue;
    const bool works = group.rank() < one.ranks;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(group.comm(), works ? 0 : MPI_UNDEFINED, group.rank(), &comm);
    Measured measured;
    if (works) {
      const std::int64_t all = one.bytes * one.ranks + 8;
      const CommonClock clock(comm);
      measured = measure(one, {comm, group.rank(), one.ranks, group.out(all), group.in(all)}, clock, share_s);
      MPI_Comm_free(&comm);
    }
    group.meet();
    if (group.leads() && !measured.seconds.empty()) {
      if (one.bytes > 1024)
        slowest_per_byte_s =
            std::max(slowest_per_byte_s, stats::median(measured.seconds) / static_cast<double>(one.bytes));
      group.emit("collective", {{"name", one.collective->name},
                                {"ranks", one.ranks},
                                {"bytes", one.bytes},
                                {"seconds", measured.seconds},
                                {"late", measured.late}});
    } else {
      group.emit("collective-late", {{"name", one.collective->name},
                                     {"ranks", one.ranks},
                                     {"bytes", one.bytes},
                                     {"late", measured.late}});
    }
    slowest_per_byte_s = group.agreed(slowest_per_byte_s);
  }
}

}  // namespace

const GroupExperiment collectives{"collectives", "each collective, started by the clock", 0.45, 2, run};

}  // namespace ww::measure
