// whatwire machine: shows, lists, compares and refits machine models.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/files.hpp"
#include "base/kept_file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "machine/presets.hpp"
#include "machine/what_if.hpp"
#include "measure/fit.hpp"
#include "measure/measure.hpp"
#include "measure/raw_listing.hpp"
#include "measure/simulated/measure_simulated.hpp"
#include "render/machine_text.hpp"
#include "render/raw_listing_text.hpp"
#include "render/six_tables.hpp"
#include "report/html.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string first, second, what_if, output, html, clock;
  double ipc = 0;
  bool json = false, tables = false, raw = false;
};

Result<MachineModel> load_with(const Options& options, const std::string& file) {
  WW_TRY(MachineModel model, load_model(file));
  if (options.what_if.empty()) return model;
  WW_TRY(const WhatIf what_if, parse_what_if(options.what_if));
  if (what_if.topology)
    return wrong_usage("another network changes no machine model", options.what_if,
                       "simulate it: whatwire simulate --network " + what_if.topology->text);
  if (what_if.ranks_per_host > 0)
    return wrong_usage("where ranks are changes no machine model", options.what_if,
                       "simulate it: whatwire simulate --what-if " + what_if.spec);
  return apply(model, what_if);
}

// All that can be drawn of the models, as one page that needs nothing else. Two are drawn side by side.
Result<void> write_pictures(const Options& options, const std::vector<MachineModel>& models) {
  nlohmann::json data = {{"made_by", "whatwire " WHATWIRE_VERSION}, {"studies", nlohmann::json::array()}};
  if (models.size() == 1) {
    data["title"] = "The machine model " + models[0].name;
    data["machine"] = to_json(models[0]);
  } else {
    data["title"] = "Machine models side by side";
    for (const MachineModel& model : models) data["machines"].push_back(to_json(model));
  }
  auto page = html_report(data);
  if (!page) {
    Error error =
        page.error();  // of the model's own keys, which the page names by where they stand in its data
    error.what = "the model holds what cannot be drawn: " + error.what;
    error.remedy = "correct the key in the model's file, or measure anew";
    return tl::unexpected(std::move(error));
  }
  WW_TRY(const auto said, write_output_file(options.html, *page, is_html_report));
  say(said);
  if (!options.json) fmt::print("pictures      {}\n", options.html);
  return {};
}

// Of the processor, where the model does not know it, or knows it otherwise.
Result<void> set_processor(const Options& options, MachineModel& model) {
  if (options.ipc > 0) model.ipc = options.ipc;
  if (options.clock.empty()) return {};
  WW_TRY(model.clock_hz, parse_frequency_hz(options.clock));
  if (const Link* first = model.links.empty() ? nullptr : &model.links.front();
      first && !first->one_way.empty()) {
    model.alpha_cycles = first->latency_s * model.clock_hz;
    model.beta_cycles_per_byte = first->one_way.segments.back().seconds_per_byte * model.clock_hz;
  }
  return {};
}

// From the samples that the model names, which lie beside it.
Result<int> show_raw(const Options& options, const MachineModel& model) {
  if (model.samples.empty())
    return fail("the model names no file of samples", options.first, "give a model of `whatwire measure`");
  const std::filesystem::path file = std::filesystem::path(options.first).parent_path() / model.samples;
  WW_TRY(const measure::Samples samples, measure::load_samples(file));
  auto listing = measure::raw_listing(samples);
  if (!listing) {
    Error error = listing.error();
    error.where = file.string();
    return tl::unexpected(std::move(error));
  }
  if (options.json)
    fmt::print("{}\n", json_text(measure::to_json(*listing), 2));
  else
    fmt::print("{}", show(*listing));
  return 0;
}

Result<int> show_model(const Options& options) {
  WW_TRY(MachineModel model, load_with(options, options.first));
  WW_CHECK(set_processor(options, model));
  if (options.raw) return show_raw(options, model);
  if (!options.html.empty()) WW_CHECK(write_pictures(options, {model}));
  if (options.json) {
    fmt::print("{}\n", json_text(to_json(model), 2));
  } else if (options.tables) {
    WW_TRY(const std::string tables, six_tables(model));
    fmt::print("machine {}\n{}", model.name, tables);
  } else {
    print_model(model);
  }
  return 0;
}

Result<int> list(const Options& options) {
  nlohmann::json out = {{"presets", nlohmann::json::array()}};
  for (const Preset* preset : presets()) {
    if (options.json)
      out["presets"].push_back(
          {{"name", preset->name}, {"description", preset->description}, {"source", preset->source}});
    else
      fmt::print("{:<18} {} ({})\n", preset->name, preset->description, preset->source);
  }
  if (options.json) fmt::print("{}\n", json_text(out, 2));
  return 0;
}

