// whatwire compare: two traces or studies side by side.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyze/compare.hpp"
#include "base/files.hpp"
#include "base/json_check.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "render/compare_text.hpp"
#include "render/diagnostics.hpp"
#include "trace/trace.hpp"

namespace ww::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string a, b, machine;
  bool json = false;
};

struct Side {
  std::string name;
  std::string program;  // its file's name, as far as known
  Breakdown breakdown;  // with the trace's diagnostics
  nlohmann::json what_ifs = nlohmann::json::array();
};

Result<Side> load_side(const std::string& given, const MachineModel* machine) {
  fs::path file = given;
  std::error_code ignored;
  if (fs::is_directory(file, ignored) && fs::exists(file / "study.json", ignored)) file /= "study.json";
  Side side;
  side.name = given;
  if (file.extension() != ".json") {
    WW_TRY(const Trace trace, load_trace(file));
    side.breakdown = break_down(trace, machine);
    side.program = fs::path(trace.run.program).filename();
    side.breakdown.diagnostics = diagnostics_of(trace, side.breakdown);
    return side;
  }
  WW_TRY(const std::string text, read_file(file));
  nlohmann::json study = nlohmann::json::parse(text, nullptr, false);
  make_printable(study);
  if (!study.is_object() || !study.contains("report"))
    return fail("not a study", file.string(),
                "name a trace, a study.json or the directory that whatwire study wrote");
  auto breakdown = breakdown_from_json(study["report"]);
  if (!breakdown)
    return fail(breakdown.error().what, file.string() + ": " + breakdown.error().where,
                breakdown.error().remedy);
  side.breakdown = *std::move(breakdown);
  side.program = check::text_of(study, "name");
  if (study.contains("what_ifs") && study["what_ifs"].is_array()) side.what_ifs = study["what_ifs"];
  return side;
}

Result<int> work(const Options& options) {
  std::optional<MachineModel> machine;
  if (!options.machine.empty()) {
    WW_TRY(machine, load_model(options.machine));
  }
  WW_TRY(const Side a, load_side(options.a, machine ? &*machine : nullptr));
  WW_TRY(Side b, load_side(options.b, machine ? &*machine : nullptr));
  if (!a.program.empty() && !b.program.empty() && a.program != b.program)
    b.breakdown.diagnostics.add(
        "other-program", fmt::format("B ran {}, A ran {}: what moved is what differs between two programs",
                                     b.program, a.program));
  const Comparison comparison = compare(a.breakdown, b.breakdown);
  const std::vector<WhatIfChange> what_ifs = common_what_ifs(a.what_ifs, b.what_ifs);
  if (options.json) {
    nlohmann::json json = to_json(comparison);
    json["what_ifs"] = to_json(what_ifs);
    json["diagnostics"] = {{"a", a.breakdown.diagnostics}, {"b", b.breakdown.diagnostics}};
    fmt::print("{}\n", json_text(json, 2));
  } else {
    fmt::print("{}{}{}{}", show(comparison, a.name, b.name), show(what_ifs),
               show_about("A", a.breakdown.diagnostics), show_about("B", b.breakdown.diagnostics));
  }
  return 0;
}

}  // namespace

void add_compare(CLI::App& root, Chosen& chosen) {
  auto* command =
      root.add_subcommand("compare", "Two traces or studies side by side: speed-up, and what moved");
  command->footer(
      "Speed-up is the time of A over that of B; times of parts are means over the ranks.\n\n"
      "Example:  whatwire compare before.ww after.ww");
  auto options = std::make_shared<Options>();
  command->add_option("A", options->a, "A trace, or a study (its directory or study.json)")->required();
  command->add_option("B", options->b, "Another one")->required();
  add_model(*command, options->machine, "Machine model: tells software from waiting inside calls of traces");
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli
