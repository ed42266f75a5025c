#include "record/unseen_programs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <set>
#include <string>

#include "interpose/core/environment.hpp"
#include "launch/linked_in.hpp"

namespace ww {

std::optional<Error> unseen_programs(const std::filesystem::path& spool) {
  const Library* library = nullptr;
  std::set<std::string> seen, unseen;
  std::ifstream noted(spool / environment::loaded_file);
  for (std::string program; std::getline(noted, program);) {
    if (!seen.insert(program).second) continue;
    const auto own = linked_in(program);
    if (!own || own->wrapped) continue;
    library = own->library;
    unseen.insert(program);
  }
  if (library == nullptr) return {};
  return calls_unseen(*library, fmt::format("{}", fmt::join(unseen, ", ")));
}

}  // namespace ww
