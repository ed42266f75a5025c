#include "cli/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <sstream>
#include <system_error>

#include "base/column_store.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/settings.hpp"
#include "launch/launch.hpp"

namespace ww::cli {
namespace {

int report(const Error& error) {
  std::fprintf(stderr, "whatwire: %s\n", printable_lines(to_string(error)).c_str());
  return error.usage ? 2 : 1;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The usage of a subcommand that takes a LAUNCH says so.
class Help : public CLI::Formatter {
 public:
  explicit Help(const Chosen& chosen) : chosen_(chosen) {}
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, name);
    if (const auto one = chosen_.launching.find(app); one != chosen_.launching.end())
      usage.insert(usage.find_last_not_of('\n') + 1, " -- " + one->second);
    return usage;
  }

 private:
  const Chosen& chosen_;
};

// The first of those that were not expected, in the order of the command line.
std::string not_expected(const CLI::App& app, const std::vector<std::string>& own) {
  std::vector<std::string> left = app.remaining(true);
  for (const std::string& word : own)
    if (std::find(left.begin(), left.end(), word) != left.end()) return word;
  return "";
}

int parse_and_work(std::span<const std::string> arguments) {
  Chosen chosen;
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
  for (Add add : commands) add(app, chosen);

  // LAUNCH begins behind the first "--" and is never looked at by the parser: its options are not ours.
  std::vector<std::string> own;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") {
      chosen.launch.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    own.push_back(arguments[i]);
  }
  if (own.empty()) {
    std::fputs(app.help().c_str(), stderr);
    return 2;
  }
  const std::function<bool(CLI::App*)> named = [&](CLI::App* command) {
    return command->get_name() == own[0];
  };
  if (!own[0].starts_with('-') && app.get_subcommands(named).empty())
    return report({"no such command", own[0].empty() ? "''" : own[0], "whatwire --help lists them", true});
  Result<WithSettings> with = with_settings(own, chosen.launch);
  if (!with) return report(with.error());
  own = std::move(with->own);
  chosen.launch = std::move(with->launch);
  std::vector<std::string> reversed(own.rbegin(), own.rend());  // as CLI11 takes a vector
  try {
    app.parse(reversed);
  } catch (const CLI::Success& asked) {
    std::ostringstream text;  // std::cout forgets why it could not be written; fmt throws it
    const int code = app.exit(asked, text, text);
    fmt::print("{}", text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = &app;
    std::string name = "whatwire";
    while (!command->get_subcommands().empty()) {
      command = command->get_subcommands().front();
      name += " " + command->get_name();
    }
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
      return report({"not expected", not_expected(app, own),
                     chosen.launching.count(command) > 0
                         ? "a program to run goes behind --, as in: " + name + " -- mpirun -n 4 ./app"
                         : "see " + name + " --help",
                     true});
    return report({first_line(error.what()), "", "see " + name + " --help", true});
  }
  auto marked = with_programs_marked(std::move(chosen.launch), chosen.programs);
  if (!marked) return report(placed(marked.error(), with->taken));
  chosen.launch = *std::move(marked);
  const bool runs_programs =
      !app.get_subcommands().empty() && chosen.launching.count(app.get_subcommands().front()) > 0;
  std::optional<interruption::Heed> heed;
  if (runs_programs) heed.emplace();
  const Result<int> done = chosen.action();
  const int code = done ? *done : report(placed(done.error(), with->taken));
  return interruption::requested() ? interruption::exit_code : code;
}

// What is below throws where it has no way on; each kind says what the user can do.
int work_or_say_why(std::span<const std::string> arguments, int& output_problem) {
  try {
    return parse_and_work(arguments);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(
        {error.code().message(), error.path1().string(), "check that it is there and may be used", false});
  } catch (const NoRoom& error) {
    return report(
        {error.what(), "", "make room beside the trace, or name a directory with more in TMPDIR", false});
  } catch (const std::bad_alloc&) {
    return report(
        {"not enough memory", "", "close other programs, or take a smaller trace or fewer cells", false});
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) {  // fmt throws what became of a write
      output_problem = error.code().value();
      return 1;
    }
    return report({"the system refused", error.what(), "see the limits of this shell: ulimit -a", false});
  } catch (const std::exception& error) {
    return report({"this is a defect of whatwire " WHATWIRE_VERSION, error.what(),
                   "please report it with the command line and the files that it read", false});
  }
}

}  // namespace

Result<std::vector<std::string>> with_programs_marked(std::vector<std::string> launch,
                                                      std::vector<std::size_t> numbers) {
  std::sort(numbers.rbegin(), numbers.rend());
  for (const std::size_t number : numbers) {
    if (number > launch.size())
      return wrong_usage("LAUNCH has no such word", fmt::format("--program {}", number),
                         fmt::format("it has {}; the first is number 1", launch.size()));
    launch.insert(launch.begin() + static_cast<std::ptrdiff_t>(number) - 1, program_mark);
  }
  return launch;
}

int standard_output_failed(int problem) {
  return report({"cannot write to standard output", problem == 0 ? "" : std::strerror(problem),
                 "what it was to hold is incomplete; files that were written are complete", false});
}

int run(std::span<const std::string> arguments, int& output_problem) {
  return work_or_say_why(arguments, output_problem);
}

}  // namespace ww::cli
