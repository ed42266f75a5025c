// whatwire init: a commented file of settings, from what is said on the command line or by asking.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/settings.hpp"
#include "cli/show.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string file = "whatwire.toml";
  std::vector<std::string> settings;
  bool ask = false, force = false, json = false;
};

// What most need; the file explains the rest.
struct Question {
  const char *command, *key, *text, *otherwise;  // otherwise: what no answer means
};
constexpr Question questions[] = {
    {"record", "launch", "How is the program started?", "said on the command line"},
    {"record", "calls", "Which calls (p2p, collective, communicator, one-sided, io, other, or by name)?",
     "all"},
    {"record", "start", "Begin how many seconds after MPI_Init?", "0"},
    {"record", "max-records", "Stop after how many records of a thread?", "never"},
    {"record", "functions",
     "Which functions of a program built with -fpatchable-function-entry=5 or -finstrument-functions?",
     "none"},
    {"record", "durable", "Every record on disk before its call returns (true: slow)?", "false"},
    {"instrument", "source", "Sources to instrument?", "none"},
    {"instrument", "functions", "Which of their functions become regions?", "none"},
    {"instrument", "watch", "Which variables are recorded after each assignment?", "none"},
    {"instrument", "compiler", "How are they compiled?", "from compile_commands.json, else mpicc"},
    {"instrument", "output", "Directory of the copies?", "instrumented"},
};

bool is_list(const SettingsKnown& known, const std::string& table, const std::string& key) {
  for (const SettingsKnown::Key& one : known.keys_of(table))
    if (one.name == key) return one.is_list;
  return false;
}

// "residual, p->x" is two, wherever each element of an array is one.
std::string list_of(const std::string& text) {
  std::string elements;
  for (std::size_t at = 0; (at = text.find_first_not_of(", \t", at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(", \t", at), text.size());
    elements += (elements.empty() ? "" : ", ") + toml_text(text.substr(at, end - at));
    at = end;
  }
  return "[" + elements + "]";
}

// "record.start=2" as a file would have it. Errors name the text.
Result<Setting> setting_of(SettingsKnown& known, const std::string& text) {
  const std::size_t dot = text.find('.'), equals = text.find('=');
  if (dot == std::string::npos || equals == std::string::npos || dot > equals)
    return wrong_usage("not TABLE.KEY=VALUE", "--set " + text, "as in --set record.calls=p2p,collective");
  const std::string table = text.substr(0, dot), key = text.substr(dot + 1, equals - dot - 1),
                    value = text.substr(equals + 1);
  const auto with = [&](const std::string& said) {
    return known.parse(fmt::format("[{}]\n{} = {}\n", table, key, said), "--set");
  };
  auto read = with(is_toml(value) ? value : is_list(known, table, key) ? list_of(value) : toml_text(value));
  if (!read) {
    Error error = read.error();
    error.where = "--set " + text;
    return tl::unexpected(error);
  }
  if (read->empty()) return Setting{};  // false
  return read->front();
}

std::optional<std::string> answer(const Question& question) {
  tell(fmt::format("{} [{}] ", question.text, question.otherwise));
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  const auto blank = " \t\r";
  const std::size_t from = line.find_first_not_of(blank);
  if (from == std::string::npos) return "";
  return line.substr(from, line.find_last_not_of(blank) - from + 1);
}

// A wrong answer is said, and asked for again. Error: the answers end.
Result<std::vector<Setting>> ask(SettingsKnown& known) {
  std::vector<Setting> settings;
  bool instruments = true;
  for (const Question& question : questions) {
    const std::string command = question.command, key = question.key;
    if (command == "instrument" && !instruments) break;
    for (;;) {
      const auto said = answer(question);
      if (!said) return fail("the answers ended", key, "nothing is written; say settings with --set");
      if (said->empty()) {
        instruments = instruments && !(command == "instrument" && key == "source");
        if (command == "instrument" && key == "output")
          settings.push_back({command, key, {question.otherwise}, false, ""});
        break;
      }
      auto setting = setting_of(known, fmt::format("{}.{}={}", command, key, *said));
      if (setting) {
        if (!setting->command.empty()) settings.push_back(*std::move(setting));
        break;
      }
      tell(printable(setting.error().what +
                     (setting.error().remedy.empty() ? "" : "; " + setting.error().remedy)) +
           "\n");
    }
  }
  return settings;
}

Result<int> work(const Options& options, const std::vector<std::string>& launch) {
  SettingsKnown known;
  std::vector<Setting> settings;
  if (!options.force && std::filesystem::exists(options.file))
    return fail("it is there already", options.file, "name another file, or --force replaces it");
  const bool asks = options.ask || (options.settings.empty() && launch.empty() && isatty(STDIN_FILENO) != 0);
  if (asks) {
    WW_TRY(settings, ask(known));
  }
  for (const std::string& text : options.settings) {
    WW_TRY(Setting setting, setting_of(known, text));
    if (!setting.command.empty()) settings.push_back(std::move(setting));
  }
  if (!launch.empty()) settings.push_back({"record", "launch", launch, false, "--"});
  const std::string text = settings_text(known, settings);
  WW_TRY(const auto written, known.parse(text, options.file));  // together, too, they are what can be read
  WW_CHECK(write_file(options.file, text));
  if (options.json) {
    nlohmann::json set = nlohmann::json::array();
    for (const Setting& one : written)
      set.push_back({{"table", one.command}, {"key", one.key}, {"values", one.values}});
    fmt::print("{}\n", json_text({{"file", options.file}, {"settings", set}}, 2));
    return 0;
  }
  const auto is_set = [&](const char* command) {
    return std::any_of(written.begin(), written.end(),
                       [&](const Setting& one) { return one.command == command; });
  };
  const bool launches =
      std::any_of(written.begin(), written.end(), [](const Setting& one) { return one.key == "launch"; });
  fmt::print("{}: {} settings; next: whatwire {} --config {}{}\n", printable(options.file), written.size(),
             is_set("instrument") ? "instrument" : "record", printable(options.file),
             is_set("instrument") || launches ? "" : " -- mpirun -n 4 ./your_program");
  return 0;
}

}  // namespace

void add_init(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("init", "Write a commented file of settings for record and instrument");
  command->footer(
      "In a terminal, without --set and LAUNCH, it asks. Every key is in the file with what it means; those "
      "that are not set "
      "are\ncommented out. docs/settings.md\n\n"
      "Example:  whatwire init --set record.calls=p2p,collective --set record.start=2 -- mpirun -n 4 ./app\n"
      "          whatwire record --config whatwire.toml");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "File to write")->capture_default_str();
  command
      ->add_option(
          "--set", options->settings,
          "A setting: TABLE.KEY=VALUE, where TABLE is record or instrument and KEY an option of it; may be\n"
          "repeated")
      ->type_name("SETTING")
      ->allow_extra_args(false);
  command->add_flag("--ask", options->ask, "Ask, whether or not there is a terminal");
  command->add_flag("--force", options->force, "Replace a file that is there");
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli
