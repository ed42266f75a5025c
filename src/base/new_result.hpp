// A directory with a result of ours in the making: what is there already under its name stays as it is until
// the new one is complete, and is kept as NAME.old then.
//
//   NAME is free or an empty directory:  NAME itself is made at once, so that a result in the making, or one
//                                        whose maker was killed, is found under its name
//   NAME is a result of ours:            NAME.new is made, and renamed into place when it is published
//   NAME is anything else:               refused, and not touched; so is a symbolic link
//
// Nothing that could be of use is removed: a NAME.new that a killed process left becomes NAME.unfinished; a
// NAME.old with files of somebody else's in it stays, and the next free number is taken (NAME.old.2).
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/owned.hpp"
#include "base/result.hpp"

namespace ww::owned {

enum class Previous {
  keep,     // as NAME.old, in place of an earlier NAME.old of ours
  replace,  // --force: it goes; what a version without markers made is kept as NAME.old
};

class NewResult {
 public:
  // Errors: NAME is not ours, or another whatwire is writing it, or it cannot be made. Nothing is touched
  // then.
  static Result<NewResult> begin(const std::filesystem::path& name, const ContentKind& kind,
                                 Previous previous = Previous::keep);
  NewResult(NewResult&&) noexcept;
  NewResult& operator=(NewResult&&) = delete;
  // Removes what was made if it was neither published nor left; the previous result is as it was.
  ~NewResult();

  // Where to write it: absolute, without links.
  const std::filesystem::path& directory() const { return claim_->path(); }
  // What becomes of it when it is published: absolute, without links.
  const std::filesystem::path& name() const { return name_; }

  // It is complete. Gives lines for the user: what became of the previous result.
  Result<std::vector<std::string>> publish();
  // It is not complete and yet worth keeping: it stays where it is, directory().
  void leave();

 private:
  NewResult() = default;
  Result<std::string> set_aside(const std::filesystem::path& was);
  std::filesystem::path name_, first_made_;  // first_made_: the topmost parent that begin() made
  const ContentKind* kind_ = nullptr;
  Previous previous_ = Previous::keep;
  Look replaced_;  // what is at NAME, if the result is made beside it
  std::optional<Claim> claim_;
  std::vector<std::string> said_;
};

}  // namespace ww::owned
