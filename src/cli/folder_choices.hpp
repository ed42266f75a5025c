// What lies below a folder that can be run or has settings for it, and names of files that stay below it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::cli {

struct FolderChoices {
  struct Program {
    std::string path;    // as a launch line has it: "./build/app"
    std::string kind;    // "Open MPI", "script", or that it is linked to no library that is known here
    bool known = false;  // to be of a library, so that it can be recorded
  };
  std::vector<Program> programs;      // those of a library first
  std::vector<std::string> settings;  // files that whatwire init could have written
  bool left_out = false;              // there are more: deeper, or too many
};
// Without results of ours, hidden folders, and links that lead out of it.
FolderChoices choices_below(const std::filesystem::path& folder);

// A name below the folder: relative, without `..`, and no link in it leads out. Of what is not there yet what is there of its parents
// counts. Errors say which of these it is not.
Result<std::filesystem::path> place_below(const std::filesystem::path& folder, const std::string& name);

}  // namespace ww::cli
