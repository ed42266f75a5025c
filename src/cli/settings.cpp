#include "cli/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/files.hpp"
#include "base/json_object.hpp"
#include "base/subprocess.hpp"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace ww::cli {
namespace {

constexpr const char* config_key = "config";
const std::vector<std::string> not_set_in_files = {"help", config_key};

// "launch" of LAUNCH, "compiler" of COMPILER FLAGS.
std::string behind_dashes(const std::string& name) {
  std::string key = name.substr(0, name.find(' '));
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
  return key;
}

// As it is called in a file: the long name, or that of an option without dashes.
std::string key_of(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return option.get_lnames().front();
  return option.get_positional() ? option.get_name() : option.get_single_name();
}

bool is_flag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0;
}

// Whether it may be given several times, so that each element of an array is a value of its own.
bool is_list(const CLI::Option& option) {
  return option.get_items_expected_max() > 1;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string text_of(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<double>())
    return fmt::format("{}", *number);  // 0.05, and not 0.050000000000000003
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known,
                         const char* there_are) {
  const auto nearest = nearest_word(word, known);
  return fmt::format("{}{} {}", nearest ? fmt::format("did you mean '{}'? ", *nearest) : "", there_are,
                     fmt::join(known, ", "));
}

// Whether a text names something, and not only holds it: "10" is not in "run10".
bool names(const std::string& text, const std::string& what) {
  const auto belongs = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_' ||
                                text[at] == '.' || text[at] == '/');
  };
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at)
    if (!(at > 0 && belongs(at - 1)) && !belongs(at + what.size())) return true;
  return false;
}

}  // namespace

struct SettingsKnown::State {
  Chosen chosen;
  CLI::App app;

  CLI::App* find(const std::string& command) {
    for (CLI::App* const one : app.get_subcommands([](CLI::App*) { return true; }))
      if (one->get_name() == command && one->get_option_no_throw("--" + std::string(config_key)) != nullptr)
        return one;
    return nullptr;
  }
  CLI::Option* find(const std::string& command, const std::string& key) {
    CLI::App* const one = find(command);
    if (one == nullptr) return nullptr;
    for (CLI::Option* const option : one->get_options())
      if (key_of(*option) == key) return option;
    return nullptr;
  }

  struct Reading {
    std::string name;  // of the file
    std::vector<Setting> settings;
    std::string at(const toml::node& node) const { return at(node.source()); }
    std::string at(const toml::source_region& source) const {
      return fmt::format("{}:{}", name, source.begin.line);
    }
  };
  Result<void> take(Reading& reading, const SettingsKnown& known, const std::string& command,
                    const toml::key& key, const toml::node& node);
  Result<void> check(const Setting& setting);
};

SettingsKnown::SettingsKnown() : state_(std::make_unique<State>()) {
  for (Add add : ww::cli::commands) add(state_->app, state_->chosen);
}
SettingsKnown::~SettingsKnown() = default;

std::vector<std::string> SettingsKnown::commands() const {
  std::vector<std::string> names;
  for (const CLI::App* const one : state_->app.get_subcommands([](CLI::App*) { return true; }))
    if (state_->find(one->get_name()) != nullptr) names.push_back(one->get_name());
  return names;
}

std::vector<SettingsKnown::Key> SettingsKnown::keys_of(const std::string& command) const {
  std::vector<Key> keys;
  const CLI::App* const one = state_->find(command);
  if (one == nullptr) return keys;
  if (const auto behind = state_->chosen.launching.find(one); behind != state_->chosen.launching.end())
    keys.push_back({behind_dashes(behind->second), "What stands behind -- on the command line", false, true});
  for (const CLI::Option* const option : one->get_options()) {
    const std::string name = key_of(*option);
    if (std::find(not_set_in_files.begin(), not_set_in_files.end(), name) != not_set_in_files.end()) continue;
    keys.push_back({name, option->get_description(), is_flag(*option), is_list(*option)});
  }
  return keys;
}

const CLI::Option* SettingsKnown::option(const std::string& command, const std::string& key) const {
  return state_->find(command, key);
}

bool SettingsKnown::exclude(const std::string& command, const std::string& one,
                            const std::string& other) const {
  const CLI::Option* const first = state_->find(command, one);
  const CLI::Option* const second = state_->find(command, other);
  if (first == nullptr || second == nullptr) return false;
  const auto has = [](const CLI::Option* of, const CLI::Option* which) {
    const auto excluded = of->get_excludes();
    return std::any_of(excluded.begin(), excluded.end(),
                       [&](const CLI::Option* each) { return each == which; });
  };
  return has(first, second) || has(second, first);
}

std::vector<std::string> SettingsKnown::said_by(const std::vector<std::string>& command_line) {
  std::vector<std::string> reversed(command_line.rbegin(), command_line.rend()), keys;
  try {
    state_->app.parse(reversed);
  } catch (const CLI::Error&) {
    // What is wrong with it is said when it is carried out; what it sets is known all the same.
  }
  if (command_line.empty()) return keys;
  if (const CLI::App* const command = state_->find(command_line[0]))
    for (const CLI::Option* const option : command->get_options())
      if (option->count() > 0) keys.push_back(key_of(*option));
  return keys;
}

// As the option itself takes it.
Result<void> SettingsKnown::State::check(const Setting& setting) {
  CLI::Option* const option = find(setting.command, setting.key);
  if (option == nullptr || setting.is_flag) return {};
  try {
    option->clear();
    for (const std::string& value : setting.values) option->add_result(value);
    option->run_callback();
  } catch (const CLI::Error& error) {
    const std::string said = first_line(error.what());
    option->clear();
    const std::string prefix = "--" + setting.key + ": ";
    return wrong_usage(setting.key + ": " + (said.starts_with(prefix) ? said.substr(prefix.size()) : said),
                       setting.place, first_line(option->get_description()));
  }
  option->clear();
  return {};
}

Result<void> SettingsKnown::State::take(Reading& reading, const SettingsKnown& known,
                                        const std::string& command, const toml::key& key,
                                        const toml::node& node) {
  const std::string name(key.str()), place = reading.at(key.source());
  std::vector<std::string> names;
  bool is_flag = false, is_list = false, is_there = false;
  for (const Key& one : known.keys_of(command)) {
    names.push_back(one.name);
    if (one.name != name) continue;
    is_flag = one.is_flag;
    is_list = one.is_list;
    is_there = true;
  }
  if (!is_there) {
    for (const std::string& other : known.commands())
      for (const Key& one : known.keys_of(other))
        if (one.name == name)
          return wrong_usage(fmt::format("[{}] has no '{}'", command, name), place,
                             fmt::format("[{}] has it", other));
    return wrong_usage(fmt::format("[{}] has no '{}'", command, name), place,
                       did_you_mean(name, names, "there are"));
  }
  Setting setting = {command, name, {}, is_flag, place};
  const auto wrong = [&](const char* wanted) {
    return wrong_usage(fmt::format("'{}' takes {}", name, wanted), place,
                       fmt::format("whatwire {} --help says more", command));
  };
  if (is_flag) {
    const auto value = node.value_exact<bool>();
    if (!value) return wrong("true or false");
    if (!*value) return {};
  } else if (const toml::array* const array = node.as_array()) {
    for (const toml::node& element : *array) {
      if (element.is_array() || element.is_table()) return wrong("an array of texts");
      setting.values.push_back(text_of(element));
    }
    if (setting.values.empty()) return wrong("at least one value; without any, leave it out");
    if (!is_list) setting.values = {fmt::format("{}", fmt::join(setting.values, ","))};
  } else if (node.is_table() || node.is_boolean()) {
    return wrong("a text, a number or an array");
  } else if (find(command, name) == nullptr) {
    setting.values = shell_line(text_of(node)).words;  // a launch line that is one text
    if (setting.values.empty()) return wrong("words");
  } else {
    setting.values = {text_of(node)};
  }
  WW_CHECK(check(setting));
  for (const Setting& other : reading.settings)
    if (other.command == command && known.exclude(command, other.key, name))
      return wrong_usage(fmt::format("'{}' and '{}' exclude one another", other.key, name),
                         fmt::format("{} and {}", other.place, place), "leave one of them out");
  reading.settings.push_back(std::move(setting));
  return {};
}

