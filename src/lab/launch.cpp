// launch_on: the user's launch line, changed to run on the lab's hosts.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.hpp"
#include "base/mpi.hpp"
#include "base/subprocess.hpp"
#include "lab/directory.hpp"
#include "lab/lab.hpp"
#include "lab/plan.hpp"

namespace ww::lab {

namespace fs = std::filesystem;

namespace {

// "mpirun" and "mpiexec" may be scripts or programs of either: then they are asked.
Result<Mpi> check_launcher(const std::string& launcher) {
  static const std::set<std::string> known{"mpirun", "mpiexec"};
  constexpr const char* remedy =
      "whatwire lab run -- mpirun -n 2 ./app, with the mpirun of Open MPI or MPICH";
  if (const Mpi mpi = mpi_of_launcher(launcher); mpi != Mpi::unknown) return mpi;
  if (!known.contains(fs::path(launcher).filename()))
    return fail("a lab starts programs of mpirun, mpiexec, orterun or mpiexec.hydra only", launcher, remedy);
  WW_TRY(const Finished version, run({.arguments = {launcher, "--version"},
                                      .output = Command::Output::capture,
                                      .capture_errors = true,
                                      .no_input = true,
                                      .time_limit_s = 20}));
  if (version.output.find("HYDRA") != std::string::npos) return Mpi::mpich;
  if (version.output.find("Open MPI") == std::string::npos &&
      version.output.find("OpenRTE") == std::string::npos)
    return fail("this launcher is neither Open MPI's nor MPICH's", launcher, remedy);
  return Mpi::openmpi;
}

bool has(const std::vector<std::string>& launch, std::initializer_list<const char*> any) {
  return std::any_of(launch.begin() + 1, launch.end(), [&](const std::string& word) {
    return std::find(any.begin(), any.end(), word) != any.end();
  });
}

// Has the user chosen this MCA parameter himself? Then his choice stays.
bool chooses(const std::vector<std::string>& launch, const std::string& parameter) {
  for (std::size_t i = 1; i + 1 < launch.size(); ++i)
    if ((launch[i] == "--mca" || launch[i] == "-mca" || launch[i] == "--gmca" || launch[i] == "-gmca") &&
        launch[i + 1] == parameter)
      return true;
  return false;
}

std::string host_list(const Plan& plan, int slots) {
  std::string list;
  for (const PlannedHost& host : plan.hosts)
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", host.name, slots);
  return list;
}

// Hydra's options. Several ranks of a host talk through MPICH's own shared memory, those of different hosts
// by TCP.
void add_for_mpich(const Plan& plan, const std::vector<std::string>& launch,
                   std::vector<std::string>& changed) {
  const auto add = [&](std::initializer_list<std::string> words) { changed.insert(changed.end(), words); };
  std::string hosts;
  for (const PlannedHost& host : plan.hosts) hosts += (hosts.empty() ? "" : ",") + host.name;
  add({"-launcher", "rsh", "-launcher-exec", helper_program("ww-lab-agent"), "-hosts", hosts});
  if (!has(launch, {"-iface"})) add({"-iface", management_interface});
  if (!has(launch, {"-ppn"})) add({"-ppn", "1"});  // in turn, once round and again
  if (!has(launch, {"UCX_TLS"})) add({"-genv", "UCX_TLS", "tcp,self"});
  if (!has(launch, {"UCX_NET_DEVICES"})) add({"-genv", "UCX_NET_DEVICES", wire_interface});
}

}  // namespace

Result<std::vector<std::string>> launch_on(const std::string& name, std::vector<std::string> launch) {
  if (launch.empty()) return wrong_usage("nothing to launch", "", "whatwire lab run -- mpirun -n 2 ./app");
  WW_TRY(const fs::path lab, find_alive(name));
  WW_TRY(const Plan plan, read_plan(lab));
  WW_TRY(const Mpi mpi, check_launcher(launch[0]));
  if (has(launch,
          {"--host", "-host", "-H", "-hosts", "--hostfile", "-hostfile", "--machinefile", "-machinefile"}) ||
      (mpi == Mpi::mpich && launch.size() > 1 && launch[1] == "-f"))
    return wrong_usage("the lab chooses the hosts itself", "hosts or a file of hosts in the launch line",
                       "leave it out");

  std::vector<std::string> changed{helper_program("ww-lab-agent"), "--on", lab, "0", "--", launch[0]};
  if (mpi == Mpi::mpich) {
    add_for_mpich(plan, launch, changed);
    changed.insert(changed.end(), launch.begin() + 1, launch.end());
    return changed;
  }
  const auto add = [&](std::initializer_list<std::string> words) { changed.insert(changed.end(), words); };
  const auto choose = [&](const std::string& parameter, const std::string& value) {
    if (!chooses(launch, parameter)) add({"--mca", parameter, value});
  };
  // Without a number of ranks Open MPI fills all slots: then one a host. With one, slots must not limit it,
  // or Open MPI would call the hosts oversubscribed and let waiting ranks yield, which changes what is
  // measured.
  const bool counted = has(launch, {"-n", "-np", "-c", "--n", "--np", "-N", "--npernode", "-npernode"});
  constexpr int plenty = 128;
  add({"--host", host_list(plan, counted ? plenty : 1)});
  if (!has(launch, {"--map-by", "-map-by", "--rankfile", "-rf", "-N", "--npernode", "-npernode"}))
    add({"--map-by", "node"});
  if (!has(launch, {"--bind-to", "-bind-to"})) add({"--bind-to", "none"});
  choose("plm", "rsh");
  choose("plm_rsh_agent", helper_program("ww-lab-agent"));
  choose("plm_rsh_no_tree_spawn", "1");
  choose("oob_tcp_if_include", plan.management_subnet);
  choose("btl", "tcp,self");
  choose("pml", "ob1");
  choose("btl_tcp_if_include", plan.wire_subnet);
  changed.insert(changed.end(), launch.begin() + 1, launch.end());
  return changed;
}

}  // namespace ww::lab
