// What is asked of a lab that is up: its wire, its state, its end.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "lab/directory.hpp"
#include "lab/lab.hpp"
#include "lab/plan.hpp"
#include "lab/timeliness.hpp"

namespace ww::lab {

namespace fs = std::filesystem;

Result<void> set_wire(const std::string& name, std::optional<double> rate_bytes_per_s,
                      std::optional<double> delay_s) {
  WW_TRY(const fs::path lab, find_alive(name));
  nlohmann::json request = {{"do", "set"}};
  if (rate_bytes_per_s) request["rate_bytes_per_s"] = *rate_bytes_per_s;
  if (delay_s) request["delay_s"] = *delay_s;
  WW_TRY(const nlohmann::json answer, ask(lab, request));
  return {};
}

Result<Wire> wire_of(const std::string& name) {
  WW_TRY(const fs::path lab, find_alive(name));
  WW_TRY(const nlohmann::json answer, ask(lab, {{"do", "status"}}));
  return answer.at("wire").get<Wire>();
}

Result<nlohmann::json> status(const std::string& name) {
  WW_TRY(const fs::path lab, find_alive(name));
  WW_TRY(nlohmann::json answer, ask(lab, {{"do", "status"}}));
  WW_TRY(const Plan plan, read_plan(lab));
  WW_TRY(const Running running, read_running(lab));
  answer["name"] = plan.name;
  answer["wire_subnet"] = plan.wire_subnet;
  answer["hosts"] = nlohmann::json::array();
  for (std::size_t k = 0; k < plan.hosts.size(); ++k)
    answer["hosts"].push_back({{"name", plan.hosts[k].name},
                               {"address", plan.hosts[k].address},
                               {"management_address", plan.hosts[k].management_address},
                               {"namespace", running.namespaces[k]}});
  answer["diagnostics"] = timeliness(answer);
  return answer;
}

Result<void> down(const std::string& name) {
  const fs::path lab = lab_directory(name);
  WW_TRY(const Lock all, lock_all_labs());
  if (!fs::exists(lab)) return fail("there is no such lab", lab.filename().string(), "whatwire lab status");
  if (alive(lab)) {
    const auto running = read_running(lab);
    if (!running)
      return fail("the lab is not complete yet", lab.filename().string(), "wait for whatwire lab up to end");
    if (!ask(lab, {{"do", "stop"}})) kill(running->pid, SIGKILL);
    // Its descriptors close a moment after it answered; a switch that hangs is ended.
    for (int waited_ms = 0; alive(lab); waited_ms += 5) {
      if (waited_ms == 2000) kill(running->pid, SIGKILL);
      if (waited_ms > 5000)
        return fail("the lab's switch does not end", fmt::format("process {}", running->pid));
      usleep(5000);
    }
  }
  return clean_away(lab);
}

Result<std::vector<std::string>> names() {
  std::vector<std::string> found;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(labs_directory(), problem))
    if (entry.is_directory()) found.push_back(entry.path().filename());
  return found;
}

}  // namespace ww::lab
