#include "base/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/subprocess.hpp"

namespace ww {
namespace {

constexpr double matters = 0.05;  // of its time that a rank was kept from its core
constexpr double spare_cores = 0.1;
// A lab's switch runs by itself; where it said what it used, what is left is the kernel's for its frames.
constexpr double of_switch_cores = 0.3, of_frames_cores = 0.1;
constexpr double most_stolen = 0.01, much_stolen = 0.05;  // of the cores
constexpr double shortest_s = 0.1;                        // of a run that says something about load
constexpr double shortest_wait_s = 0.01;                  // and of one whose waiting the kernel counted

// Of its time, that others had its core; nothing where that is not known. What a lab's switch took of each core is no
// disturbance: it is the wire, and takes as much for the same frames in any other run.
std::optional<double> share_kept(const RunRecord& run, const RunRecord::Rank& rank) {
  if (rank.waited_s < 0 || rank.elapsed_s < shortest_wait_s) return {};
  const int cores = run.machine.usable_processors;
  const double of_wire_s = run.in_lab && cores > 0 ? std::max(0.0, run.machine.use.lab_s) / cores : 0;
  return std::max(0.0, rank.waited_s - of_wire_s) / rank.elapsed_s;
}

struct RanksHere {
  explicit RanksHere(const RunRecord& of) : run(of) {
    for (const RunRecord::Rank& rank : run.ranks)
      if (run.is_here(rank)) all.push_back(&rank);
  }
  // The most that one of them was kept from its core, if that is known of all.
  std::optional<double> worst() const {
    double most = 0;
    for (const RunRecord::Rank* rank : all) {
      const auto kept = share_kept(run, *rank);
      if (!kept) return {};
      most = std::max(most, *kept);
    }
    return all.empty() ? std::nullopt : std::optional(most);
  }
  // Cores that they want: one each, and of those with threads that compute as many as they had.
  double wanted_cores() const {
    double wanted = 0;
    for (const RunRecord::Rank* rank : all)
      wanted += rank->elapsed_s >= shortest_s ? std::max(1.0, std::round(rank->cpu_s / rank->elapsed_s)) : 1;
    return wanted;
  }
  const RunRecord& run;
  std::vector<const RunRecord::Rank*> all;
};

std::string with_space(const std::string& when) {
  return when.empty() ? "" : " " + when;
}

void say_oversubscription(const RunRecord& run, const RanksHere& here, Diagnostics& said) {
  const int cores = run.machine.usable_processors;
  const double wanted = here.wanted_cores();
  if (cores <= 0 || wanted <= cores) return;
  if (const auto kept = here.worst(); kept && *kept < matters) return;  // they do not want them at once
  const bool threads = wanted > static_cast<double>(here.all.size());
  said.add("oversubscribed",
           fmt::format("{:g} {} on {} share {} usable cores and take turns: what one waits for its core is "
                       "not the network's, and differs from run to run; use at most {} ranks{}, or a machine "
                       "with more cores",
                       wanted, threads ? "threads of ranks" : "ranks", run.machine.name, cores, cores,
                       threads ? " and fewer threads" : ""));
}

void say_lost_cores(const RunRecord& run, const std::string& when, Diagnostics& said) {
  const double most = run.in_lab && run.machine.use.lab_s < 0 ? most_kept_in_lab : most_kept;
  std::uint64_t lost = 0;
  double worst = 0;
  std::string remedy;
  for (const RunRecord::Rank& rank : run.ranks) {
    const bool is_counted = rank.waited_s >= 0;
    const auto switches = static_cast<double>(rank.involuntary_switches);
    double kept = 0;
    if (is_counted) {
      kept = share_kept(run, rank).value_or(0);
    } else if (rank.cpu_s >= 0 && rank.elapsed_s >= shortest_s &&
               switches >= most_switches_per_s * rank.elapsed_s) {
      kept = 1 - rank.cpu_s / rank.elapsed_s;
    }
    if (kept <= most) continue;
    ++lost;
    if (kept <= worst) continue;
    worst = kept;
    remedy = is_counted
                 ? fmt::format(
                       "rank {}{} was ready to run and without its core for {:.0f}% of its time, as "
                       "something else had it",
                       rank.rank.value_or(-1), with_space(when), 100 * kept)
                 : fmt::format(
                       "rank {}{} had its core for {:.0f}% of its time and lost it {:.0f} times a second to "
                       "something else",
                       rank.rank.value_or(-1), with_space(when), 100 * (1 - kept), switches / rank.elapsed_s);
  }
  if (lost > 0) said.add("core-shared", remedy + ": end that, or give each rank a core of its own", lost);
}

void say_load(const RunRecord& run, const RanksHere& here, const std::string& when, Diagnostics& said) {
  const int cores = run.machine.usable_processors;
  const RunRecord::Use& use = run.machine.use;
  if (cores <= 0 || use.wall_s < shortest_s) return;
  // Ranks that a daemon starts (srun) are not among our children.
  double of_ranks_s = 0;
  for (const RunRecord::Rank* rank : here.all) of_ranks_s += std::max(0.0, rank->cpu_s);
  const double own_s = std::max(use.own_s, of_ranks_s);
  const double others = std::max(0.0, use.busy_s - own_s - std::max(0.0, use.lab_s)) / use.wall_s;
  const double stolen = use.stolen_s / use.wall_s;
  const double of_lab = !run.in_lab ? 0 : use.lab_s < 0 ? of_switch_cores : of_frames_cores;
  const auto kept = here.worst();
  const bool had_none = kept && *kept < matters;  // whatever the others did, it took nothing from the ranks
  if (!had_none && others > spare_cores + of_lab &&
      here.wanted_cores() + others - of_lab > cores + spare_cores)
    said.add(
        "other-load",
        fmt::format("other programs had {:.1f} of the {} cores while it ran{}: its times are not those of "
                    "an idle machine; end them and repeat",
                    others, cores, with_space(when)));
  if (stolen > most_stolen * cores)
    said.add("stolen-time",
             stolen > much_stolen * cores || !when.empty() ? Severity::warning : Severity::info,
             fmt::format("the host of this virtual machine kept {:.1f}% of its cores' time from it while the "
                         "program ran{}: {}repeat when the host is idle, and take the median of more runs",
                         100 * stolen / cores, with_space(when),
                         when.empty() ? "" : "what was stretched there is not the program's; "));
}

}  // namespace

nlohmann::json use_between(const MachineUse& before, const MachineUse& after) {
  return {{"wall_s", after.wall_s - before.wall_s},
          {"busy_s", after.machine.busy_s - before.machine.busy_s},
          {"stolen_s", after.machine.stolen_s - before.machine.stolen_s},
          {"own_s", after.own_s - before.own_s}};
}

Diagnostics signs_of_disturbance(const RunRecord& run, const std::string& when) {
  Diagnostics said;
  if (run.in_virtual_time) return said;
  const RanksHere here(run);
  say_oversubscription(run, here, said);
  say_lost_cores(run, when, said);
  say_load(run, here, when, said);
  return said;
}

Diagnostics disturbance_of(const RunRecord& run) {
  Diagnostics said = signs_of_disturbance(run, "");
  if (says_disturbed(said))
    said.add("times-disturbed",
             fmt::format("these are the times of a disturbed machine: what a rank waited for its core counts "
                         "as computing, library or blocked time, and as the network's; run it again with a "
                         "core for each rank, or take the virtual clock, which counts the program's own "
                         "processor time and the network of a model: whatwire dilate --virtual --machine "
                         "machine.json -- {}",
                         run.launch.empty() ? "LAUNCH" : shell_quoted(run.launch)));
  return said;
}

Diagnostics lack_of_cores_in(const RunRecord& run) {
  Diagnostics said;
  if (!run.in_lab || run.in_virtual_time) return said;
  double worst = 0;
  std::int64_t rank_of_it = -1;
  for (const RunRecord::Rank& rank : run.ranks) {
    if (rank.waited_s < 0 || rank.elapsed_s < shortest_wait_s || rank.waited_s / rank.elapsed_s <= worst)
      continue;
    worst = rank.waited_s / rank.elapsed_s;
    rank_of_it = rank.rank.value_or(-1);
  }
  if (worst > most_without_core_in_lab)
    said.add(
        "lab-lacks-cores",
        fmt::format("rank {} was ready to run and without a core for {:.0f}% of its time in a lab on {} "
                    "cores: its ranks and "
                    "the switch that is its wire want more, so these times are not the wire's alone; take a "
                    "slower rate or fewer hosts, or have their cards hand over three frames at once (lab up "
                    "--at-once 3), or take a wire within the kernel (--wire kernel)",
                    rank_of_it, 100 * worst, run.machine.usable_processors));
  return said;
}

double share_kept_of(const RunRecord& run) {
  if (run.in_virtual_time) return 0;
  double worst = 0;
  for (const RunRecord::Rank& rank : run.ranks) worst = std::max(worst, share_kept(run, rank).value_or(0));
  return worst;
}

double share_lost_together(const RunRecord& run) {
  if (run.in_virtual_time || !says_disturbed(signs_of_disturbance(run, ""))) return 0;
  double kept_by_all = 1;
  for (const RunRecord::Rank& rank : run.ranks)
    kept_by_all *= 1 - std::min(1.0, share_kept(run, rank).value_or(0));
  return 1 - kept_by_all;
}

double waited_on_shared_cores_s(const RunRecord& run) {
  const RanksHere here(run);
  const int cores = run.machine.usable_processors;
  if (run.in_virtual_time || cores <= 0 || here.all.size() <= static_cast<std::size_t>(cores)) return 0;
  if (const auto kept = here.worst(); !kept || *kept >= matters) return 0;
  double worst_s = 0;
  for (const RunRecord::Rank* rank : here.all) worst_s = std::max(worst_s, rank->waited_s);
  return worst_s;
}

int cores_shared_by_hosts(const RunRecord& run) {
  const int cores = run.machine.usable_processors;
  const bool shared =
      run.in_lab && !run.in_virtual_time && cores > 0 && run.ranks.size() > static_cast<std::size_t>(cores);
  return shared ? cores : 0;
}

double work_on_shared_cores_s(const RunRecord& run) {
  if (cores_shared_by_hosts(run) == 0) return 0;
  double all_s = std::max(0.0, run.machine.use.lab_s);
  for (const RunRecord::Rank& rank : run.ranks) {
    if (rank.cpu_s < 0 || rank.cpu_s > (rank.elapsed_s - std::max(0.0, rank.waited_s)) / 2) return 0;
    all_s += rank.cpu_s;
  }
  return all_s;
}

bool says_disturbed(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [](const Diagnostic& each) {
    return each.severity != Severity::info &&
           (is(each, "oversubscribed") || is(each, "core-shared") || is(each, "other-load") ||
            is(each, "stolen-time") || is(each, "times-disturbed"));
  });
}

}  // namespace ww
