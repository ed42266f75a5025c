#include "dilate/conditions.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "dilate/run_json.hpp"
#include "launch/tsc_reads.hpp"

namespace ww {
namespace {

// Ranks of MPI poll while they wait, so that one has its core for all its time. In a lab the switch takes a
// part of a core.
constexpr double least_share = 0.95, least_share_in_lab = 0.70;
// A rank that sleeps has its core for less time too, but is not pushed off it. Two programs on one core take
// turns some 250 times a second.
constexpr double most_switches_per_s = 30;
constexpr double spare_cores = 0.1;
constexpr double most_stolen = 0.01;  // of the cores
constexpr double most_slower = 0.03;  // of the same arithmetic
constexpr double shortest_s = 0.1;    // of a run that says something about load

std::string at(double factor) {
  return fmt::format("at D = {:g}", factor);
}

// Cores that the ranks here want: one each, and of those with threads that compute as many as they had.
double wanted_cores(const nlohmann::json& run) {
  double wanted = 0;
  for (const nlohmann::json& rank : ranks_of(run)) {
    if (!is_here(rank, run)) continue;
    const double elapsed_s = value_of(rank, "elapsed_s"), cpu_s = value_of(rank, "cpu_s");
    wanted += elapsed_s >= shortest_s ? std::max(1.0, std::round(cpu_s / elapsed_s)) : 1;
  }
  return wanted;
}

void say_oversubscription(const RunFacts& facts, Diagnostics& said) {
  const int cores = usable_cores(facts.run);
  const double wanted = wanted_cores(facts.run);
  if (cores <= 0 || wanted <= cores) return;
  const auto ranks = static_cast<double>(
      std::count_if(ranks_of(facts.run).begin(), ranks_of(facts.run).end(),
                    [&](const nlohmann::json& rank) { return is_here(rank, facts.run); }));
  said.add("oversubscribed", Severity::warning,
           fmt::format("{:g} {} on {} share {} usable cores and take turns: what one waits for its core is "
                       "not the network's, and differs from run to run; use at most {} ranks{}, or a machine "
                       "with more cores",
                       wanted, wanted > ranks ? "threads of ranks" : "ranks", machine_name(facts.run), cores,
                       cores, wanted > ranks ? " and fewer threads" : ""));
}

void say_lost_cores(const RunFacts& facts, Diagnostics& said) {
  const double share = in_lab(facts.run) ? least_share_in_lab : least_share;
  for (const nlohmann::json& rank : ranks_of(facts.run)) {
    const double cpu_s = value_of(rank, "cpu_s", -1), elapsed_s = value_of(rank, "elapsed_s");
    const double switches = value_of(rank, "involuntary_switches");
    if (cpu_s < 0 || elapsed_s < shortest_s || cpu_s >= share * elapsed_s ||
        switches < most_switches_per_s * elapsed_s)
      continue;
    said.add(
        "core-shared", Severity::warning,
        fmt::format("rank {} {} had its core for {:.0f}% of its time and lost it {:.0f} times a second to "
                    "something else: end that, or give each rank a core of its own",
                    value_of(rank, "rank", -1), at(facts.factor), 100 * cpu_s / elapsed_s,
                    switches / elapsed_s));
  }
}

void say_load(const RunFacts& facts, Diagnostics& said) {
  const int cores = usable_cores(facts.run);
  if (cores <= 0 || facts.wall_s < shortest_s) return;
  // The lab's switch runs by itself.
  const double of_lab = in_lab(facts.run) ? 0.3 : 0;
  if (facts.other_cores > spare_cores + of_lab &&
      wanted_cores(facts.run) + facts.other_cores - of_lab > cores + spare_cores)
    said.add(
        "other-load", Severity::warning,
        fmt::format("other programs had {:.1f} of the {} cores while it ran {}: its times are not those of "
                    "an idle machine; end them and repeat",
                    facts.other_cores, cores, at(facts.factor)));
  if (facts.stolen_cores > most_stolen * cores)
    said.add(
        "stolen-time", Severity::warning,
        fmt::format("the host of this virtual machine kept {:.1f}% of its cores' time from it while the "
                    "program ran {}: what was stretched there is not the program's; repeat when the host is "
                    "idle, and take the median of more runs (--repeat)",
                    100 * facts.stolen_cores / cores, at(facts.factor)));
}

std::string governors() {
  std::set<std::string> found;
  for (int core = 0; core < 4096; ++core) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", core));
    std::string name;
    if (!(file >> name)) break;
    found.insert(name);
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

void say_frequency(const std::vector<RunFacts>& runs, Diagnostics& said) {
  struct Extremes {
    double least_s = 0, most_s = 0, least_factor = 1, most_factor = 1;
  };
  std::map<int, Extremes> of_rank;
  for (const RunFacts& facts : runs)
    for (const nlohmann::json& rank : ranks_of(facts.run)) {
      const auto both = rank.find("arithmetic_s");
      if (both == rank.end() || !both->is_array()) continue;
      for (const nlohmann::json& one : *both) {
        const double took_s = one.is_number() ? one.get<double>() : 0;
        if (took_s <= 0) continue;
        Extremes& e = of_rank[static_cast<int>(value_of(rank, "rank", -1))];
        if (e.least_s == 0 || took_s < e.least_s) e.least_s = took_s, e.least_factor = facts.factor;
        if (took_s > e.most_s) e.most_s = took_s, e.most_factor = facts.factor;
      }
    }
  std::uint64_t slower = 0;
  double worst = 0;
  std::string remedy;
  for (const auto& [rank, e] : of_rank) {
    const double ratio = e.most_s / e.least_s - 1;
    if (ratio <= most_slower) continue;
    ++slower;
    if (ratio <= worst) continue;
    worst = ratio;
    remedy = fmt::format(
        "the same arithmetic took rank {} {:.0f}% longer ({}) than at another time ({}): the "
        "processor's clock changed, or the rank moved to another kind of core",
        rank, 100 * ratio, at(e.most_factor), at(e.least_factor));
  }
  if (slower == 0) return;
  const std::string names = governors();
  said.add("frequency-changed", Severity::warning,
           remedy + "; fix the clock (cpupower frequency-set -g performance, no turbo" +
               (names.empty() ? "" : "; the governor is " + names) +
               "), bind the ranks, and take the median of more runs (--repeat)",
           slower);
}

}  // namespace

void ConditionsOfProgram::look_at(const nlohmann::json& run) {
  std::vector<std::filesystem::path> files;
  for (const nlohmann::json& rank : ranks_of(run)) {
    const auto code = rank.find("code");
    if (code == rank.end() || !code->is_object()) continue;
    std::istringstream lines(code->value("files", ""));
    for (std::string file; std::getline(lines, file);)
      if (seen_.insert(file).second) files.emplace_back(file);
  }
  for (const TscReader& reader : tsc_readers_among(files)) {
    const TscRead& first = reader.reads.front();
    said_.add("reads-tsc", Severity::warning,
              fmt::format(
                  "{} reads the processor's time-stamp counter itself (rdtsc at {:#x}{}): what it times so "
                  "is real time and not dilated, and what it decides by it may go wrong; let it read "
                  "MPI_Wtime or clock_gettime",
                  reader.file.string(), first.address, first.function.empty() ? "" : " in " + first.function),
              reader.reads.size());
  }
}

Diagnostics conditions_of_runs(const std::vector<RunFacts>& runs) {
  Diagnostics said;
  if (!runs.empty() &&
      std::none_of(runs.begin(), runs.end(), [](const RunFacts& r) { return r.communicates; }))
    said.add(
        "no-communication", Severity::warning,
        runs.front().ranks < 2
            ? "the program ran as one rank, which has nobody to communicate with: no network changes its "
              "time; launch it with several"
            : "no rank sends, receives or takes part in a collective: no network changes this program's "
              "time, and what dilation gives is computation alone");
  for (const RunFacts& facts : runs) {
    say_oversubscription(facts, said);
    say_lost_cores(facts, said);
    say_load(facts, said);
  }
  say_frequency(runs, said);
  return said;
}

Conditions::Use Conditions::use_now() {
  Use now;
  now.machine = processor_times().value_or(ProcessorTimes{});
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used = {};
    getrusage(whose, &used);
    for (const timeval& part : {used.ru_utime, used.ru_stime})
      now.own_s += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
  }
  now.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return now;
}

void Conditions::end_run(double factor, const Trace& trace) {
  const Use now = use_now();
  RunFacts facts;
  facts.factor = factor;
  facts.run = trace.run;
  facts.ranks = trace.ranks.size();
  const bool together = std::any_of(trace.collectives.begin(), trace.collectives.end(),
                                    [](const Collective& c) { return c.members.size() > 1; });
  facts.communicates = !trace.messages.empty() || together || trace.one_sided.any();
  facts.wall_s = now.wall_s - before_.wall_s;
  if (facts.wall_s > 0) {
    // Ranks that a daemon starts (srun) are not among our children.
    double of_ranks_s = 0;
    for (const nlohmann::json& rank : ranks_of(trace.run))
      if (is_here(rank, trace.run)) of_ranks_s += value_of(rank, "cpu_s");
    const double own_s = std::max(now.own_s - before_.own_s, of_ranks_s);
    facts.other_cores = std::max(0.0, now.machine.busy_s - before_.machine.busy_s - own_s) / facts.wall_s;
    facts.stolen_cores = (now.machine.stolen_s - before_.machine.stolen_s) / facts.wall_s;
  }
  runs_.push_back(std::move(facts));
  of_program_.look_at(trace.run);
}

Diagnostics Conditions::said() const {
  Diagnostics all = of_program_.said();
  all.merge(conditions_of_runs(runs_));
  return all;
}

}  // namespace ww
