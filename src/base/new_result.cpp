#include "base/new_result.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

namespace ww::owned {
namespace fs = std::filesystem;
namespace {

constexpr int most_numbers = 1000;  // NAME.old.2 ...
constexpr int most_attempts = 16;   // against others that make and remove the same at this moment

// Names change together: what one of several sees beside NAME must still be there when it acts on it. A lock
// of the directory itself leaves nothing behind. Where there are none (some network file systems), or
// somebody holds it for long, names alone decide, of which each is made or taken by one only.
class NamesLock {
 public:
  explicit NamesLock(const fs::path& directory)
      : fd_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int patience_ms = 10'000, step_ms = 2;
    for (int waited_ms = 0; fd_ >= 0 && flock(fd_, LOCK_EX | LOCK_NB) != 0; waited_ms += step_ms) {
      if ((errno != EWOULDBLOCK && errno != EINTR) || waited_ms >= patience_ms) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(step_ms));
    }
  }
  ~NamesLock() {
    if (fd_ >= 0) close(fd_);
  }
  NamesLock(const NamesLock&) = delete;
  NamesLock& operator=(const NamesLock&) = delete;

 private:
  int fd_;
};

fs::path beside(const fs::path& name, const std::string& ending) {
  return name.parent_path() / (name.filename().string() + ending);
}

Error refusal(const fs::path& name, std::string why, std::string remedy = "choose another name with -o") {
  return {"cannot write " + printable(name.string()), std::move(why), std::move(remedy), false};
}

// NAME with its directory as the kernel sees it, which is made if need be; and the topmost one made.
struct Named {
  fs::path name, first_made;
};
Result<Named> resolve(const fs::path& given) {
  std::error_code error;
  std::string text = given.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  fs::path path = fs::absolute(text, error);
  if (error || text.empty()) return tl::unexpected(refusal(given, "it is no name of a directory"));
  const std::string last = path.filename().string();
  if (last == "." || last == "..") path = fs::canonical(path, error);
  if (error) return tl::unexpected(refusal(given, error.message()));
  if (path == path.root_path()) return tl::unexpected(refusal(given, "it is the root directory"));
  Named named;
  fs::path missing = path.parent_path();
  while (!missing.empty() && !fs::exists(fs::symlink_status(missing, error))) {
    named.first_made = missing;
    if (missing == missing.parent_path()) break;
    missing = missing.parent_path();
  }
  fs::create_directories(path.parent_path(), error);
  const fs::path parent = error ? fs::path() : fs::canonical(path.parent_path(), error);
  if (error)
    return tl::unexpected(Error{"cannot make " + printable(path.parent_path().string()), error.message(),
                                "choose another place with -o", false});
  named.name = parent / path.filename();
  return named;
}

// The parents that begin() made go again; rmdir takes empty directories only.
void remove_made(const fs::path& name, const fs::path& first_made) {
  if (first_made.empty()) return;
  std::error_code error;
  const fs::path top = fs::canonical(first_made, error);
  if (error) return;
  for (fs::path at = name.parent_path(); at != at.root_path(); at = at.parent_path()) {
    if (rmdir(at.c_str()) != 0 || at == top) return;
  }
}

// Where the file system has no exchange (some network file systems), by way of a free name.
int move_to_free_name(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  std::error_code error;
  if (fs::exists(fs::symlink_status(to, error))) return EEXIST;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

// Moves it to NAME.ENDING, or the first free of NAME.ENDING.2 and so on.
Result<fs::path> move_aside(const fs::path& from, const fs::path& name, const std::string& ending) {
  for (int number = 1; number <= most_numbers; ++number) {
    const fs::path to = beside(name, number == 1 ? ending : fmt::format("{}.{}", ending, number));
    const int problem = move_to_free_name(from, to);
    if (problem == 0) return to;
    if (problem != EEXIST && problem != ENOTEMPTY)
      return fail("cannot rename " + printable(from.string()), std::strerror(problem));
  }
  return fail("cannot rename " + printable(from.string()), "there are too many of its kind",
              fmt::format("remove those that you no longer need: {}{}.*", printable(name.string()), ending));
}

bool may_be_replaced(const fs::path& directory, const ContentKind& kind) {
  const Look look = look_at(directory, kind);
  return look.state == FileState::ours && look.others.empty();
}

}  // namespace

