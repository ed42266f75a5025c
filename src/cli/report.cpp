// whatwire report: where the time of each rank and the messages went.
#include <fmt/format.h>

#include <memory>

#include "analyze/show.hpp"
#include "cli/commands.hpp"
#include "machine/model.hpp"
#include "trace/trace.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string trace, machine, by;
  bool json = false;
};

By by_of(const std::string& name) {
  if (name == "rank") return By::rank;
  if (name == "call") return By::call;
  if (name == "peer") return By::peer;
  return name == "type" ? By::type : By::overview;
}

Result<int> report(const Options& options) {
  std::optional<MachineModel> machine;
  if (!options.machine.empty()) {
    WW_TRY(machine, load_model(options.machine));
  }
  WW_TRY(const Trace trace, load_trace(options.trace));
  const Breakdown breakdown = break_down(trace, machine ? &*machine : nullptr);
  if (options.json)
    fmt::print("{}\n", to_json(breakdown, trace).dump(2));
  else
    fmt::print("{}", show(breakdown, trace, by_of(options.by)));
  return 0;
}

}  // namespace

void add_report(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("report", "Where time and messages of a recorded run went");
  command->footer(
      "For each rank elapsed = compute + library + blocked. Blocked is split into algorithm (the other side "
      "had\n"
      "not begun yet: no network helps) and service (the message was on its way).\n\n"
      "Example:  whatwire report app.ww --by call");
  auto options = std::make_shared<Options>();
  command->add_option("TRACE", options->trace, "Trace directory, or the anchor of any OTF2 archive")
      ->required();
  command
      ->add_option("--by", options->by, "rank, call, peer (who sends to whom) or type (communicator and tag)")
      ->check(CLI::IsMember({"rank", "call", "peer", "type"}));
  command->add_option("--machine", options->machine,
                      "Machine model: tells software from waiting inside calls");
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->callback([&chosen, options] { chosen.action = [options] { return report(*options); }; });
}

}  // namespace ww::cli
