#include "launch/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "launch/check.hpp"
#include "launch/reader.hpp"
#include "launch/shell_words.hpp"
#include "launch/starter.hpp"
#include "launch/which.hpp"

namespace ww {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool is_file(const std::string& word) {
  std::error_code ignored;
  return fs::is_regular_file(word, ignored);
}

// The file that an interpreter runs, or the module of `python -m`.
std::string script_of(const Words& words, std::size_t interpreter, std::size_t end) {
  for (std::size_t i = interpreter + 1; i < end; ++i) {
    if (words[i] == "-c") {
      const auto inside = i + 1 < end ? launch::words_of_plain_command(words[i + 1]) : std::nullopt;
      return inside ? inside->front() : "";
    }
    // python -m mpi4py runs the script behind it.
    if (words[i] == "-m" && i + 1 < end && !words[i + 1].starts_with("mpi4py")) return words[i + 1];
    if (!words[i].starts_with('-') && is_file(words[i])) return words[i];
  }
  return "";
}

constexpr std::size_t most_of_a_script = 1 << 20;

// Whose launcher a script names, if it names one of which that is known.
const Library* library_in_script(const std::string& text) {
  const ShellLine line = shell_line(text.substr(0, most_of_a_script));
  for (std::string word : line.words) {
    word.erase(
        std::remove_if(word.begin(), word.end(), [](char c) { return c == ';' || c == '\n' || c == '('; }),
        word.end());
    if (!launch::launchers_called(fs::path(word).filename().string()).empty())
      if (const Library* library = library_of_launcher(word)) return library;
  }
  return nullptr;
}

// Where no launcher is in sight: of a script, or of what an interpreter is told to run.
const Library* library_of_script(const Launch& launch) {
  const Launch::Program& program = launch.programs.front();
  const std::string& word = launch.words[program.at];
  std::string file = word;
  if (launch::is_interpreter(word)) {
    for (std::size_t i = program.at + 1; i + 1 < program.end; ++i)
      if (launch.words[i] == "-c") return library_in_script(launch.words[i + 1]);
    file = script_of(launch.words, program.at, program.end);
  }
  const auto path = find_program(file);
  std::ifstream script(path.value_or(file), std::ios::binary);
  std::string text(most_of_a_script, '\0');
  script.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(script.gcount(), 0)));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.starts_with("#!") || launch::is_interpreter(word) ? library_in_script(text) : nullptr;
}

}  // namespace

std::string Launch::name() const {
  const Program& first = programs.front();
  const std::string script =
      launch::is_interpreter(words[first.at]) ? script_of(words, first.at, first.end) : "";
  return fs::path(script.empty() ? words[first.at] : script).filename();
}

// A "--" that says where the program stands is for us; not every launcher takes it.
bool Launch::is_separator(std::size_t at) const {
  return launcher && words[at] == "--" &&
         std::any_of(programs.begin(), programs.end(), [&](const Program& p) { return p.begin == at + 1; });
}

Words Launch::with_program(const Words& program) const {
  Words out;
  for (std::size_t i = 0; i < words.size();) {
    const auto wrapper = std::find_if(wrappers.begin(), wrappers.end(),
                                      [&](const Wrapper& w) { return w.begin == i && !w.measured; });
    const auto here =
        std::find_if(programs.begin(), programs.end(), [&](const Program& p) { return p.at == i; });
    if (wrapper != wrappers.end()) {
      i = wrapper->end;
    } else if (here != programs.end()) {
      out.insert(out.end(), program.begin(), program.end());
      i = here->end;
    } else {
      if (!is_separator(i)) out.push_back(words[i]);
      ++i;
    }
  }
  return out;
}

Words Launch::with_environment(const std::vector<std::pair<std::string, std::string>>& variables) const {
  if (variables.empty()) return as_started();
  // Behind the user's own `env`, which may empty the environment, and in front of other wrappers, which may
  // add to what is preloaded (stdbuf).
  std::vector<std::size_t> places;
  for (const Program& program : programs) {
    std::size_t place = program.begin;
    for (const Wrapper& wrapper : wrappers)
      if (wrapper.changes_environment && wrapper.begin >= program.begin && wrapper.end <= program.at)
        place = wrapper.end;
    places.push_back(place);
  }
  Words out;
  std::string preloaded;  // by the user's own words
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_separator(i)) continue;
    if (std::find(places.begin(), places.end(), i) != places.end()) {
      out.push_back("/usr/bin/env");
      for (const auto& [name, value] : variables)
        out.push_back(fmt::format("{}={}{}", name, value,
                                  name == "LD_PRELOAD" && !preloaded.empty() ? ":" + preloaded : ""));
      // env would take it for a variable or an option.
      if (words[i].find('=') != std::string::npos || words[i].starts_with('-'))
        out.insert(out.end(), {"/bin/sh", "-c", "exec \"$0\" \"$@\""});
    }
    constexpr std::string_view preload = "LD_PRELOAD=";
    if (words[i].starts_with(preload)) preloaded = words[i].substr(preload.size());
    out.push_back(words[i]);
  }
  return out;
}

Words Launch::as_started() const {
  Words out;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (!is_separator(i)) out.push_back(words[i]);
  return out;
}

Result<Launch> understand(const Words& line) {
  if (line.empty())
    return wrong_usage("nothing to run", "", "put the launch line behind --, as in: -- mpirun -n 4 ./app");
  Launch launch;
  launch.line = line;
  WW_CHECK(launch::read_line(launch));
  for (const Launch::Program& program : launch.programs) {
    const std::string& word = launch.words[program.at];
    WW_TRY(const Library* library, launch::check_program(word));
    if (library == nullptr) continue;
    if (launch.library != nullptr && launch.library != library)
      return fail(
          fmt::format("programs of {} and {} in one launch line", launch.library->title, library->title),
          word, "build them with the same MPI");
    launch.library = library;
  }
  const Library* of_launcher =
      launch.launcher ? library_of_launcher(launch.words[*launch.launcher]) : nullptr;
  if (launch.library == nullptr) launch.library = launch.launcher ? of_launcher : library_of_script(launch);
  if (of_launcher != nullptr && of_launcher != launch.library)
    return fail(fmt::format("linked to {}, but {} starts programs of {}", launch.library->title,
                            launch.words[*launch.launcher], of_launcher->title),
                launch.program(),
                fmt::format("start it with {}", split_words(launch.library->launchers).front()));
  return launch;
}

std::size_t launcher_in(const Words& line) {
  return launch::behind_wrappers(line);
}

Result<Words> change_launcher(const Words& line, const std::function<Result<Words>(Words)>& change) {
  const auto at = line.begin() + static_cast<std::ptrdiff_t>(launcher_in(line));
  WW_TRY(const Words changed, change(Words(at, line.end())));
  Words out(line.begin(), at);
  out.insert(out.end(), changed.begin(), changed.end());
  return out;
}

}  // namespace ww
