#include "lab/contexts.hpp"

#include <algorithm>
#include <charconv>

#include "base/subprocess.hpp"

namespace ww::lab {
namespace {

bool is_one_of(const std::string& word, std::initializer_list<const char*> any) {
  return std::find(any.begin(), any.end(), word) != any.end();
}

std::optional<long> number(const std::string& text) {
  long value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

// An option takes at most one word (the listed ones two), which cannot be run as a program, unless it is a
// helper that some options name by its path.
std::size_t words_behind(const std::vector<std::string>& launch, std::size_t option, std::size_t end) {
  if (is_one_of(launch[option], {"--mca", "-mca", "--gmca", "-gmca", "-env", "-genv"})) return 2;
  if (option + 1 >= end || launch[option + 1].starts_with('-')) return 0;
  if (is_one_of(launch[option], {"-launcher-exec", "-x", "-bootstrap-exec"})) return 1;
  return find_program(launch[option + 1]) ? 0 : 1;
}

Context context(const std::vector<std::string>& launch, std::size_t begin, std::size_t end) {
  Context found{.begin = begin, .program = begin, .ranks = {}};
  std::size_t& at = found.program;
  while (at < end && launch[at].starts_with('-')) {
    if (at + 1 < end && is_one_of(launch[at], {"-n", "-np", "-c", "--n", "--np"}))
      found.ranks = number(launch[at + 1]);
    at = std::min(end, at + 1 + words_behind(launch, at, end));
  }
  return found;
}

}  // namespace

std::vector<Context> contexts_of(const std::vector<std::string>& launch) {
  std::vector<Context> found;
  for (std::size_t begin = 1;;) {
    const auto colon = std::find(launch.begin() + static_cast<std::ptrdiff_t>(std::min(begin, launch.size())),
                                 launch.end(), ":");
    const auto end = static_cast<std::size_t>(colon - launch.begin());
    found.push_back(context(launch, std::min(begin, launch.size()), end));
    if (colon == launch.end()) return found;
    begin = end + 1;
  }
}

bool has_option(const std::vector<std::string>& launch, const std::vector<Context>& contexts,
                std::initializer_list<const char*> any) {
  return std::any_of(contexts.begin(), contexts.end(), [&](const Context& one) {
    return std::any_of(launch.begin() + static_cast<std::ptrdiff_t>(one.begin),
                       launch.begin() + static_cast<std::ptrdiff_t>(one.program),
                       [&](const std::string& word) { return is_one_of(word, any); });
  });
}

}  // namespace ww::lab