Result<NewResult> NewResult::begin(const fs::path& given, const ContentKind& kind, Previous previous) {
  NewResult result;
  WW_TRY(Named named, resolve(given));
  result.name_ = std::move(named.name);
  result.first_made_ = std::move(named.first_made);
  result.kind_ = &kind;
  result.previous_ = previous;
  const NamesLock names(result.name_.parent_path());
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    Look look = look_at(result.name_, kind);
    fs::path to_make = result.name_;
    if (look.state == FileState::foreign)
      return tl::unexpected(
          refusal(given, look.why.starts_with("it ") ? look.why : "it is not whatwire's: " + look.why));
    if (look.state == FileState::busy)
      return tl::unexpected(refusal(given, "another whatwire is writing it",
                                    "wait for its end, or choose another name with -o"));
    if (look.state == FileState::unmarked && previous == Previous::keep)
      return tl::unexpected(refusal(given, "nothing says that whatwire made what is there",
                                    "choose another name with -o, or --force to have it renamed to " +
                                        printable(beside(given, ".old").filename().string())));
    if (look.state == FileState::ours || look.state == FileState::unmarked) {
      to_make = beside(result.name_, ".new");
      const Look in_the_way = look_at(to_make, kind);
      if (in_the_way.state == FileState::busy)
        return tl::unexpected(refusal(given, "another whatwire is writing it",
                                      "wait for its end, or choose another name with -o"));
      if (in_the_way.state == FileState::ours) {
        WW_TRY(const fs::path aside, move_aside(to_make, result.name_, ".unfinished"));
        result.said_.push_back(fmt::format("what an earlier command left unfinished is kept as {}",
                                           printable(aside.filename().string())));
      } else if (in_the_way.state != FileState::absent && in_the_way.state != FileState::empty) {
        return tl::unexpected(refusal(given, printable(to_make.filename().string()) + " is in the way",
                                      "rename it, or choose another name with -o"));
      }
    }
    auto claim = Claim::make(to_make, kind);
    if (claim) {
      result.claim_ = *std::move(claim);
      if (to_make != result.name_) result.replaced_ = std::move(look);
      return result;
    }
    // Somebody else made it meanwhile, or has renamed it again: look again. Anything else will not go away.
    const FileState now = look_at(to_make, kind).state;
    if (attempt + 1 == most_attempts && (now == FileState::absent || now == FileState::empty)) {
      Error error = std::move(claim.error());
      error.remedy = "choose another place with -o";
      return tl::unexpected(std::move(error));
    }
  }
  return tl::unexpected(
      refusal(given, "another whatwire is writing it", "wait for its end, or choose another name with -o"));
}

NewResult::NewResult(NewResult&& other) noexcept
    : name_(std::move(other.name_)),
      first_made_(std::move(other.first_made_)),
      kind_(other.kind_),
      previous_(other.previous_),
      replaced_(std::move(other.replaced_)),
      claim_(std::exchange(other.claim_, std::nullopt)),
      said_(std::move(other.said_)) {
  other.first_made_.clear();
}

NewResult::~NewResult() {
  if (claim_) {
    const NamesLock names(name_.parent_path());
    const auto removed =
        remove(claim_->path(), *kind_, claim_->made_directory() ? Keep::nothing : Keep::directory);
    claim_.reset();
    if (!removed || !removed->whole) return;
  }
  remove_made(name_, first_made_);
}

void NewResult::leave() {
  claim_.reset();
  first_made_.clear();
}

// What was at NAME is at `was` now: it becomes NAME.old, in place of one that may go.
Result<std::string> NewResult::set_aside(const fs::path& was) {
  const std::string name = printable(name_.filename().string());
  if (previous_ == Previous::replace && may_be_replaced(was, *kind_)) {
    WW_CHECK(remove(was, *kind_).map([](const Removed&) {}));
    return fmt::format("the previous {} was replaced", name);
  }
  const fs::path old = beside(name_, ".old");
  if (may_be_replaced(old, *kind_)) {
    // The older one gets a name that says what it is before anything of it is removed. One that a killed
    // process was about to remove goes as well.
    if (const fs::path left = beside(name_, ".going"); may_be_replaced(left, *kind_))
      (void)remove(left, *kind_);
    WW_TRY(const fs::path going, move_aside(old, name_, ".going"));
    if (move_to_free_name(was, old) != 0)
      return fail("cannot rename " + printable(was.string()), std::strerror(errno));
    WW_CHECK(remove(going, *kind_).map([](const Removed&) {}));
    return fmt::format("the previous {} is kept as {}", name, printable(old.filename().string()));
  }
  WW_TRY(const fs::path aside, move_aside(was, name_, ".old"));
  return fmt::format("the previous {} is kept as {}", name, printable(aside.filename().string()));
}

Result<std::vector<std::string>> NewResult::publish() {
  WW_INVARIANT(claim_.has_value());
  first_made_.clear();
  const NamesLock names(name_.parent_path());
  const fs::path made = claim_->path();
  if (made == name_) {
    claim_.reset();
    return std::move(said_);
  }
  const auto cannot = [&](int problem) {
    leave();
    return fail("cannot rename " + printable(made.string()) + " to " + printable(name_.filename().string()),
                std::strerror(problem), "the new result is complete under the first name");
  };
  const Look now = look_at(name_, *kind_);
  if (now.state == FileState::absent) {
    if (const int problem = move_to_free_name(made, name_); problem != 0) return cannot(problem);
    leave();
    return std::move(said_);
  }
  if (!(now.identity == replaced_.identity)) return cannot(EEXIST);
  fs::path was = made;
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, name_.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) return cannot(errno);
    const auto aside = move_aside(name_, name_, ".before");
    if (!aside) return cannot(errno);
    was = *aside;
    if (const int problem = move_to_free_name(made, name_); problem != 0) return cannot(problem);
  }
  const auto said = set_aside(was);
  leave();
  said_.push_back(said ? *said
                       : fmt::format("the previous {} is kept as {} ({})",
                                     printable(name_.filename().string()), printable(was.filename().string()),
                                     ww::to_string(said.error())));
  return std::move(said_);
}

}  // namespace ww::owned
