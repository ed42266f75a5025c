#include "trace/elsewhere.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "trace/archive_entries.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace fs = std::filesystem;

static constexpr owned::ContentKind place_kind{"temporary-archive", work_entries};

Result<ArchiveElsewhere> ArchiveElsewhere::make(const fs::path& dir) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  std::string name = (temporary / "whatwire-unify-XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr)
    return fail("cannot make a temporary directory", name + ": " + std::strerror(errno),
                "name one that can be written in TMPDIR");
  WW_TRY(auto claim, owned::Claim::make(name, place_kind));
  ArchiveElsewhere made(std::move(claim));
  WW_CHECK(unify_elsewhere(dir, name));
  return made;
}

ArchiveElsewhere::ArchiveElsewhere(ArchiveElsewhere&& other) noexcept
    : claim_(std::exchange(other.claim_, std::nullopt)) {}

ArchiveElsewhere::~ArchiveElsewhere() {
  if (claim_) static_cast<void>(owned::remove(claim_->path(), place_kind));
}

fs::path ArchiveElsewhere::anchor() const {
  return claim_->path() / anchor_name;
}

}  // namespace ww
