// Settings of subcommands in a file: TOML, one table a subcommand, whose keys are its long options (and its sources or its launch
// line). `whatwire record --config whatwire.toml` takes what the command line does not say; `whatwire init` writes one.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/commands.hpp"

namespace ww::cli {

// What a file sets of one option. Every problem of it is said with this place.
struct Setting {
  std::string command,
      key;  // "record", "max-records"; the key "launch" or "compiler" is what stands behind --
  std::vector<std::string> values;  // as on the command line, one a word; of a flag that is set: none
  bool is_flag = false;
  std::string place;  // "whatwire.toml:7"
};

// What can be set: the options of the subcommands that have --config.
class SettingsKnown {
 public:
  SettingsKnown();
  SettingsKnown(const SettingsKnown&) = delete;
  SettingsKnown& operator=(const SettingsKnown&) = delete;
  ~SettingsKnown();

  struct Key {
    std::string name, about;  // "start", "Begin so many seconds after MPI_Init"
    bool is_flag = false, is_list = false;
  };
  // In the order of the help; first what stands behind --.
  std::vector<Key> keys_of(const std::string& command) const;
  std::vector<std::string> commands() const;

  // Every setting of a file, in its order. Errors, each with file and line: no TOML; a table or a key that there is not, with the
  // nearest that there is; a value that the option does not take; two that exclude one another.
  Result<std::vector<Setting>> read(const std::filesystem::path& file);
  // The same of a text that is to be said to come from `name`.
  Result<std::vector<Setting>> parse(const std::string& text, const std::string& name);

  // The options that a command line sets itself, by their keys.
  std::vector<std::string> said_by(const std::vector<std::string>& command_line);
  // Null of what stands behind --, and of what there is not.
  const CLI::Option* option(const std::string& command, const std::string& key) const;
  // Of these two options only one may be set.
  bool exclude(const std::string& command, const std::string& one, const std::string& other) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The command line with what the file that it names with --config adds to it, and the settings that were taken. Without --config as it
// was. What the command line sets itself stays, and what excludes that.
struct WithSettings {
  std::vector<std::string> own, launch;
  std::vector<Setting> taken;
};
Result<WithSettings> with_settings(const std::vector<std::string>& own,
                                   const std::vector<std::string>& launch);

// An error about a value that came from the file says so.
Error placed(Error error, const std::vector<Setting>& taken);

// A file of settings in which every key is explained, those of `settings` set and all others commented out, with an example.
std::string settings_text(const SettingsKnown& known, const std::vector<Setting>& settings);
// Whether a text is a value as it stands: a number, true, "text", [1, 2].
bool is_toml(const std::string& value);
// Any text as a value, in quotes.
std::string toml_text(const std::string& text);
// An example of what a key takes, as it stands in a file. Every key has one.
const char* example_of(const std::string& command, const std::string& key);

}  // namespace ww::cli
