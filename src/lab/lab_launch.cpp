// launch_on: the user's launch line, changed to run on the lab's hosts.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "lab/contexts.hpp"
#include "lab/lab.hpp"
#include "lab/lab_directory.hpp"
#include "lab/lab_plan.hpp"
#include "lab/placing.hpp"
#include "lab/pvm_machine.hpp"
#include "launch/launch.hpp"

namespace ww::lab {

namespace fs = std::filesystem;

namespace {

// Of a program that no launcher starts, but the daemons of its library: on the first host, in a machine of theirs.
Result<LaunchLine> in_machine_of_daemons(const fs::path& lab, const LaunchLine& launch,
                                         const OfDaemons& daemons) {
  WW_TRY(const Launch understood, understand(launch));
  if (understood.library == nullptr || *understood.library->daemon == '\0')
    return fail(fmt::format("a lab starts programs with {}, or those of PVM", named_by(&Library::launchers)),
                launch[0], "whatwire lab run -- mpirun -n 2 ./app");
  const auto program = find_program(understood.program());
  const fs::path tasks = program ? fs::absolute(*program).parent_path() : fs::current_path();
  LaunchLine changed{helper_program("ww-lab-agent"), "--on", lab, "0", "--"};
  if (!daemons.preload.empty()) {
    changed.insert(changed.end(),
                   {"/usr/bin/env", fmt::format("{}={}", pvm_preload_variable, daemons.preload.string())});
    for (const auto& [variable, value] : daemons.environment)
      changed.push_back(fmt::format("{}={}", variable, value));
  }
  for (const fs::path& word : {helper_program("ww-lab-pvm"), lab, tasks, fs::path("--")})
    changed.push_back(word);
  changed.insert(changed.end(), launch.begin(), launch.end());
  return changed;
}

}  // namespace

Result<std::vector<std::string>> launch_on(const LabName& name, std::vector<std::string> launch,
                                           const OfDaemons& daemons) {
  if (launch.empty()) return wrong_usage("nothing to launch", "", "whatwire lab run -- mpirun -n 2 ./app");
  WW_TRY(const fs::path lab, find_alive(name));
  WW_TRY(const Plan plan, read_plan(lab));
  (void)ask(lab,
            {{"do", "wake"}});  // a lab of an older switch, which does not know that, runs programs as well
  const Placing* placing = placing_by(launch[0]);
  if (placing == nullptr) return in_machine_of_daemons(lab, launch, daemons);
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
  const PlacingOptions options = placing->options(plan, launch, contexts);
  LaunchLine changed{helper_program("ww-lab-agent"), "--on", lab, "0", "--"};
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
