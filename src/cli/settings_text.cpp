// What `whatwire init` writes.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "cli/settings.hpp"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace ww::cli {
namespace {

struct Example {
  const char *command, *key, *text;
};
constexpr Example examples[] = {
    {"record", "launch", R"(["mpirun", "-n", "4", "./app"])"},
    {"record", "output", R"("run1.ww")"},
    {"record", "force", "true"},
    {"record", "calls", R"(["p2p", "collective", "MPI_Comm_split"])"},
    {"record", "start", "2.5"},
    {"record", "max-records", "1000000"},
    {"record", "functions", R"(["solve*", "Grid::*", "!*_inner"])"},
    {"record", "count-functions", R"("*")"},
    {"record", "memory", "10"},
    {"record", "durable", "true"},
    {"record", "clock-interval", "30"},
    {"record", "daemons", R"("daemons")"},
    {"record", "lab", R"("default")"},
    {"record", "program", "4"},
    {"record", "json", "true"},
    {"instrument", "compiler", R"(["mpicc", "-O2"])"},
    {"instrument", "source", R"(["solve.c", "solve.h"])"},
    {"instrument", "functions", R"(["solve*", "!*_inner"])"},
    {"instrument", "watch", R"(["residual@solve", "grid->cells"])"},
    {"instrument", "database", R"("build")"},
    {"instrument", "output", R"("instrumented")"},
    {"instrument", "force", "true"},
    {"instrument", "json", "true"},
};

// One value alone: what is behind it on further lines would be settings of its own.
std::optional<toml::table> alone(const std::string& value) {
  const toml::parse_result parsed = toml::parse("x = " + value);
  if (!parsed || parsed.table().size() != 1) return std::nullopt;
  return parsed.table();
}

bool is_number(const std::string& text) {
  const auto table = alone(text);
  return table && (*table)["x"].is_number();
}

std::string value_of(const Setting& setting, bool is_list) {
  if (setting.is_flag) return "true";
  if (setting.values.size() == 1 && !is_list)
    return is_number(setting.values[0]) ? setting.values[0] : toml_text(setting.values[0]);
  std::string text;
  for (const std::string& value : setting.values) text += (text.empty() ? "" : ", ") + toml_text(value);
  return "[" + text + "]";
}

std::string comment(const std::string& about) {
  std::istringstream lines(about);
  std::string text;
  for (std::string line; std::getline(lines, line);) text += "# " + line + "\n";
  return text;
}

}  // namespace

bool is_toml(const std::string& value) {
  return alone(value).has_value();
}

std::string toml_text(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

const char* example_of(const std::string& command, const std::string& key) {
  for (const Example& example : examples)
    if (example.command == command && example.key == key) return example.text;
  return nullptr;
}

std::string settings_text(const SettingsKnown& known, const std::vector<Setting>& settings) {
  std::string text =
      "# Settings of whatwire (TOML). What the command line says itself wins over what stands here.\n"
      "# A # in front of a key leaves it at its default. Names of files are looked for where whatwire is "
      "started.\n";
  for (const std::string& command : known.commands()) {
    text +=
        fmt::format("\n# whatwire {0} --config THIS_FILE; whatwire {0} --help says more.\n[{0}]\n", command);
    for (const SettingsKnown::Key& key : known.keys_of(command)) {
      const auto set = std::find_if(settings.begin(), settings.end(), [&](const Setting& one) {
        return one.command == command && one.key == key.name;
      });
      const char* const example = example_of(command, key.name);
      WW_INVARIANT(example != nullptr);
      text += "\n" + comment(key.about);
      if (set != settings.end())
        text += fmt::format("{} = {}\n", key.name, value_of(*set, key.is_list));
      else
        text += fmt::format("# {} = {}\n", key.name, example);
    }
  }
  return text;
}

}  // namespace ww::cli
