// An archive in a private place, for as long as it lives: of a recording in a directory that cannot be
// written.
#pragma once
#include <filesystem>
#include <optional>

#include "base/owned.hpp"
#include "base/result.hpp"

namespace ww {

class ArchiveElsewhere {
 public:
  // Of what was recorded in `dir`, made in a directory of $TMPDIR that only this user can read. Errors: those
  // of unify_elsewhere, no room there either.
  static Result<ArchiveElsewhere> make(const std::filesystem::path& dir);
  ArchiveElsewhere(ArchiveElsewhere&& other) noexcept;
  ArchiveElsewhere& operator=(ArchiveElsewhere&&) = delete;
  ~ArchiveElsewhere();
  std::filesystem::path anchor() const;

 private:
  explicit ArchiveElsewhere(owned::Claim claim) : claim_(std::move(claim)) {}
  std::optional<owned::Claim> claim_;
};

}  // namespace ww
