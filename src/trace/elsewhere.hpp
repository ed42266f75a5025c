// An archive in a private place, for as long as it lives: of a recording in a directory that cannot be
// written.
#pragma once
#include <filesystem>

#include "base/result.hpp"
#include "base/temporary_folder.hpp"

namespace ww {

class ArchiveElsewhere {
 public:
  // Of what was recorded in `dir`, made in a directory of $TMPDIR that only this user can read. Errors: those
  // of unify_elsewhere, no room there either.
  static Result<ArchiveElsewhere> make(const std::filesystem::path& dir);
  std::filesystem::path anchor() const;

 private:
  explicit ArchiveElsewhere(owned::TemporaryFolder folder) : folder_(std::move(folder)) {}
  owned::TemporaryFolder folder_;
};

}  // namespace ww