Result<std::vector<Setting>> SettingsKnown::parse(const std::string& text, const std::string& name) {
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed)
    return wrong_usage(
        first_line(std::string(parsed.error().description())),
        fmt::format("{}:{}", name, parsed.error().source().begin.line),
        "the file is TOML: a key, =, and a text in quotes, a number, true, false or an array a line");
  State::Reading reading = {name, {}};
  // A table has its keys in alphabetical order: what is said first is what is first in the file.
  const auto in_order = [](const toml::table& table) {
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (auto&& [key, node] : table) entries.emplace_back(&key, &node);
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.first->source().begin < b.first->source().begin; });
    return entries;
  };
  for (const auto& [command, node] : in_order(parsed.table())) {
    const std::string word(command->str()), place = reading.at(command->source());
    const toml::table* const table = node->as_table();
    const std::vector<std::string> known = commands();
    if (table == nullptr)
      return wrong_usage(fmt::format("'{}' is in no table", word), place,
                         fmt::format("put it behind a line [{}]", fmt::join(known, "] or [")));
    if (state_->find(word) == nullptr)
      return wrong_usage(fmt::format("no table is called [{}]", word), place,
                         did_you_mean(word, known, "there are"));
    for (const auto& [key, value] : in_order(*table))
      WW_CHECK(state_->take(reading, *this, word, *key, *value));
  }
  return std::move(reading.settings);
}

Result<std::vector<Setting>> SettingsKnown::read(const std::filesystem::path& file) {
  auto text = read_file(file);
  if (!text) {
    Error error = text.error();
    error.usage = true;
    error.remedy = "name one that is there; whatwire init writes one";
    return tl::unexpected(error);
  }
  return parse(*text, file.string());
}

Result<WithSettings> with_settings(const std::vector<std::string>& own,
                                   const std::vector<std::string>& launch) {
  WithSettings with = {own, launch, {}};
  const std::string flag = std::string("--") + config_key;
  std::optional<std::string> file;
  for (std::size_t i = 1; i < own.size(); ++i) {
    if (own[i] == flag && i + 1 < own.size()) file = own[i + 1];
    if (own[i].starts_with(flag + "=")) file = own[i].substr(flag.size() + 1);
  }
  if (!file) return with;
  SettingsKnown known;
  const std::string& command = own[0];
  if (known.keys_of(command).empty()) return with;  // that this command has no --config is said by its parser
  WW_TRY(const std::vector<Setting> settings, known.read(*file));
  const std::vector<std::string> said = known.said_by(own);
  std::vector<std::string> words, positional;
  for (const Setting& setting : settings) {
    if (setting.command != command) continue;
    const bool stands_back = std::any_of(said.begin(), said.end(), [&](const std::string& key) {
      return key == setting.key || known.exclude(command, key, setting.key);
    });
    if (stands_back) continue;
    const CLI::Option* const option = known.option(command, setting.key);
    if (option == nullptr) {
      if (!launch.empty()) continue;
      with.launch = setting.values;
    } else if (option->get_positional()) {
      positional.insert(positional.end(), setting.values.begin(), setting.values.end());
    } else if (setting.is_flag) {
      words.push_back("--" + setting.key);
    } else {
      for (const std::string& value : setting.values) words.push_back("--" + setting.key + "=" + value);
    }
    with.taken.push_back(setting);
  }
  with.own.insert(with.own.begin() + 1, words.begin(), words.end());
  with.own.insert(with.own.end(), positional.begin(), positional.end());
  return with;
}

Error placed(Error error, const std::vector<Setting>& taken) {
  for (const Setting& setting : taken)
    for (const std::string& value : setting.values) {
      std::istringstream parts(value);
      for (std::string part; std::getline(parts, part, ',');) {
        if (part.empty() || setting.key == "launch" || !names(error.where, part)) continue;
        error.where += fmt::format(" ({}, '{}')", setting.place, setting.key);
        return error;
      }
    }
  return error;
}

}  // namespace ww::cli
