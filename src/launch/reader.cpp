#include "launch/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "launch/ask.hpp"
#include "launch/check.hpp"
#include "launch/shell_words.hpp"
#include "launch/starter.hpp"
#include "launch/which.hpp"

namespace ww::launch {
namespace {
using Words = std::vector<std::string>;

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

// The options of one launcher or wrapper: its data, or it is asked.
class Options {
 public:
  explicit Options(const Starter& wrapper) : candidates_{&wrapper} {}
  explicit Options(const std::string& launcher) : candidates_(launchers_behind(launcher)) {
    // Their helps are read alike.
    const bool hydras =
        !candidates_.empty() && std::all_of(candidates_.begin(), candidates_.end(),
                                            [](const Starter* s) { return s == &hydra || s == &intel; });
    if (const auto path = find_program(launcher))
      asked_.emplace(*path, hydras || candidates_.size() == 1 ? candidates_.front() : nullptr);
  }

  // Nothing: not known.
  std::optional<int> words_of(const std::string& option, const std::string& next) {
    std::set<int> said;
    for (const Starter* one : candidates_)
      if (const auto words = launch::words_of(*one, option, next)) said.insert(*words);
    if (said.size() == 1) return *said.begin();
    return asked_ ? asked_->words_of(option) : std::nullopt;
  }
  bool joins() const {
    return std::any_of(candidates_.begin(), candidates_.end(), [](const Starter* s) { return s->joins; });
  }
  bool is_listing(const std::string& option) const { return named(option, &Starter::listing); }
  bool is_elsewhere(const std::string& option) const { return named(option, &Starter::elsewhere); }

 private:
  bool named(const std::string& option, const char* Starter::*list) const {
    return std::any_of(candidates_.begin(), candidates_.end(), [&](const Starter* s) {
      const auto words = split_words(s->*list);
      return std::any_of(words.begin(), words.end(), [&](std::string_view one) {
        return one == option || (s->syntax == Syntax::names && std::string("-") + option == one) ||
               (s->syntax == Syntax::names && option == std::string("-") + std::string(one));
      });
    });
  }

  std::vector<const Starter*> candidates_;
  std::optional<AskedLauncher> asked_;
};

class Reader {
 public:
  explicit Reader(Launch& launch) : launch_(launch), words_(launch.words) {}

  Result<void> read() {
    take_marks();
    std::size_t at = 0;
    WW_TRY(at, through_wrappers(0, words_.size()));
    while (expand_shell(at)) {
      WW_TRY(at, through_wrappers(at, words_.size()));
    }
    if (at >= words_.size()) return no_program();
    const std::size_t verbs = verbs_of_launcher(at);
    const bool is_launcher = verbs > 0 || (!marks_.empty() && *marks_.begin() > at);
    if (!is_launcher) {
      launch_.programs.push_back({0, at, words_.size()});
      return {};
    }
    if (!find_program(words_[at]))
      return fail("no such launcher", words_[at], "install it: apt-get install openmpi-bin, or mpich");
    launch_.launcher = at;
    Options options(words_[at]);
    WW_CHECK(expand_file(at + std::max<std::size_t>(verbs, 1), options));
    for (std::size_t from = at + std::max<std::size_t>(verbs, 1);;) {
      const std::size_t colon = options.joins() ? next_colon(from) : words_.size();
      std::size_t begin = 0;
      if (const auto mark = marks_.lower_bound(from); mark != marks_.end() && *mark < colon) {
        begin = *mark;
      } else {
        WW_TRY(begin, first_program(from, colon, options));
      }
      if (begin >= colon) return no_program();
      const std::size_t end = options.joins() ? next_colon(begin) : words_.size();
      WW_TRY(const std::size_t program, through_wrappers(begin, end));
      launch_.programs.push_back({begin, program, end});
      if (end >= words_.size()) return {};
      from = end + 1;
    }
  }

 private:
  tl::unexpected<Error> no_program() const {
    return wrong_usage("no program in the launch line", shell_quoted(launch_.line),
                       "name the program behind the launcher's options: mpirun -n 4 ./app");
  }

  std::size_t next_colon(std::size_t from) const {
    return static_cast<std::size_t>(
        std::find(words_.begin() + static_cast<std::ptrdiff_t>(std::min(from, words_.size())), words_.end(),
                  ":") -
        words_.begin());
  }

  void take_marks() {
    Words kept;
    for (std::string& word : words_)
      if (word == program_mark)
        marks_.insert(kept.size());
      else
        kept.push_back(std::move(word));
    words_ = std::move(kept);
  }

  // The launcher's name and the words that belong to it ("run" of flux run); 0 if it is none.
  std::size_t verbs_of_launcher(std::size_t at) const {
    const auto known = launchers_called(file_name(words_[at]));
    if (known.empty()) return 0;
    const std::string_view verbs = known.front()->verbs;
    std::size_t next = at + 1;
    while (!verbs.empty() && next < words_.size() && lists(verbs, words_[next])) ++next;
    return verbs.empty() || next > at + 1 ? next - at : 0;
  }

  // `sh -c 'mpirun -n 2 ./app'`: the command in its place, if it is a plain one that starts a launcher.
  bool expand_shell(std::size_t at) {
    if (at + 2 >= words_.size() || !marks_.empty() || words_[at + 1] != "-c") return false;
    const std::string name = file_name(words_[at]);
    if (name != "sh" && name != "bash" && name != "dash" && name != "ksh" && name != "zsh") return false;
    const auto inside = words_of_plain_command(words_[at + 2]);
    if (!inside) return false;
    words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(at), words_.end());
    words_.insert(words_.end(), inside->begin(), inside->end());
    return true;
  }

