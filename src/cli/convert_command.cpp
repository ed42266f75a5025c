// whatwire convert: PRASE's event records, or Seecube's, in another of their three forms; what S5 had pv and prase_trans for.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/new_result.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "trace/prase/convert.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string records, to, output;
  bool json = false;
};

Result<void> write(const prase::Converted& converted, const Options& options) {
  WW_TRY(auto result, owned::NewResult::begin(options.output, *converted.kind));
  for (const prase::ConvertedFile& file : converted.files)
    WW_CHECK(write_file(result.directory() / file.name, file.content));
  WW_TRY(const auto said, result.publish());
  say(said);
  return {};
}

Result<int> work(const Options& options) {
  if (options.output.empty() && (options.json || options.to == prase::binary_form))
    return wrong_usage("no directory to write to", options.json ? "--json" : "--to " + options.to,
                       "name one with -o: without it the records' text goes to the standard output");
  WW_TRY(const prase::PraseRun run, prase::read_prase_run(options.records));
  WW_TRY(const prase::Converted converted, prase::convert(run, options.to));
  if (options.output.empty())
    for (const prase::ConvertedFile& file : converted.files) fmt::print("{}", file.content);
  else
    WW_CHECK(write(converted, options));
  const prase::Correlation& told = converted.correlation;
  if (options.json)
    fmt::print("{}\n", json_text({{"format", options.to},
                                  {"directory", options.output},
                                  {"processes", run.processes.size()},
                                  {"records", converted.records},
                                  {"messages", told.messages},
                                  {"unmatched_sends", told.sends_alone},
                                  {"unmatched_receives", told.receipts_alone},
                                  {"diagnostics", converted.diagnostics}},
                                 2));
  else
    show_diagnostics(converted.diagnostics);
  return 0;
}

}  // namespace

void add_convert(CLI::App& root, Chosen& chosen) {
  auto* command =
      root.add_subcommand("convert", "Event records of PRASE or Seecube in another of their forms");
  std::string forms = "Forms:\n";
  for (const prase::RecordsForm& form : prase::records_forms())
    forms += fmt::format("  {:<10}{}\n", form.name, form.about);
  command->footer(
      forms +
      "Reads any of them, a directory or a file. Sends and receipts are joined by the counts in the\n"
      "records, wraps among them (Kahl 1988, Appendix G), and those that stay alone are counted.\n"
      "whatwire import makes a trace of the same files, whatwire export writes them of a trace.\n\n"
      "Example:  whatwire convert prase_data/n0_p0 --to prase-pv | more\n"
      "          whatwire convert prase_data --to seecube -o seecube     # seecube/human");
  auto options = std::make_shared<Options>();
  command->add_option("RECORDS", options->records, "A directory of n0_p0, n1_p0, ..., or a file")
      ->required()
      ->type_name("");
  command->add_option("--to", options->to, "The form")->required()->check(CLI::IsMember(prase::form_names()));
  command
      ->add_option("-o,--output", options->output,
                   "The directory to make; without, text goes to the standard output")
      ->type_name("DIR");
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli
