// What is asked of a lab that is up: its wire, its state, its end.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "lab/lab.hpp"
#include "lab/lab_directory.hpp"
#include "lab/lab_plan.hpp"
#include "lab/runtime.hpp"
#include "lab/timeliness.hpp"

namespace ww::lab {

namespace fs = std::filesystem;

Result<void> set_wire(const LabName& name, const WireChange& change) {
  // Before a lab is looked for: a number that no wire can have is wrong whatever there is.
  WW_CHECK(check_wire(change.of({})));
  WW_TRY(const fs::path lab, find_alive(name));
  WW_TRY(const nlohmann::json state, ask(lab, {{"do", "status"}}));
  const SwitchWire next = change.of(state.at("wire").get<SwitchWire>());
  WW_CHECK(check_wire(next));
  WW_TRY(const nlohmann::json answer, ask(lab, {{"do", "set"}, {"wire", next}}));
  return {};
}

Result<SwitchWire> wire_of(const LabName& name) {
  WW_TRY(const fs::path lab, find_alive(name));
  WW_TRY(const nlohmann::json answer, ask(lab, {{"do", "status"}}));
  return answer.at("wire").get<SwitchWire>();
}

Result<nlohmann::json> status(const LabName& name) {
  WW_TRY(const fs::path lab, find_alive(name));
  WW_TRY(nlohmann::json answer, ask(lab, {{"do", "status"}}));
  WW_TRY(const Plan plan, read_plan(lab));
  WW_TRY(const Running running, read_running(lab));
  if (running.networks.size() != plan.hosts.size())
    return fail("cannot understand a lab's state", lab.string(), "whatwire lab down --name " + plan.name);
  answer["name"] = plan.name;
  answer["wire_subnet"] = plan.wire_subnet;
  answer["hosts"] = nlohmann::json::array();
  for (std::size_t k = 0; k < plan.hosts.size(); ++k)
    answer["hosts"].push_back({{"name", plan.hosts[k].name},
                               {"address", plan.hosts[k].address},
                               {"management_address", plan.hosts[k].management_address},
                               {"namespace", running.network(k)}});
  // Daemons of launchers leave their parent: what they and their ranks used is known here only.
  if (const auto used_s = cpu_of_ended_children_s(running.init.pid))
    answer["programs"] = {{"orphans_cpu_s", *used_s}};
  answer["diagnostics"] = timeliness(answer);
  return answer;
}

Result<void> down(const LabName& name) {
  WW_TRY(const fs::path lab, lab_directory(name));
  WW_TRY(const Lock all, lock_all_labs());
  if (!fs::exists(lab)) return fail("there is no such lab", name.text(), "whatwire lab status");
  if (alive(lab)) {
    if (!fs::exists(lab / "running.json"))
      return fail("the lab is not complete yet", name.text(), "wait for whatwire lab up to end");
    WW_TRY(const Running running, read_running(lab));
    const ProcessHold process = ProcessHold::find(running.process);
    if (!ask(lab, {{"do", "stop"}})) process.signal(SIGKILL);
    // Programs have half a second for their end; a switch that hangs is ended.
    constexpr int patience_ms = 5000;
    if (!process.ended_within(patience_ms)) process.signal(SIGKILL);
    // Its descriptors close a moment after.
    for (int waited_ms = 0; alive(lab); waited_ms += 5) {
      if (waited_ms > patience_ms)
        return fail("the lab's switch does not end", fmt::format("process {}", running.process.pid));
      usleep(5000);
    }
  }
  return clean_away(lab);
}

Result<std::vector<LabName>> names() {
  std::vector<LabName> found;
  WW_TRY(const auto directories, directories_of_labs());
  std::error_code problem;
  for (const fs::path& labs : directories)
    for (const auto& entry : fs::directory_iterator(labs, problem))
      if (auto name = LabName::parse(entry.path().filename().string()); name && entry.is_directory())
        found.push_back(*std::move(name));
  return found;
}

}  // namespace ww::lab
