// whatwire NEW-NAME: what it does for the user. It parses and calls; the work is a stage's.
//
// As it stands: how many calls and messages a trace has.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "trace/trace.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string trace;
  bool json = false;
};

Result<int> work(const Options& options) {
  WW_TRY(const Trace trace, load_trace(options.trace));
  std::size_t calls = 0;
  for (const RankTrace& rank : trace.ranks) calls += rank.calls();
  if (options.json)
    fmt::print("{}\n", json_text({{"ranks", trace.ranks.size()}, {"calls", calls}}, 2));
  else
    fmt::print("{} ranks, {} calls\n", trace.ranks.size(), calls);
  return 0;
}

}  // namespace

void add_NEW_NAME(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("NEW-NAME", "How many calls a recorded run made");
  command->footer("Example:  whatwire NEW-NAME app.ww");
  auto options = std::make_shared<Options>();
  command->add_option("TRACE", options->trace, "Trace directory or archive")->required()->type_name("DIR");
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli
