// whatwire export: a trace in other tools' formats.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/new_result.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "simulate/stations/from_trace.hpp"
#include "trace/export/export.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string trace, to, output;
  bool json = false;
};

// A directory, and not a file: S4 has a file for each station.
constexpr const char* stations_name = "s4";
constexpr owned::Entry stations_entries[] = {{"station.[0-9]*"}, {"overhead.[0-9]*"}};
constexpr owned::ContentKind stations_kind{"stations", stations_entries};

template <class Line>
std::string text_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) text += to_string(line) + "\n";
  return text;
}

Result<int> export_stations(const Options& options) {
  WW_TRY(const Trace trace, load_trace(options.trace));
  const auto programs = stations::stations_of(trace);
  WW_TRY(auto result, owned::NewResult::begin(options.output, stations_kind));
  std::uint64_t bytes = 0;
  for (std::size_t n = 0; n < programs.size(); ++n) {
    const std::string lines = text_of(programs[n].lines), overhead = text_of(programs[n].overhead);
    WW_CHECK(write_file(result.directory() / fmt::format("{}{}", stations::station_stem, n), lines));
    WW_CHECK(write_file(result.directory() / fmt::format("{}{}", stations::overhead_stem, n), overhead));
    bytes += lines.size() + overhead.size();
  }
  WW_TRY(const auto said, result.publish());
  say(said);
  if (options.json)
    fmt::print("{}\n", json_text({{"format", options.to},
                                  {"file", options.output},
                                  {"bytes", bytes},
                                  {"diagnostics", trace.diagnostics}},
                                 2));
  else
    show_diagnostics(trace.diagnostics);
  return 0;
}

Result<int> work(const Options& options) {
  if (options.to == stations_name) return export_stations(options);
  const ExportFormat* format = export_format_named(options.to);
  WW_INVARIANT(format != nullptr);
  WW_TRY(const Trace trace, load_trace(options.trace));
  WW_TRY(const auto said, export_trace(trace, *format, options.output));
  say(said);
  Diagnostics diagnostics = trace.diagnostics;
  if (format->has != nullptr && !format->has(trace))
    diagnostics.add("nothing-to-export",
                    fmt::format("the trace has no {}: {} holds the names of its columns only", format->things,
                                options.output));
  std::error_code of_a_device;
  const auto bytes = std::filesystem::file_size(options.output, of_a_device);
  if (options.json)
    fmt::print("{}\n", json_text({{"format", options.to},
                                  {"file", options.output},
                                  {"bytes", of_a_device ? nlohmann::json() : nlohmann::json(bytes)},
                                  {"diagnostics", diagnostics}},
                                 2));
  else
    show_diagnostics(diagnostics);
  return 0;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ExportFormat* format : export_formats()) all.emplace_back(format->name);
  all.emplace_back(stations_name);
  return all;
}

}  // namespace

void add_export(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("export", "A trace in other tools' formats");
  std::string formats = "Formats:\n";
  for (const ExportFormat* format : export_formats())
    formats += fmt::format("  {:<14}{}\n", format->name, format->about);
  formats += fmt::format("  {:<14}{}\n", stations_name,
                         "a directory: replay input and overhead lines of each rank, in the forms of Zabel "
                         "1996, for whatwire simulate");
  command->footer(formats + "\nExample:  whatwire export app.ww --to chrome -o app.json");
  auto options = std::make_shared<Options>();
  add_trace(*command, options->trace);
  command->add_option("--to", options->to, "The format")->required()->check(CLI::IsMember(names()));
  command->add_option("-o,--output", options->output, "The file to write; of s4 the directory")
      ->required()
      ->type_name("FILE");
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli
