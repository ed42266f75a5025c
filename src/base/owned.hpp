// Directories that whatwire made, and the only place of the product that removes one.
//
// A directory of ours carries a marker, the file `.whatwire`, made together with it: its kind, 128 random
// bits and the directory's inode number, so that a copy of the marker makes no other directory ours. It
// counts if it is a regular file with one name, of us or of root, on the directory's own device, found
// through the directory's descriptor and never through a link. A kind lists the names that it makes: whatever
// else is in the directory is somebody else's, stays, and keeps the directory.
//
// Removal walks by descriptors (openat, unlinkat), follows no symbolic link, and enters no mount. Read next:
// new_result.hpp (results that replace an earlier one only when they are complete).
#pragma once
#include <sys/types.h>

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace ww::owned {

inline constexpr char marker_name[] = ".whatwire";

struct ContentKind;
struct Entry {
  const char* name;                        // a pattern of fnmatch(3): "rank-*.spool"
  const ContentKind* directory = nullptr;  // null: a file, a socket or a pipe; never a link or a directory
};
struct ContentKind {
  const char* name;  // one word, in the marker: "trace"
  std::span<const Entry> entries;
  // Whether it carries a marker of its own. If not, it is ours by its name within a directory of ours.
  bool marked = true;
};

// Which directory it is, whatever its name is by now.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string random;  // 32 hexadecimal digits; empty: it has no marker of ours
  bool operator==(const Identity&) const = default;
};

enum class FileState {
  absent,
  empty,     // an empty directory
  ours,      // marked as of this kind
  busy,      // the same, and a process of ours is writing it
  unmarked,  // no marker, but nothing in it that the kind would not have: made by a version without markers
  foreign,   // anything else: why says what
};
struct Look {
  FileState state = FileState::foreign;
  std::string why;  // of foreign: "it holds other files (thesis.txt)", "it is a symbolic link to /data"
  Identity identity;
  std::vector<std::string> others;  // paths below it of what is not the kind's, where it is ours
};
Look look_at(const std::filesystem::path& directory, const ContentKind& kind);

// A directory that this process writes: it is busy for others for as long as this lives (or this process).
class Claim {
 public:
  // Makes the directory and marks it; one that exists must be empty. Of several processes that claim one
  // directory exactly one succeeds. Its parent must exist.
  static Result<Claim> make(const std::filesystem::path& directory, const ContentKind& kind);
  Claim(Claim&& other) noexcept { *this = std::move(other); }
  Claim& operator=(Claim&& other) noexcept;
  ~Claim();

  const std::filesystem::path& path() const { return path_; }
  const Identity& identity() const { return identity_; }
  bool made_directory() const { return made_directory_; }  // else it was there, empty

 private:
  Claim() = default;
  std::filesystem::path path_;
  Identity identity_;
  bool made_directory_ = false;
  int marker_ = -1;
};

struct Removed {
  bool whole = false;              // the directory is gone (or empty, where it was to be kept)
  std::vector<std::string> stays;  // paths below it of what is not ours; fit to be printed
  // "; thesis.txt is not whatwire's and stays", or nothing
  std::string to_string() const;
};

enum class Keep { nothing, directory };
// Removes what we made in the directory, then it itself (or keeps it, empty). What stays if something of
// somebody else's is in it is no longer marked: it is theirs. Errors: it is not ours and of this kind
// (nothing is touched then); something of ours cannot be removed (the marker stays then).
Result<Removed> remove(const std::filesystem::path& directory, const ContentKind& kind,
                       Keep keep = Keep::nothing);

// Removes one entry of a directory of ours (a name, no pattern), for example a trace's spool. An entry that
// is not there is no error. `unmarked` lets the directory be one that a version without markers made: then
// names alone decide, below it too.
enum class Marker { needed, unmarked_too };
Result<Removed> remove_within(const std::filesystem::path& directory, const ContentKind& kind,
                              const std::string& entry, Marker marker = Marker::needed);

// A name as a message may quote it: control characters and what is not text are replaced.
std::string printable(const std::string& name);

}  // namespace ww::owned
