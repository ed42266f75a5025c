// A folder of ours in $TMPDIR that only this user can read, for as long as it lives.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/owned.hpp"
#include "base/result.hpp"

namespace ww::owned {

class TemporaryFolder {
 public:
  // Called whatwire-WHAT-XXXXXX. `kind` outlives it. Error: nothing can be made there.
  static Result<TemporaryFolder> make(const std::string& what, const ContentKind& kind);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return claim_->path(); }

 private:
  TemporaryFolder(Claim claim, const ContentKind& kind) : claim_(std::move(claim)), kind_(&kind) {}
  std::optional<Claim> claim_;
  const ContentKind* kind_;
};

}  // namespace ww::owned
