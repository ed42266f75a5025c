// launch_on: the user's launch line, changed to run on the lab's hosts.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/files.hpp"
#include "base/mpi.hpp"
#include "base/subprocess.hpp"
#include "lab/contexts.hpp"
#include "lab/directory.hpp"
#include "lab/lab.hpp"
#include "lab/plan.hpp"

namespace ww::lab {

namespace fs = std::filesystem;

namespace {

constexpr const char* example = "whatwire lab run -- mpirun -n 2 ./app, with mpirun of Open MPI or MPICH";

Result<Mpi> mpi_of(const std::string& launcher) {
  static const std::set<std::string> of_openmpi{"mpirun", "mpiexec", "orterun", "mpirun.openmpi",
                                                "mpiexec.openmpi"};
  if (mpi_of_launcher(launcher) == Mpi::mpich) return Mpi::mpich;
  if (!of_openmpi.contains(fs::path(launcher).filename()))
    return fail("a lab starts programs with mpirun or mpiexec of Open MPI or MPICH only", launcher, example);
  WW_TRY(const Finished version, run({.arguments = {launcher, "--version"},
                                      .output = Command::Output::capture,
                                      .capture_errors = true,
                                      .no_input = true,
                                      .time_limit_s = 20}));
  if (version.output.find("Open MPI") == std::string::npos &&
      version.output.find("OpenRTE") == std::string::npos)
    return fail("this launcher is neither Open MPI's nor MPICH's", launcher, example);
  return Mpi::openmpi;
}

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

using Line = std::vector<std::string>;

void add(Line& line, std::initializer_list<std::string> words) {
  line.insert(line.end(), words);
}

std::size_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1;
}

// What comes before a context's own options.
using Options = std::vector<Line>;

// Without a number of ranks Open MPI fills all slots: then one a host. With one, slots must not limit it, or
// Open MPI would call the hosts oversubscribed and let waiting ranks yield, which changes what is measured.
constexpr int plenty = 128;

// Of several programs Open MPI begins each at the first host. They are placed like the ranks of one: each has
// its part of the list of hosts in turn, which the mapper `seq` follows.
void place_of_openmpi(const Plan& plan, const Line& launch, const std::vector<Context>& contexts,
                      Options& options) {
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

Options options_of_openmpi(const Plan& plan, const Line& launch, const std::vector<Context>& contexts) {
  Options all(contexts.size());
  place_of_openmpi(plan, launch, contexts, all);
  Line& options = all[0];
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

// The library that lets MPI_Finalize end (mpich/finalize.c), behind what is preloaded already: by the user's
// line, by the recorder in front of the program ("/usr/bin/env LD_PRELOAD=..."), or by the environment.
void preload_finalize(Line& launch, Line& options) {
  const std::string library = preload_library("libwhatwire-lab-mpich.so");
  bool named = false;
  const auto append = [&](std::string& list, std::size_t begin) {
    list += (list.size() > begin ? ":" : "") + library;
    named = true;
  };
  const std::string assignment = "LD_PRELOAD=";
  for (std::size_t i = 1; i < launch.size(); ++i)
    if (launch[i].starts_with(assignment))
      append(launch[i], assignment.size());
    else if (launch[i] == "LD_PRELOAD" && i + 1 < launch.size())  // -genv LD_PRELOAD list
      append(launch[++i], 0);
  if (named) return;
  const char* already = std::getenv("LD_PRELOAD");
  std::string list = already == nullptr ? "" : already;
  append(list, 0);
  add(options, {"-genv", "LD_PRELOAD", list});
}

// hydra's. UCX, below Debian's MPICH, would find that all hosts are one machine and use its memory: it is
// told to take the wire. Ranks of one host share memory above it.
Options options_of_mpich(const Plan& plan, Line& launch, const std::vector<Context>& contexts) {
  Options all(contexts.size());
  Line& options = all[0];
  std::string hosts;
  for (const PlannedHost& host : plan.hosts) hosts += (hosts.empty() ? "" : ",") + host.name;
  add(options, {"-launcher", "ssh", "-launcher-exec", helper_program("ww-lab-agent"), "-hosts", hosts,
                "-iface", management_interface});
  for (const auto& [name, value] :
       {std::pair{"UCX_TLS", "tcp,self"}, std::pair{"UCX_NET_DEVICES", wire_interface}})
    if (std::getenv(name) == nullptr && !has_option(launch, contexts, {name}))
      add(options, {"-genv", name, value});
  preload_finalize(launch, options);
  for (std::size_t i = 0; i < contexts.size(); ++i)
    if (!contexts[i].ranks) add(all[i], {"-n", std::to_string(plan.hosts.size())});
  return all;
}

}  // namespace

Result<std::vector<std::string>> launch_on(const LabName& name, std::vector<std::string> launch) {
  if (launch.empty()) return wrong_usage("nothing to launch", "", "whatwire lab run -- mpirun -n 2 ./app");
  WW_TRY(const fs::path lab, find_alive(name));
  WW_TRY(const Plan plan, read_plan(lab));
  WW_TRY(const Mpi mpi, mpi_of(launch[0]));
  const std::vector<Context> contexts = contexts_of(launch);
  if (has_option(launch, contexts, {"--app", "-app", "-configfile", "--configfile"}))
    return wrong_usage("a lab does not place the programs of a file",
                       "--app or -configfile in the launch line",
                       "write its lines into the launch line, joined by \" : \"");
  if (has_option(launch, contexts,
                 {"--host", "-host", "-H", "--hostfile", "-hostfile", "--machinefile", "-machinefile",
                  "-hosts", "--hosts", "-f"}))
    return wrong_usage("the lab chooses the hosts itself", "--host or --hostfile in the launch line",
                       "leave it out");
  const Options options = mpi == Mpi::mpich ? options_of_mpich(plan, launch, contexts)
                                            : options_of_openmpi(plan, launch, contexts);
  Line changed{helper_program("ww-lab-agent"), "--on", lab, "0", "--"};
  for (std::size_t i = 0, at = 0; i < contexts.size(); ++i) {
    const auto word = [&](std::size_t index) { return launch.begin() + static_cast<std::ptrdiff_t>(index); };
    const std::size_t end = i + 1 < contexts.size() ? contexts[i + 1].begin : launch.size();
    changed.insert(changed.end(), word(at), word(contexts[i].begin));  // the launcher
    changed.insert(changed.end(), options[i].begin(), options[i].end());
    changed.insert(changed.end(), word(contexts[i].begin), word(end));
    at = end;
  }
  return changed;
}

}  // namespace ww::lab
