// A trace directory: what stands in it, who may change it, and how others read it meanwhile.
//
//   spool/            being recorded (recording.hpp), or recorded and not yet unified
//   .unify-XXXXXX/    an archive in the making
//   traces/, traces.def, run.json    parts of the archive: nothing yet without the anchor
//   traces.otf2       the anchor: by its rename into place the archive is there, complete and for good
//   .spool-done/      the spool of a complete archive, on its way out
//
// Everything else is on the disk before the anchor, and the spool loses its name only after it: whoever is
// ended at whatever point leaves the whole spool or the whole archive, and the next process goes on from
// there.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace ww {

inline constexpr const char* anchor_name = "traces.otf2";
inline constexpr const char* spool_name = "spool";
inline constexpr const char* done_name = ".spool-done";
inline constexpr const char* attempt_prefix = ".unify-";

// There is a complete archive in the trace directory.
bool is_unified(const std::filesystem::path& dir);
bool has_spool(const std::filesystem::path& dir);
// There is a spool, and no archive yet.
bool awaits_unify(const std::filesystem::path& dir);
// The anchor of a trace as users name it: that of a directory, else what they named.
std::filesystem::path anchor_of(const std::filesystem::path& trace);

// Who changes a trace directory holds its lock; it waits for others, also of other processes. The directory
// stays the same one, whatever becomes of its name.
class DirectoryLock {
 public:
  // Without waiting it may not be held().
  enum class Wait : bool { no, yes };
  explicit DirectoryLock(const std::filesystem::path& dir, Wait wait = Wait::yes);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  int directory() const { return directory_; }  // -1: it cannot be opened
  bool held() const { return held_; }           // or there are no locks, and nobody waits
  // A path to it for as long as the lock lives; in a message it stands by its name.
  std::filesystem::path path() const;
  std::string as_named(std::string text, const std::filesystem::path& name) const;

 private:
  int directory_, file_ = -1;
  bool held_ = false;
};

// Removes an entry that is ours by its name in a trace directory (those above); what is not there is no
// error.
void remove_part(const std::filesystem::path& dir, const std::string& name);
// What interrupted attempts left, and the spool of a complete archive. The lock is held.
void remove_leftovers(const std::filesystem::path& dir);
// The same of a complete archive whose making was ended before it had done that: the lock is taken, and nothing happens where others have it or
// nothing can be removed.
void remove_leftovers_of_archive(const std::filesystem::path& dir);

// The archive that was made in ATTEMPT, an entry of the locked directory, becomes its archive. Errors: the
// disk is full, no permission; then there is no archive, and the spool is what it was.
Result<void> publish(const DirectoryLock& lock, const std::string& attempt);

// Error: a file or directory in there cannot be read by us, which is told from damage.
Result<void> check_permission(const std::filesystem::path& dir);

// Which archive it is: another one under the same name has another.
struct ArchiveIdentity {
  dev_t device = 0;
  ino_t directory = 0, anchor = 0;
  timespec changed{};
};
bool operator==(const ArchiveIdentity& a, const ArchiveIdentity& b);
ArchiveIdentity identity_of(const std::filesystem::path& dir);

}  // namespace ww
