// Open MPI 4 on the hosts of a lab.
#include <fmt/format.h>
#include <sched.h>

#include <cstdlib>

#include "base/files.hpp"
#include "lab/placing.hpp"

namespace ww::lab {
namespace {

// Has the user chosen this MCA parameter himself? Then his choice stays.
bool chooses(const std::vector<std::string>& launch, const std::string& parameter) {
  for (std::size_t i = 1; i + 1 < launch.size(); ++i)
    if ((launch[i] == "--mca" || launch[i] == "-mca" || launch[i] == "--gmca" || launch[i] == "-gmca") &&
        launch[i + 1] == parameter)
      return true;
  return false;
}

// `count` hosts in turn from the `first` on.
std::string host_list(const Plan& plan, std::size_t first, std::size_t count, int slots) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i)
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", plan.hosts[(first + i) % plan.hosts.size()].name,
                        slots);
  return list;
}

std::size_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1;
}

// Without a number of ranks Open MPI fills all slots: then one a host. With one, slots must not limit it, or
// Open MPI would call the hosts oversubscribed and let waiting ranks yield, which changes what is measured.
constexpr int plenty = 128;

// Of several programs Open MPI begins each at the first host. They are placed like the ranks of one: each has
// its part of the list of hosts in turn, which the mapper `seq` follows.
void place_of_openmpi(const Plan& plan, const LaunchLine& launch, const std::vector<Context>& contexts,
                      PlacingOptions& options) {
  const std::size_t hosts = plan.hosts.size();
  const bool counted_by_host = has_option(launch, contexts, {"-N", "--npernode", "-npernode"});
  const bool mapped =
      counted_by_host || has_option(launch, contexts, {"--map-by", "-map-by", "--rankfile", "-rf"});
  if (!mapped) add(options[0], {"--map-by", contexts.size() > 1 ? "seq" : "node"});
  std::size_t next = 0;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const auto& ranks = contexts[i].ranks;
    if (mapped || contexts.size() == 1) {
      add(options[i], {"--host", host_list(plan, 0, hosts, ranks || counted_by_host ? plenty : 1)});
      continue;
    }
    const std::size_t count = ranks ? static_cast<std::size_t>(*ranks) : hosts;
    add(options[i], {"--host", host_list(plan, next, count, plenty)});
    if (!ranks) add(options[i], {"-n", std::to_string(count)});
    next += count;
  }
}

}  // namespace

PlacingOptions placed_by_open_mpi(const Plan& plan, LaunchLine& launch,
                                  const std::vector<Context>& contexts) {
  PlacingOptions all(contexts.size());
  place_of_openmpi(plan, launch, contexts, all);
  LaunchLine& options = all[0];
  const auto choose = [&](const std::string& parameter, const std::string& value) {
    if (!chooses(launch, parameter)) add(options, {"--mca", parameter, value});
  };
  if (!has_option(launch, contexts, {"--bind-to", "-bind-to"})) add(options, {"--bind-to", "none"});
  choose("plm", "rsh");
  choose("plm_rsh_agent", helper_program("ww-lab-agent"));
  choose("plm_rsh_no_tree_spawn", "1");
  choose("oob_tcp_if_include", plan.management_subnet);
  choose("btl", "tcp,self");
  choose("pml", "ob1");
  choose("btl_tcp_if_include", plan.wire_subnet);
  // Hosts that share a core: a rank that polls for its message would hold up for a time slice the rank that
  // has work on the same core, as no two hosts do to each other (cg on four hosts and two cores: 2.3 s
  // instead of 0.46 at 100 Mb/s). So here waiting ranks do yield.
  if (plan.hosts.size() > usable_cores() && std::getenv("OMPI_MCA_mpi_yield_when_idle") == nullptr)
    choose("mpi_yield_when_idle", "1");
  return all;
}

}  // namespace ww::lab
