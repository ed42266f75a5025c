// What a launcher itself says of its options: its --help, read.
#pragma once
#include <map>
#include <string>

#include "launch/starter.hpp"

namespace ww::launch {

// How many words belong to each option that the text lists: "-A, --account=name", "-c|-np|--np <arg0>",
// "-genv {name} {value}", "-n N, --ntasks N". An option whose value is shown as optional ("[=N]") takes none.
std::map<std::string, int> options_in_help(const std::string& text);

// Starts the launcher with the words that make it list its options, once. Empty if it says nothing.
class AskedLauncher {
 public:
  AskedLauncher(std::string path, const Starter* starter) : path_(std::move(path)), starter_(starter) {}
  // Nothing: not told.
  std::optional<int> words_of(const std::string& option);

 private:
  std::string path_;
  const Starter* starter_;
  std::optional<std::map<std::string, int>> told_;
};

// What the launcher prints for --version; empty if nothing.
std::string version_of(const std::string& path);

}  // namespace ww::launch
