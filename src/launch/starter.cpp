#include "launch/starter.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace ww::launch {
namespace {

std::string_view without_dashes(std::string_view option) {
  option.remove_prefix(option.starts_with("--") ? 2 : 1);
  return option;
}

// A name of the list that is `option`, where -name and --name are the same.
bool lists_name(std::string_view list, std::string_view option) {
  const auto words = split_words(list);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return without_dashes(word) == without_dashes(option); });
}

std::optional<int> exact(const Starter& s, std::string_view option, bool by_name) {
  const auto listed = [&](std::string_view list) {
    return by_name ? lists_name(list, option) : lists(list, option);
  };
  if (listed(s.two) || listed(s.pair)) return 2;
  if (listed(s.one) || listed(s.listing) || listed(s.elsewhere)) return 1;
  if (listed(s.alone)) return 0;
  return std::nullopt;
}

std::optional<int> of_names(const Starter& s, std::string_view option) {
  const auto equals = option.find('=');
  const auto words = exact(s, option.substr(0, equals), true);
  if (!words || equals == std::string_view::npos) return words;
  return std::max(*words - 1, 0);
}

// The long names that begin so, if all of them take as many words.
std::optional<int> of_beginning(const Starter& s, std::string_view option) {
  std::optional<int> found;
  for (const char* list : {s.alone, s.one, s.listing, s.elsewhere, s.two, s.pair})
    for (std::string_view word : split_words(list)) {
      if (!word.starts_with(option)) continue;
      const auto words = exact(s, word, false);
      if (found && words != found) return std::nullopt;
      found = words;
    }
  return found;
}

// "-lun4": letters that stand alone, and at last one whose word is attached or follows.
std::optional<int> of_letters(const Starter& s, std::string_view option) {
  for (std::size_t i = 1; i < option.size(); ++i) {
    const auto words = exact(s, std::string("-") + option[i], false);
    if (!words) return std::nullopt;
    if (*words > 0) return i + 1 < option.size() ? *words - 1 : *words;
    // "-K1" of srun: a value that may be attached.
    if (i + 1 < option.size() && option[i + 1] >= '0' && option[i + 1] <= '9') return 0;
  }
  return 0;
}

}  // namespace

std::optional<int> words_of(const Starter& s, std::string_view option, std::string_view next) {
  const bool in_one = next.find('=') != std::string_view::npos;
  if (in_one && (lists(s.pair, option) || (s.syntax == Syntax::names && lists_name(s.pair, option))))
    return 1;
  if (s.syntax == Syntax::names) return of_names(s, option);
  if (const auto words = exact(s, option, false)) return words;
  if (option.starts_with("--")) {
    if (option.find('=') != std::string_view::npos) return 0;
    return of_beginning(s, option);
  }
  return of_letters(s, option);
}

std::span<const Starter* const> launchers() {
  static constexpr std::array all{&openmpi, &hydra, &intel, &prrte, &srun, &aprun,
                                  &pals,    &mpt,   &flux,  &jsrun, &ibrun};
  return all;
}

std::vector<const Starter*> launchers_called(std::string_view name) {
  std::vector<const Starter*> found;
  for (const Starter* one : launchers())
    if (lists(one->called, name)) found.push_back(one);
  return found;
}

const Starter* wrapper_called(std::string_view name) {
  for (const Starter& one : wrappers())
    if (lists(one.called, name)) return &one;
  return nullptr;
}

}  // namespace ww::launch
