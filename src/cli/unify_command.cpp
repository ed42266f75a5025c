// whatwire unify: the archive of a recorded run, by one process or by all of a launcher's.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "trace/unify.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string trace;
  bool json = false;
};

Result<int> work(const Options& options) {
  const std::filesystem::path dir = options.trace;
  const Crew crew = crew_of_environment();
  const bool already = is_unified(dir);
  Diagnostics diagnostics;
  WW_CHECK(check_permission(dir));
  if (!already && !has_spool(dir) && !is_unified(dir))
    return fail("nothing to unify", dir.string(), "name a directory that whatwire record wrote into");
  WW_TRY(diagnostics, unify_recorded(dir, crew));
  if (crew.number > 0) return 0;
  if (options.json) {
    fmt::print("{}\n", json_text({{"trace", dir.string()},
                                  {"processes", already ? 0 : crew.size},
                                  {"already_unified", already},
                                  {"diagnostics", diagnostics}},
                                 2));
    return 0;
  }
  show_diagnostics(diagnostics);
  tell(fmt::format("whatwire: {} {}; next: whatwire report {}\n", already ? "already unified:" : "unified",
                   dir.string(), dir.string()));
  return 0;
}

}  // namespace

void add_unify(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("unify", "Make the archive of a recorded run from what its ranks left");
  command->footer(
      "`record` does this at its end, and every command that reads TRACE if that was interrupted. By itself "
      "it "
      "is for\n"
      "long runs of many ranks: under a launcher all its processes share the work, one a node with threads "
      "being enough.\n"
      "All of them must see TRACE. When one of them dies, unify again: it starts anew from the spools.\n\n"
      "Example:  mpirun -n 8 --map-by node whatwire unify app.ww");
  auto options = std::make_shared<Options>();
  command->add_option("TRACE", options->trace, "Trace directory that still has its spool")
      ->required()
      ->type_name("DIR");
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli
