#include "library/libraries.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "library/mpi_abi.hpp"
#include "library/mpich.hpp"
#include "library/open_mpi.hpp"
#include "library/pvm.hpp"

namespace ww {
namespace {

constexpr std::array all = {
    &library::open_mpi,
    &library::mpich,
    &library::pvm,
    &library::mpi_abi,
};

template <class Is>
const Library* first(Is is) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Library* one) { return is(*one); });
  return found == all.end() ? nullptr : *found;
}

template <class Text>
std::string joined(const char* joined_by, Text text_of) {
  std::string text;
  for (const Library* one : all)
    if (const std::string of_one(text_of(*one)); one->recorded && !of_one.empty())
      text += (text.empty() ? "" : joined_by) + of_one;
  return text;
}

}  // namespace

std::span<const Library* const> libraries() {
  return all;
}

const Library& default_library() {
  return *all.front();
}

const Library* library_named(std::string_view name) {
  return first([&](const Library& one) { return name == one.name; });
}

const Library* library_in_file(std::string_view soname) {
  return first([&](const Library& one) {
    const auto names = split_words(one.sonames);
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return soname.starts_with(name); });
  });
}

const Library* library_of_version(std::string_view version) {
  return first([&](const Library& one) {
    return *one.version_begins != '\0' && version.starts_with(one.version_begins);
  });
}

std::string named_by(const char* Library::*list, const char* joined_by) {
  return joined(joined_by, [&](const Library& one) {
    const auto words = split_words(one.*list);
    return words.empty() ? std::string_view() : std::string_view(words.front());
  });
}

std::string recorded_titles() {
  return joined(" or ", [](const Library& one) { return std::string_view(one.title); });
}

}  // namespace ww
