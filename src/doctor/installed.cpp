// What is there: launchers, and whatwire's own parts.
#include <fmt/format.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "doctor/checks.hpp"
#include "launch/which.hpp"

namespace ww::doctor {
namespace {

std::string first_output_line(std::vector<std::string> command) {
  const auto finished = run({.arguments = std::move(command),
                             .output = Command::Output::capture,
                             .capture_errors = true,
                             .no_input = true,
                             .time_limit_s = 10});
  if (!finished || finished->exit_code != 0) return {};
  return finished->output.substr(0, finished->output.find('\n'));
}

Finding part(const char* subject, const std::filesystem::path& file) {
  if (std::filesystem::exists(file)) return {subject, Working::good, file.string(), ""};
  return {subject, Working::missing, file.string() + " is not there",
          "build or install whatwire completely: scripts/setup.sh"};
}

}  // namespace

// Nobody needs every library: that only the default's absence is a fault keeps what doctor always said.
Finding launcher(Installation& found) {
  const Library& library = *found.library;
  const auto names = split_words(library.launchers);
  if (names.empty()) {
    if (const auto daemon = find_program(library.daemon))
      return {library.title, Working::good, fmt::format("programs start themselves, where {} runs", *daemon),
              ""};
    return {library.title, Working::limited, fmt::format("no {} in PATH", library.daemon),
            fmt::format("apt-get install {}", library.packages)};
  }
  for (const std::string_view name : names) {
    const std::string word(name);
    if (!find_program(word) || launch::library_of(launch::launchers_behind(word)) != &library) continue;
    found.launcher = word;
    const std::string version = first_output_line({word, "--version"});
    const bool told = version.starts_with(word);  // Hydra says nothing of its name there
    return {library.title, Working::good,
            told ? fmt::format("{} ({})", version, word) : fmt::format("programs are started by {}", word),
            ""};
  }
  return {library.title, &library == &default_library() ? Working::missing : Working::limited,
          fmt::format("no {} in PATH", names.front()), fmt::format("apt-get install {}", library.packages)};
}

std::vector<Finding> parts() {
  std::vector<Finding> found;
  const auto of_each = [&](const char* subject, const auto& file) {
    for (const Library* library : libraries())
      if (library->recorded) found.push_back(part(subject, file(library->name)));
  };
  of_each("recorder",
          [](const char* name) { return preload_library(fmt::format("libwhatwire-{}.so", name)); });
  of_each("experiments", [](const char* name) { return helper_program(fmt::format("ww-measure-{}", name)); });
  found.push_back(part("lab switch", helper_program("ww-lab-switch")));
  found.push_back(part("lab's MPICH", preload_library("libwhatwire-lab-mpich.so")));
  return found;
}

}  // namespace ww::doctor
