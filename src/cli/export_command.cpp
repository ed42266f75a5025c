// whatwire export: a trace in other tools' formats.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/kept_file.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "machine/model.hpp"
#include "trace/export/export.hpp"
#include "view/exported_folder.hpp"
#include "view/exported_page.hpp"
#include "view/machine_of.hpp"

namespace ww::cli {
namespace {

constexpr const char *page_format = "html", *folder_format = "html-folder";

struct Options {
  std::string trace, to, output, machine;
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
  for (const auto& entry : fs::recursive_directory_iterator(output, problem))
    if (entry.is_regular_file(problem)) bytes += entry.file_size(problem);
  return bytes;
}

Result<std::shared_ptr<const MachineModel>> machine_that_recorded(const Options& options) {
  if (options.machine.empty()) return view::machine_of(options.trace);
  WW_TRY(MachineModel model, load_model(options.machine));
  return std::make_shared<const MachineModel>(std::move(model));
}

// The viewer's page with the trace in it.
Result<std::vector<std::string>> export_page(const Options& options, const Trace& trace) {
  WW_TRY(const auto machine, machine_that_recorded(options));
  const std::filesystem::path named = std::filesystem::path(options.trace).lexically_normal();
  const std::string name = (named.has_filename() ? named : named.parent_path()).filename().string();
  WW_TRY(const std::string page, view::exported_page(trace, name, machine.get()));
  return write_output_file(options.output, page, view::is_exported_page);
}

int show(const Options& options, const Diagnostics& diagnostics) {
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

// The same in pieces, for a web server.
Result<int> export_folder(const Options& options) {
  WW_CHECK(view::check_trace(options.trace));
  WW_TRY(const auto machine, machine_that_recorded(options));
  const auto open = std::make_shared<view::OpenTrace>(options.trace, machine);
  Diagnostics diagnostics;
  WW_TRY(const auto said,
         view::export_folder(open, "whatwire " WHATWIRE_VERSION, options.output, diagnostics));
  say(said);
  WW_TRY(const auto trace, open->trace());
  diagnostics.merge(trace->diagnostics);
  return show(options, diagnostics);
}

Result<int> work(const Options& options) {
  if (options.to == folder_format) return export_folder(options);
  if (options.to == page_format) WW_CHECK(check_output_file(options.output));
  const ExportFormat* format = export_format_named(options.to);
  WW_TRY(const Trace trace, load_trace(options.trace));
  WW_TRY(const auto said,
         format != nullptr ? export_trace(trace, *format, options.output) : export_page(options, trace));
  say(said);
  Diagnostics diagnostics = trace.diagnostics;
  if (format != nullptr && format->lacks != nullptr) {
    WW_TRY(const Diagnostics lacks, format->lacks(trace));
    diagnostics.merge(lacks);
  }
  if (format != nullptr && format->has != nullptr && !format->has(trace))
    diagnostics.add(
        "nothing-to-export",
        fmt::format("the trace has no {}: {} {}", format->things, options.output,
                    format->directory != nullptr ? "is empty" : "holds the names of its columns only"));
  return show(options, diagnostics);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ExportFormat* format : export_formats()) all.emplace_back(format->name);
  all.emplace_back(page_format);
  all.emplace_back(folder_format);
  return all;
}

}  // namespace

void add_export(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("export", "A trace in other tools' formats, or as a page");
  std::string formats = "Formats:\n";
  for (const ExportFormat* format : export_formats())
    formats += fmt::format("  {:<14}{}\n", format->name, format->about);
  formats += fmt::format(
      "  {:<14}{}\n", page_format,
      "one page with the trace, its analysis and the simulator in it: opens offline in a browser");
  formats += fmt::format(
      "  {:<14}{}\n", folder_format,
      "a directory of the same for any web server: large traces, of which the page fetches what it shows");
  command->footer(
      formats +
      "\nExample:  whatwire export app.ww --to chrome -o app.json\n"
      "          whatwire export app.ww --to html-folder -o site && python3 -m http.server -d site");
  auto options = std::make_shared<Options>();
  add_trace(*command, options->trace);
  command->add_option("--to", options->to, "The format")->required()->check(CLI::IsMember(names()));
  command
      ->add_option("-o,--output", options->output,
                   "The file to write; of s4, prase, prase-pv, seecube and html-folder a directory")
      ->required()
      ->type_name("FILE");
  add_model(*command, options->machine,
            "html, html-folder: the model of the machine that recorded it; default: what lies beside it");
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli
