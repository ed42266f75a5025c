#include "launch/which.hpp"

#include <algorithm>
#include <filesystem>

#include "base/subprocess.hpp"
#include "launch/ask.hpp"

namespace ww {
namespace launch {
namespace {
namespace fs = std::filesystem;

std::string real_name(const std::string& path) {
  std::error_code ignored;
  return fs::canonical(path, ignored).filename();
}

bool signs(const Starter& starter, const std::string& version) {
  const std::string_view all = starter.signature;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find('|', at), all.size());
    if (end > at && version.find(all.substr(at, end - at)) != std::string::npos) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

std::string file_name(const std::string& word) {
  return fs::path(word).filename();
}

std::vector<const Starter*> launchers_behind(const std::string& word) {
  auto candidates = launchers_called(file_name(word));
  const auto path = find_program(word);
  if (!path) return candidates;
  if (const auto known = launchers_called(real_name(*path));
      !known.empty() && known.size() < candidates.size())
    candidates = known;
  if (candidates.size() < 2) return candidates;
  const std::string version = version_of(*path);
  std::vector<const Starter*> said;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(said),
               [&](const Starter* one) { return signs(*one, version); });
  return said.empty() ? candidates : said;
}

const Library* library_of(std::span<const Starter* const> launchers) {
  const Library* found = nullptr;
  for (const Starter* one : launchers) {
    if (one->library == nullptr) continue;
    if (found != nullptr && found != one->library) return nullptr;
    found = one->library;
  }
  return found;
}

}  // namespace launch

const Library* library_of_launcher(const std::string& word) {
  const auto path = find_program(word);
  for (const std::string& name : {launch::file_name(word), path ? launch::real_name(*path) : std::string()})
    if (const Library* library = launch::library_of(launch::launchers_called(name))) return library;
  return nullptr;
}

}  // namespace ww
