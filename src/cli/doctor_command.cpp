// whatwire doctor: what works here, what does not, and the remedy.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "doctor/doctor.hpp"

namespace ww::cli {
namespace {

struct Options {
  bool json = false;
};

Result<int> examine(const Options& options) {
  bool complete = true;
  nlohmann::json out = {{"checks", nlohmann::json::array()}};
  for (const doctor::Finding& f : doctor::examine()) {
    complete = complete && f.state != doctor::Working::missing;
    if (options.json)
      out["checks"].push_back({{"subject", f.subject},
                               {"state", doctor::to_string(f.state)},
                               {"found", f.found},
                               {"remedy", f.remedy}});
    else
      fmt::print("{:<12} {:<8} {}{}\n", f.subject, doctor::to_string(f.state), f.found,
                 f.remedy.empty() ? "" : "\n" + std::string(22, ' ') + "-> " + f.remedy);
  }
  out["complete"] = complete;
  if (options.json) fmt::print("{}\n", json_text(out, 2));
  return complete ? 0 : 1;
}

}  // namespace

void add_doctor(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand(
      "doctor", "What works here and what does not: tried with programs of both MPIs, a recording, a lab");
  command->footer("Example:  whatwire doctor");
  auto options = std::make_shared<Options>();
  add_json(*command, options->json);
  act(*command, chosen, options, examine);
}

}  // namespace ww::cli
