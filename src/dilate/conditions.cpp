#include "dilate/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/disturbance.hpp"
#include "launch/tsc_reads.hpp"

namespace ww {
namespace {

constexpr double most_slower = 0.03;  // of the same arithmetic

std::string at(double factor) {
  return fmt::format("at D = {:g}", factor);
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
    for (const RunRecord::Rank& rank : facts.run.ranks)
      for (const double took_s : rank.arithmetic_s) {
        if (took_s <= 0) continue;
        Extremes& e = of_rank[static_cast<int>(rank.rank.value_or(-1))];
        if (e.least_s == 0 || took_s < e.least_s) e.least_s = took_s, e.least_factor = facts.factor;
        if (took_s > e.most_s) e.most_s = took_s, e.most_factor = facts.factor;
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
  said.add("frequency-changed",
           remedy + "; fix the clock (cpupower frequency-set -g performance, no turbo" +
               (names.empty() ? "" : "; the governor is " + names) +
               "), bind the ranks, and take the median of more runs (--repeat)",
           slower);
}

}  // namespace

void ConditionsOfProgram::look_at(const RunRecord& run) {
  std::vector<std::filesystem::path> files;
  for (const RunRecord::Rank& rank : run.ranks) {
    std::istringstream lines(rank.code_files);
    for (std::string file; std::getline(lines, file);)
      if (seen_.insert(file).second) files.emplace_back(file);
  }
  for (const TscReader& reader : tsc_readers_among(files)) {
    const TscRead& first = reader.reads.front();
    said_.add("reads-tsc",
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
        "no-communication",
        runs.front().ranks < 2
            ? "the program ran as one rank, which has nobody to communicate with: no network changes its "
              "time; launch it with several"
            : "no rank sends, receives or takes part in a collective: no network changes this program's "
              "time, and what dilation gives is computation alone");
  for (const RunFacts& facts : runs) said.merge(signs_of_disturbance(facts.run, at(facts.factor)));
  say_frequency(runs, said);
  return said;
}

void ConditionsSoFar::end_run(double factor, const Trace& trace) {
  RunFacts facts;
  facts.factor = factor;
  facts.run = trace.run;
  facts.ranks = trace.ranks.size();
  const bool together = std::any_of(trace.collectives.begin(), trace.collectives.end(),
                                    [](const Collective& c) { return c.members.size() > 1; });
  facts.communicates = !trace.messages.empty() || together || trace.one_sided.any();
  runs_.push_back(std::move(facts));
  of_program_.look_at(trace.run);
}

Diagnostics ConditionsSoFar::said() const {
  Diagnostics all = of_program_.said();
  all.merge(conditions_of_runs(runs_));
  return all;
}

}  // namespace ww
