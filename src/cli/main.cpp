// whatwire: parses the command line, calls a stage, prints its error.
#include <cstdio>
#include <exception>
#include <optional>
#include <span>

#include "base/interruption.hpp"
#include "cli/commands.hpp"

namespace {

int report(const ww::Error& error) {
  std::fprintf(stderr, "whatwire: %s\n", ww::to_string(error).c_str());
  return error.usage ? 2 : 1;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The usage of a subcommand that takes a LAUNCH says so.
class Help : public CLI::Formatter {
 public:
  explicit Help(const ww::cli::Chosen& chosen) : chosen_(chosen) {}
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, name);
    if (const auto one = chosen_.launching.find(app); one != chosen_.launching.end())
      usage.insert(usage.find_last_not_of('\n') + 1, " -- " + one->second);
    return usage;
  }

 private:
  const ww::cli::Chosen& chosen_;
};

int run(std::span<char*> arguments) {
  ww::cli::Chosen chosen;
  CLI::App app("What does my communication cost, why do I wait, and what would another network do for me?",
               "whatwire");
  app.set_version_flag("--version", WHATWIRE_VERSION);
  app.require_subcommand(1);
  const auto help = std::make_shared<Help>(chosen);
  help->column_width(34);
  app.formatter(help);
  app.footer(
      "Start with:  whatwire study -- mpirun -n 4 ./your_program\nHelp of one command:  whatwire study "
      "--help");
  for (ww::cli::Add add : ww::cli::commands) add(app, chosen);

  // LAUNCH begins behind the first "--" and is never looked at by the parser: its options are not ours.
  std::vector<std::string> own;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (std::string(arguments[i]) == "--") {
      for (char* part : arguments.subspan(i + 1)) chosen.launch.emplace_back(part);
      break;
    }
    own.emplace_back(arguments[i]);
  }
  if (own.empty()) {
    std::fputs(app.help().c_str(), stderr);
    return 2;
  }
  const std::function<bool(CLI::App*)> named = [&](CLI::App* command) {
    return command->get_name() == own[0];
  };
  if (own[0].front() != '-' && app.get_subcommands(named).empty())
    return report({"no such command", own[0], "whatwire --help lists them", true});
  std::vector<std::string> reversed(own.rbegin(), own.rend());  // as CLI11 takes a vector
  try {
    app.parse(reversed);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = &app;
    std::string name = "whatwire";
    while (!command->get_subcommands().empty()) {
      command = command->get_subcommands().front();
      name += " " + command->get_name();
    }
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) &&
        chosen.launching.count(command) > 0)
      return report({first_line(error.what()), "",
                     "a program to run goes behind --, as in: " + name + " -- mpirun -n 4 ./app", true});
    return report({first_line(error.what()), "", "see " + name + " --help", true});
  }
  const bool runs_programs =
      !app.get_subcommands().empty() && chosen.launching.count(app.get_subcommands().front()) > 0;
  std::optional<ww::interruption::Heed> heed;
  if (runs_programs) heed.emplace();
  const ww::Result<int> done = chosen.action();
  const int code = done ? *done : report(done.error());
  return ww::interruption::requested() ? ww::interruption::exit_code : code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::span(argv, static_cast<std::size_t>(argc)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "whatwire: unexpected: %s; please report it with the command line\n", error.what());
    return 1;
  }
}
