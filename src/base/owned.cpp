#include "base/owned.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <linux/stat.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>

#include "base/files.hpp"

namespace ww::owned {
namespace fs = std::filesystem;
namespace {

constexpr int marker_version = 1;
constexpr char unborn_prefix[] = ".whatwire-new-";  // a marker before it has its name
constexpr std::time_t unborn_s = 10;                // and for how long it can be about to get it

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// A directory's own name and the directory that it stands in: what is looked up, made and removed is always
// this one name in that one descriptor.
struct Place {
  Fd parent;
  std::string name;
};

Result<Place> place_of(const fs::path& path) {
  std::string text = path.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  const auto slash = text.rfind('/');
  std::string name = slash == std::string::npos ? text : text.substr(slash + 1);
  if (name.empty() || name == "." || name == "..")
    return fail("no name of a directory", printable(path.string()), "give the directory itself a name");
  const std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : text.substr(0, slash);
  Fd fd(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail("cannot open " + printable(parent), std::strerror(errno));
  return Place{std::move(fd), std::move(name)};
}

Fd open_directory(int parent, const char* name) {
  return Fd(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Nothing: the kernel does not tell.
std::optional<std::uint64_t> mount_of(int fd) {
#ifdef STATX_MNT_ID
  struct statx facts = {};
  if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &facts) == 0 && (facts.stx_mask & STATX_MNT_ID) != 0)
    return facts.stx_mnt_id;
#endif
  const auto text = read_file(fmt::format("/proc/self/fdinfo/{}", fd));
  const auto at = text ? text->find("mnt_id:") : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(text->c_str() + at + std::strlen("mnt_id:"), nullptr, 10);
}

// By the mounts' numbers: a bind mount has the device of what it shows, and a file of an overlay another one
// than its directory.
bool on_one_mount(int a, int b) {
  const auto mount_a = mount_of(a), mount_b = mount_of(b);
  return mount_a && mount_a == mount_b;
}

std::optional<std::vector<std::string>> names_in(int directory) {
  const int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = again < 0 ? nullptr : fdopendir(again);
  if (stream == nullptr) {
    if (again >= 0) close(again);
    return std::nullopt;
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(stream))
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      names.emplace_back(entry->d_name);
  closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

std::string random_hex() {
  std::array<unsigned char, 16> bits{};
  WW_INVARIANT(getrandom(bits.data(), bits.size(), 0) == static_cast<ssize_t>(bits.size()));
  std::string text;
  for (const unsigned char byte : bits) text += fmt::format("{:02x}", byte);
  return text;
}

std::string marker_text(const ContentKind& kind, const std::string& random, ino_t inode) {
  return fmt::format("whatwire {} {} {} {}\n", kind.name, marker_version, random, inode);
}

struct Marked {
  Fd file;
  Identity identity;
};

// The directory's marker, if it is a marker of ours, of this kind and this directory.
std::optional<Marked> marker_in(int directory, const ContentKind& kind) {
  struct stat of_directory = {}, of_marker = {};
  if (fstat(directory, &of_directory) != 0) return std::nullopt;
  Fd file(openat(directory, marker_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file || fstat(file.get(), &of_marker) != 0) return std::nullopt;
  const bool trusted = of_marker.st_uid == geteuid() || of_marker.st_uid == 0;
  if (!S_ISREG(of_marker.st_mode) || of_marker.st_nlink != 1 || !trusted ||
      !on_one_mount(directory, file.get()))
    return std::nullopt;
  std::array<char, 256> text{};
  const ssize_t size = read(file.get(), text.data(), text.size());
  if (size <= 0 || size == static_cast<ssize_t>(text.size())) return std::nullopt;
  const std::string read_text(text.data(), static_cast<std::size_t>(size));
  const std::string begin = fmt::format("whatwire {} {} ", kind.name, marker_version);
  if (!read_text.starts_with(begin) || read_text.size() < begin.size() + 32) return std::nullopt;
  Identity identity{of_directory.st_dev, of_directory.st_ino, read_text.substr(begin.size(), 32)};
  if (read_text != marker_text(kind, identity.random, identity.inode)) return std::nullopt;
  return Marked{std::move(file), std::move(identity)};
}

enum class What { gone, file, directory, other };
What what_is(int parent, const std::string& name) {
  struct stat info = {};
  if (fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? What::gone : What::other;
  if (S_ISDIR(info.st_mode)) return What::directory;
  return S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) ? What::file : What::other;
}

const Entry* entry_of(const ContentKind& kind, const std::string& name, What what) {
  for (const Entry& entry : kind.entries)
    if (what == (entry.directory != nullptr ? What::directory : What::file) &&
        fnmatch(entry.name, name.c_str(), 0) == 0)
      return &entry;
  return nullptr;
}

// What is done with the entries below a directory; with `touch` false they are only looked at.
class Walk {
 public:
  Walk(bool touch, bool markers_needed) : touch_(touch), markers_needed_(markers_needed) {}

  void entries(int directory, const ContentKind& kind, const std::string& prefix) {
    const auto names = names_in(directory);
    if (!names) return problem("cannot read", prefix.empty() ? "the directory" : prefix);
    for (const std::string& name : *names)
      if (name != marker_name || !kind.marked) one(directory, kind, name, prefix);
  }

  void one(int directory, const ContentKind& kind, const std::string& name, const std::string& prefix) {
    const What what = what_is(directory, name);
    const Entry* entry = entry_of(kind, name, what);
    if (what == What::gone) return;
    if (what == What::file && (entry != nullptr || name.starts_with(unborn_prefix)))
      return unlink_file(directory, name, prefix + name);
    if (entry != nullptr) return below(directory, *entry->directory, name, prefix + name);
    stays.push_back(printable(prefix + name));
  }

  std::vector<std::string> stays;
  std::optional<Error> failed;

 private:
  void below(int parent, const ContentKind& kind, const std::string& name, const std::string& path) {
    const Fd directory = open_directory(parent, name.c_str());
    if (!directory && errno == EACCES) return problem("cannot open", path);
    if (!directory || !on_one_mount(parent, directory.get())) {
      stays.push_back(printable(path));
      return;
    }
    if (kind.marked && !marker_in(directory.get(), kind)) {
      // Before there were markers the name was all there is.
      const bool has_one = what_is(directory.get(), marker_name) != What::gone;
      if (markers_needed_ || has_one) {
        stays.push_back(printable(path));
        return;
      }
    }
    const std::size_t before = stays.size();
    entries(directory.get(), kind, path + "/");
    if (!touch_ || failed) return;
    if (kind.marked) unlinkat(directory.get(), marker_name, 0);
    if (stays.size() == before && unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
      // Something came in meanwhile, or took its place: then it is not ours.
      if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR || errno == EBUSY)
        stays.push_back(printable(path));
      else
        problem("cannot remove", path);
    }
  }

  void unlink_file(int directory, const std::string& name, const std::string& path) {
    if (!touch_ || unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) return;
    if (errno == EISDIR || errno == EBUSY)
      stays.push_back(printable(path));
    else
      problem("cannot remove", path);
  }

  void problem(const std::string& what, const std::string& path) {
    if (!failed) failed = Error{what + " " + printable(path), std::strerror(errno), {}, false};
  }

  bool touch_, markers_needed_;
};

std::string first_of(const std::vector<std::string>& names) {
  return names.size() > 1 ? fmt::format("{} and {} more", names.front(), names.size() - 1) : names.front();
}

bool is_locked(int marker) {
  const bool free = flock(marker, LOCK_SH | LOCK_NB) == 0;
  if (free) flock(marker, LOCK_UN);
  return !free && errno == EWOULDBLOCK;
}

// Only a marker that is about to be born is in it.
bool is_being_made(int directory, const std::vector<std::string>& names) {
  return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    struct stat info = {};
    return name.starts_with(unborn_prefix) &&
           fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           info.st_mtime + unborn_s > std::time(nullptr);
  });
}

Look foreign(std::string why) {
  Look look;
  look.why = std::move(why);
  return look;
}

// Puts the marker into the directory, complete and locked from the first moment on.
Result<Marked> put_marker(int directory, const ContentKind& kind, const fs::path& path) {
  const auto cannot = [&] { return fail("cannot make " + printable(path.string()), std::strerror(errno)); };
  const auto taken = [&] {
    return fail("cannot make " + printable(path.string()), "another whatwire is writing it",
                "wait for its end, or choose another name with -o");
  };
  struct stat info = {};
  if (fstat(directory, &info) != 0) return cannot();
  Identity identity{info.st_dev, info.st_ino, random_hex()};
  const std::string unborn = unborn_prefix + identity.random;
  Fd file(openat(directory, unborn.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) return cannot();
  const std::string text = marker_text(kind, identity.random, identity.inode);
  const bool written = write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  // Without locks (some network file systems) two at once are still told apart by who makes the marker.
  if (written) flock(file.get(), LOCK_EX | LOCK_NB);
  const bool born =
      written && renameat2(directory, unborn.c_str(), directory, marker_name, RENAME_NOREPLACE) == 0;
  if (born) return Marked{std::move(file), std::move(identity)};
  const int problem = errno;
  bool linked = false;
  if (written && problem == EINVAL)
    linked = linkat(directory, unborn.c_str(), directory, marker_name, 0) == 0;
  const int why = written && problem == EINVAL ? errno : problem;
  unlinkat(directory, unborn.c_str(), 0);
  if (linked) return Marked{std::move(file), std::move(identity)};
  if (why == EEXIST) return taken();
  errno = written ? why : ENOSPC;
  return cannot();
}

}  // namespace

std::string printable(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

namespace {

bool still_leads_to(const Place& place, int directory) {
  struct stat named = {}, opened = {};
  return fstat(directory, &opened) == 0 &&
         fstatat(place.parent.get(), place.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

}  // namespace

Look look_at(const fs::path& path, const ContentKind& kind) {
  const auto place = place_of(path);
  if (!place) {
    std::error_code error;
    if (!fs::exists(path.parent_path(), error) && !path.parent_path().empty())
      return {FileState::absent, {}, {}, {}};
    return foreign(place.error().what + " (" + place.error().where + ")");
  }
  const Fd directory = open_directory(place->parent.get(), place->name.c_str());
  if (!directory) {
    const int problem = errno;
    if (problem == ENOENT) return {FileState::absent, {}, {}, {}};
    std::error_code error;
    if (const fs::path to = fs::read_symlink(path.parent_path() / place->name, error); !error)
      return foreign("it is a symbolic link to " + printable(to.string()));
    return foreign(problem == ENOTDIR ? "it is a file" : std::strerror(problem));
  }
  const auto names = names_in(directory.get());
  if (!names) return foreign(std::strerror(errno));
  if (names->empty()) return {FileState::empty, {}, {}, {}};
  Walk walk(false, true);
  if (auto marked = marker_in(directory.get(), kind)) {
    walk.entries(directory.get(), kind, "");
    if (!on_one_mount(place->parent.get(), directory.get())) return foreign("something is mounted there");
    const FileState state = is_locked(marked->file.get()) ? FileState::busy : FileState::ours;
    return {state, {}, std::move(marked->identity), std::move(walk.stays)};
  }
  if (is_being_made(directory.get(), *names)) return {FileState::busy, {}, {}, {}};
  struct stat info = {};
  if (fstat(directory.get(), &info) != 0) return foreign(std::strerror(errno));
  const bool has_marker = what_is(directory.get(), marker_name) != What::gone;
  const bool had_marker = std::find(names->begin(), names->end(), marker_name) != names->end();
  // Born since, or renamed and about to be removed: this was no look at what has the name now.
  if (has_marker != had_marker || !still_leads_to(*place, directory.get())) return look_at(path, kind);
  if (has_marker)
    return foreign(fmt::format("its {} is not that of a {} that you made there", marker_name, kind.name));
  Walk by_name(false, false);
  by_name.entries(directory.get(), kind, "");
  if (!by_name.stays.empty())
    return foreign(fmt::format("it holds other files ({})", first_of(by_name.stays)));
  if (info.st_uid != geteuid()) return foreign("it is another user's");
  return {FileState::unmarked, {}, {info.st_dev, info.st_ino, {}}, {}};
}

Result<Claim> Claim::make(const fs::path& path, const ContentKind& kind) {
  WW_INVARIANT(kind.marked);
  WW_TRY(const Place place, place_of(path));
  Claim claim;
  claim.path_ = path;
  claim.made_directory_ = mkdirat(place.parent.get(), place.name.c_str(), 0777) == 0;
  if (!claim.made_directory_ && errno != EEXIST)
    return fail("cannot make " + printable(path.string()), std::strerror(errno));
  const Fd directory = open_directory(place.parent.get(), place.name.c_str());
  if (!directory) return fail("cannot make " + printable(path.string()), std::strerror(errno));
  const auto names = names_in(directory.get());
  if (!names) return fail("cannot read " + printable(path.string()), std::strerror(errno));
  const auto counts = [](const std::string& name) { return !name.starts_with(unborn_prefix); };
  if (!claim.made_directory_ && std::any_of(names->begin(), names->end(), counts)) {
    if (const Look look = look_at(path, kind); look.state == FileState::busy)
      return fail("cannot make " + printable(path.string()), "another whatwire is writing it",
                  "wait for its end, or choose another name with -o");
    return fail("cannot make " + printable(path.string()), "it is there already",
                "choose another name with -o");
  }
  auto marked = put_marker(directory.get(), kind, path);
  if (!marked) {
    if (claim.made_directory_) unlinkat(place.parent.get(), place.name.c_str(), AT_REMOVEDIR);
    return tl::unexpected(std::move(marked.error()));
  }
  claim.identity_ = std::move(marked->identity);
  claim.marker_ = marked->file.release();
  return claim;
}

Claim& Claim::operator=(Claim&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(identity_, other.identity_);
  std::swap(made_directory_, other.made_directory_);
  std::swap(marker_, other.marker_);
  return *this;
}

Claim::~Claim() {
  if (marker_ >= 0) close(marker_);
}

std::string Removed::to_string() const {
  if (stays.empty()) return {};
  return fmt::format("; {} {} not whatwire's and {}", first_of(stays), stays.size() > 1 ? "are" : "is",
                     stays.size() > 1 ? "stay" : "stays");
}

Result<Removed> remove(const fs::path& path, const ContentKind& kind, Keep keep) {
  const auto refuse = [&](const std::string& why) {
    return fail("whatwire did not make " + printable(path.string()), why, "remove it yourself if it may go");
  };
  WW_INVARIANT(kind.marked);
  WW_TRY(const Place place, place_of(path));
  const Fd directory = open_directory(place.parent.get(), place.name.c_str());
  if (!directory) return refuse(std::strerror(errno));
  const auto marked = marker_in(directory.get(), kind);
  if (!marked) return refuse("it has no marker of a " + std::string(kind.name));
  if (keep == Keep::nothing && !on_one_mount(place.parent.get(), directory.get()))
    return refuse("something is mounted there");
  Walk walk(true, true);
  walk.entries(directory.get(), kind, "");
  if (walk.failed) return tl::unexpected(*walk.failed);
  unlinkat(directory.get(), marker_name, 0);
  Removed removed{walk.stays.empty(), std::move(walk.stays)};
  if (keep == Keep::directory || !removed.whole) return removed;
  struct stat now = {};
  const bool still_there = fstatat(place.parent.get(), place.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
                           now.st_ino == marked->identity.inode && now.st_dev == marked->identity.device;
  if (still_there && unlinkat(place.parent.get(), place.name.c_str(), AT_REMOVEDIR) != 0)
    removed.whole = false;
  return removed;
}

Result<Removed> remove_within(const fs::path& path, const ContentKind& kind, const std::string& entry,
                              Marker marker) {
  WW_INVARIANT(!entry.empty() && entry.find('/') == std::string::npos && entry != "." && entry != "..");
  const Fd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return fail("cannot open " + printable(path.string()), std::strerror(errno));
  const bool unmarked = what_is(directory.get(), marker_name) == What::gone;
  if (!(unmarked && marker == Marker::unmarked_too) && !marker_in(directory.get(), kind))
    return fail("whatwire did not make " + printable(path.string()),
                "it has no marker of a " + std::string(kind.name), "nothing in it was removed");
  Walk walk(true, marker == Marker::needed);
  walk.one(directory.get(), kind, entry, "");
  if (walk.failed) return tl::unexpected(*walk.failed);
  return Removed{walk.stays.empty(), std::move(walk.stays)};
}

}  // namespace ww::owned