  // `mpirun --app FILE`, `mpiexec -configfile FILE`: its lines in its place, joined by ":".
  Result<void> expand_file(std::size_t from, Options& options) {
    for (std::size_t at = from; at < words_.size() && is_option(words_[at]);) {
      const std::string option = words_[at];
      if (options.is_elsewhere(option))
        return wrong_usage("the programs are named in a file", option,
                           "give them in the launch line, joined by \":\", or start a script that chooses");
      if (options.is_listing(option) && at + 1 < words_.size()) {
        WW_TRY(const std::string text, read_file(words_[at + 1]));
        words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(at),
                     words_.begin() + static_cast<std::ptrdiff_t>(at) + 2);
        Words inside;
        std::istringstream lines(text);
        for (std::string line, more; std::getline(lines, line);) {
          if (line.ends_with('\\')) {
            more += line.substr(0, line.size() - 1) + " ";
            continue;
          }
          const Words words = shell_line(more + line).words;
          more.clear();
          if (words.empty() || words.front().starts_with('#')) continue;
          if (!inside.empty()) inside.emplace_back(":");
          inside.insert(inside.end(), words.begin(), words.end());
        }
        if (inside.empty()) return no_program();
        words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(at), inside.begin(), inside.end());
        return {};
      }
      const auto words = options.words_of(option, at + 1 < words_.size() ? words_[at + 1] : "");
      if (!words) return {};
      at += 1 + static_cast<std::size_t>(*words);
    }
    return {};
  }

  // Wrappers from `at` on, each noted; where the word behind them stands.
  Result<std::size_t> through_wrappers(std::size_t at, std::size_t end) {
    while (at < end && marks_.count(at) == 0) {
      const Starter* wrapper = wrapper_called(file_name(words_[at]));
      if (wrapper == nullptr) break;
      WW_TRY(const std::size_t next, behind(*wrapper, at, end));
      if (next >= end) break;  // by itself it is a program like others
      if (!find_program(words_[at]))
        return fail("no such program", words_[at],
                    words_[at] == "time"
                        ? "it is a word of your shell, not a program: write it in front of whatwire"
                        : "install it or leave it out");
      launch_.wrappers.push_back({at, next, wrapper->assignments, wrapper->measured});
      at = next;
    }
    return at;
  }

  Result<std::size_t> behind(const Starter& wrapper, std::size_t at, std::size_t end) {
    std::size_t next = at + 1;
    while (next < end && lists(wrapper.verbs, words_[next])) ++next;
    Options options(wrapper);
    // "-" alone is an option of env.
    while (next < end && words_[next] == "-" && lists(wrapper.alone, "-")) ++next;
    WW_TRY(next, first_program(next, end, options));
    next += static_cast<std::size_t>(wrapper.operands);
    while (wrapper.assignments && next < end && words_[next].find('=') != std::string::npos) ++next;
    return next;
  }

  // The first word from `at` on that is no option and belongs to none.
  Result<std::size_t> first_program(std::size_t at, std::size_t end, Options& options) {
    while (at < end) {
      const std::string& word = words_[at];
      if (word == "--") {
        return at + 1;
      }
      if (!is_option(word)) return at;
      if (const auto words = options.words_of(word, at + 1 < end ? words_[at + 1] : "")) {
        at += 1 + static_cast<std::size_t>(*words);
        continue;
      }
      if (word.find('=') == std::string::npos && at + 1 < end && !is_option(words_[at + 1]))
        return choose(at, end, options);
      ++at;
    }
    return at;
  }

  // Behind an option that nobody knows stands its value or the program.
  Result<std::size_t> choose(std::size_t option, std::size_t end, Options& options) {
    struct Reading {
      std::size_t at = 0;
      int likely = 0;
    };
    for (std::size_t values = 1; values <= 2 && option + 1 + values < end; ++values)
      if (words_[option + 1 + values] == "--") return option + 2 + values;
    std::vector<Reading> readings;
    for (std::size_t values = 0; values <= 2 && option + 1 + values < end; ++values) {
      if (values > 0 && is_option(words_[option + values])) break;
      auto at = first_program(option + 1 + values, end, options);
      readings.push_back({at ? *at : end, at && *at < end ? likelihood(words_[*at]) : 0});
      if (!at && values == 1 && readings[0].likely == 0) return at;
      // Two values only where fewer make no program.
      if (values == 1 && (readings[0].likely > 0 || readings[1].likely > 0)) break;
    }
    const auto best =
        std::max_element(readings.begin(), readings.end(),
                         [](const Reading& a, const Reading& b) { return a.likely < b.likely; });
    if (best->likely == 0) return readings.front().at;
    for (const Reading& other : readings)
      if (other.at != best->at && other.likely == best->likely)
        return wrong_usage(
            "which word is the program",
            fmt::format(
                "{} (word {}), or {} (word {}) if {}, an option that is not known here, takes a value",
                words_[best->at], number_of(best->at), words_[other.at], number_of(other.at), words_[option]),
            fmt::format("say it by --program {} or --program {} in front of --, or put -- before the program",
                        number_of(best->at), number_of(other.at)));
    return best->at;
  }

  // As a user counts the words of LAUNCH.
  std::size_t number_of(std::size_t at) const { return at + 1; }

  Launch& launch_;
  Words& words_;
  std::set<std::size_t> marks_;
};

}  // namespace

Result<void> read_line(Launch& launch) {
  launch.words = launch.line;
  launch.line.erase(std::remove(launch.line.begin(), launch.line.end(), program_mark), launch.line.end());
  return Reader(launch).read();
}

std::size_t behind_wrappers(const std::vector<std::string>& words) {
  Launch launch;
  launch.words = words;
  Reader reader(launch);
  const auto done = reader.read();
  (void)done;
  return launch.launcher.value_or(0);
}

}  // namespace ww::launch
