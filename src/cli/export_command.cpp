// whatwire export: a trace in other tools' formats.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "trace/export/export.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string trace, to, output;
  bool json = false;
};

// Of a file, or of what is in a directory; nothing of a device.
std::optional<std::uintmax_t> bytes_of(const std::filesystem::path& output) {
  namespace fs = std::filesystem;
  std::error_code problem;
  if (!fs::is_directory(output, problem)) {
    const auto bytes = fs::file_size(output, problem);
    return problem ? std::nullopt : std::optional(bytes);
  }
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(output, problem)) bytes += entry.file_size(problem);
  return bytes;
}

Result<int> work(const Options& options) {
  const ExportFormat* format = export_format_named(options.to);
  WW_INVARIANT(format != nullptr);
  WW_TRY(const Trace trace, load_trace(options.trace));
  WW_TRY(const auto said, export_trace(trace, *format, options.output));
  say(said);
  Diagnostics diagnostics = trace.diagnostics;
  if (format->has != nullptr && !format->has(trace))
    diagnostics.add(
        "nothing-to-export",
        fmt::format("the trace has no {}: {} {}", format->things, options.output,
                    format->directory != nullptr ? "is empty" : "holds the names of its columns only"));
  const auto bytes = bytes_of(options.output);
  if (options.json)
    fmt::print("{}\n", json_text({{"format", options.to},
                                  {"file", options.output},
                                  {"bytes", bytes ? nlohmann::json(*bytes) : nlohmann::json()},
                                  {"diagnostics", diagnostics}},
                                 2));
  else
    show_diagnostics(diagnostics);
  return 0;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ExportFormat* format : export_formats()) all.emplace_back(format->name);
  return all;
}

}  // namespace

void add_export(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("export", "A trace in other tools' formats");
  std::string formats = "Formats:\n";
  for (const ExportFormat* format : export_formats())
    formats += fmt::format("  {:<14}{}\n", format->name, format->about);
  command->footer(formats + "\nExample:  whatwire export app.ww --to chrome -o app.json");
  auto options = std::make_shared<Options>();
  add_trace(*command, options->trace);
  command->add_option("--to", options->to, "The format")->required()->check(CLI::IsMember(names()));
  command->add_option("-o,--output", options->output, "The file to write; of s4 a directory")
      ->required()
      ->type_name("FILE");
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli
