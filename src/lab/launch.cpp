// launch_on: the user's launch line, changed to run on the lab's hosts.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "lab/directory.hpp"
#include "lab/lab.hpp"
#include "lab/plan.hpp"

namespace ww::lab {

namespace fs = std::filesystem;

namespace {

Result<void> check_open_mpi(const std::string& launcher) {
  static const std::set<std::string> known{"mpirun", "mpiexec", "orterun", "mpirun.openmpi",
                                           "mpiexec.openmpi"};
  constexpr const char* remedy = "whatwire lab run -- mpirun -n 2 ./app, with Open MPI's mpirun";
  if (!known.contains(fs::path(launcher).filename()))
    return fail("a lab starts programs of Open MPI's mpirun, mpiexec or orterun only", launcher, remedy);
  WW_TRY(const Finished version, run({.arguments = {launcher, "--version"},
                                      .output = Command::Output::capture,
                                      .capture_errors = true,
                                      .no_input = true,
                                      .time_limit_s = 20}));
  if (version.output.find("Open MPI") == std::string::npos &&
      version.output.find("OpenRTE") == std::string::npos)
    return fail("this launcher is not Open MPI's", launcher, remedy);
  return {};
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

}  // namespace

Result<std::vector<std::string>> launch_on(const std::string& name, std::vector<std::string> launch) {
  if (launch.empty()) return wrong_usage("nothing to launch", "", "whatwire lab run -- mpirun -n 2 ./app");
  WW_TRY(const fs::path lab, find_alive(name));
  WW_TRY(const Plan plan, read_plan(lab));
  WW_CHECK(check_open_mpi(launch[0]));
  if (has(launch, {"--host", "-host", "-H", "--hostfile", "-hostfile", "--machinefile", "-machinefile"}))
    return wrong_usage("the lab chooses the hosts itself", "--host or --hostfile in the launch line",
                       "leave it out");

  std::vector<std::string> changed{helper_program("ww-lab-agent"), "--on", lab, "0", "--", launch[0]};
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
