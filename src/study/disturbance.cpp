#include "study/disturbance.hpp"

#include <fmt/format.h>

#include <map>

namespace ww {
namespace {

// A rank that polls, as Open MPI's do, has the processor all the time; what it lacks, somebody else had.
constexpr double least_cpu_share = 0.95;
// In a lab the switch takes a part of a core while frames pass, mostly from ranks that wait for these frames.
constexpr double least_cpu_share_in_lab = 0.70;

}  // namespace

Diagnostics find_disturbance(const Trace& trace) {
  Diagnostics found;
  const nlohmann::json& run = trace.run;
  if (!run.is_object()) return found;

  // The hosts of a lab share one machine's processors, so ranks are counted over all of them there.
  std::map<std::string, int> ranks_of;
  for (const RankTrace& rank : trace.ranks) ++ranks_of[run.contains("lab") ? "this machine" : rank.host];
  const int usable = run.contains("machine") ? run["machine"].value("usable_processors", 0) : 0;
  for (const auto& [host, ranks] : ranks_of)
    if (usable > 0 && ranks > usable)
      found.add(
          "times-disturbed", Severity::warning,
          fmt::format("{} ranks on {} share {} usable cores, so they take turns; its times are those of an "
                      "overloaded machine: use at most {} ranks here, or a machine with more cores",
                      ranks, host, usable, usable));

  const double least_share = run.contains("lab") ? least_cpu_share_in_lab : least_cpu_share;
  for (const nlohmann::json& process : run.value("ranks", nlohmann::json::array())) {
    const double cpu_s = process.value("cpu_s", -1.0), elapsed_s = process.value("elapsed_s", 0.0);
    if (cpu_s < 0 || elapsed_s < 0.1 || cpu_s >= least_share * elapsed_s) continue;
    found.add("times-disturbed", Severity::warning,
              fmt::format("rank {} had the processor for only {:.0f}% of its time ({} involuntary "
                          "switches); something "
                          "else ran on its core: close it, or give each rank its own core",
                          process.value("rank", -1), 100 * cpu_s / elapsed_s,
                          process.value("involuntary_switches", 0)));
  }
  return found;
}

}  // namespace ww
