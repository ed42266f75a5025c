#include "trace/elsewhere.hpp"

#include <utility>

#include "trace/archive_entries.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace fs = std::filesystem;

static constexpr owned::ContentKind place_kind{"temporary-archive", work_entries};

Result<ArchiveElsewhere> ArchiveElsewhere::make(const fs::path& dir) {
  WW_TRY(auto folder, owned::TemporaryFolder::make("unify", place_kind));
  WW_CHECK(unify_elsewhere(dir, folder.path()));
  return ArchiveElsewhere(std::move(folder));
}

fs::path ArchiveElsewhere::anchor() const {
  return folder_.path() / anchor_name;
}

}  // namespace ww