Result<int> diff(const Options& options) {
  WW_TRY(const MachineModel a, load_with(options, options.first));
  WW_TRY(const MachineModel b, load_model(options.second));
  if (!options.html.empty()) WW_CHECK(write_pictures(options, {a, b}));
  const std::vector<LinkDifference> links = differences(a, b);
  if (links.empty())
    return fail("the models have no link in common", options.first + ", " + options.second, "");
  if (options.json)
    fmt::print("{}\n", json_text({{"a", a.name}, {"b", b.name}, {"links", to_json(links)}}, 2));
  else
    fmt::print("{}", show(links));
  return 0;
}

Result<int> fit(const Options& options) {
  WW_TRY(const measure::Samples samples, measure::load_samples(options.first));
  const std::string file = std::filesystem::path(options.first).filename().string();
  WW_TRY(const MachineModel model, measure::is_simulated(samples) ? measure::fit_simulated(samples, file)
                                                                  : measure::fit_model(samples, file));
  if (!options.output.empty()) {
    WW_CHECK(check_output_file(options.output));
    WW_CHECK(measure::keep_previous_model(options.output, [](const std::string& line) { say({line}); }));
    WW_CHECK(save_model(model, options.output));
  }
  if (options.json)
    fmt::print("{}\n", json_text(to_json(model), 2));
  else
    print_model(model);
  return 0;
}

}  // namespace

void add_machine(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("machine", "Show, list, compare and refit machine models");
  command->require_subcommand(1);
  command->footer(
      "Example:  whatwire machine show machine.json\n"
      "          whatwire machine diff slow.json fast.json --what-if bandwidth=x10");
  auto options = std::make_shared<Options>();
  const auto add = [&](const char* name, const char* description, Result<int> (*act)(const Options&)) {
    auto* sub = command->add_subcommand(name, description);
    sub->add_flag("--json", options->json, "One JSON object on standard output");
    sub->callback([&chosen, options, act] {
      chosen.action = [options, act]() -> Result<int> { return act(*options); };
    });
    return sub;
  };
  auto* shown = add("show", "A model: a file of `whatwire measure`, or a preset's name", show_model);
  shown->add_option("MODEL", options->first)->required();
  shown->add_option("--what-if", options->what_if, "Show it as this what-if would make it");
  shown->add_option("--html", options->html, "Draw it: a page with all that was measured, and the fits");
  shown
      ->add_option(
          "--clock", options->clock,
          "The processor's clock (2.7GHz), for alpha and beta in cycles; default: as the model has it")
      ->type_name("F");
  shown
      ->add_option(
          "--ipc", options->ipc,
          "Operations that it does in a cycle, for alpha and beta in operations; measure does not know it")
      ->type_name("N")
      ->check(number_within(1e-3, 1e6));
  shown->add_flag(
      "--tables", options->tables,
      "S1's tables of the six terms instead: five trials at each size with their deviations, over integer "
      "and over floating-point operations, and the lines (--json has them under six_lines)");
  shown
      ->add_flag("--raw", options->raw,
                 "What S1's experiments observed, before anything is solved from it, from the samples beside "
                 "the model: "
                 "averages, shortest and longest times, differences of echoes, lines")
      ->excludes("--tables")
      ->excludes("--what-if")
      ->excludes("--html");
  shown->footer(
      "Example:  whatwire machine show machine.json --html machine.html\n"
      "          whatwire machine show machine.json --clock 2.7GHz --ipc 16\n"
      "          whatwire machine show ncube-seven --tables");
  add("list", "The presets that come with whatwire", list)->footer("Example:  whatwire machine list");
  auto* compared = add("diff", "One-way times of two models side by side", diff);
  compared->add_option("A", options->first)->required();
  compared->add_option("B", options->second)->required();
  compared->add_option("--what-if", options->what_if, "Apply this to A first");
  compared->add_option("--html", options->html, "Draw both on one page");
  compared->footer("Example:  whatwire machine diff slow.json fast.json --what-if bandwidth=x10");
  auto* fitted = add("fit", "A model from the raw samples that `whatwire measure` left", fit);
  fitted->add_option("SAMPLES", options->first)->required();
  fitted->add_option("-o,--output", options->output, "Write the model there");
  fitted->footer("Example:  whatwire machine fit machine.samples.json -o machine.json");
}

}  // namespace ww::cli
