#include "base/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ww::owned {
namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make(const std::string& what, const ContentKind& kind) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  std::string name = (temporary / ("whatwire-" + what + "-XXXXXX")).string();
  if (error || mkdtemp(name.data()) == nullptr)
    return fail("cannot make a temporary directory", name + ": " + std::strerror(errno),
                "name one that can be written in TMPDIR");
  WW_TRY(auto claim, Claim::make(name, kind));
  return TemporaryFolder(std::move(claim), kind);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : claim_(std::exchange(other.claim_, std::nullopt)), kind_(other.kind_) {}

TemporaryFolder::~TemporaryFolder() {
  if (claim_) static_cast<void>(remove(claim_->path(), *kind_));
}

}  // namespace ww::owned
