#include "record/own_daemons.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interpose/core/environment.hpp"

namespace ww {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> files_of_daemons(const fs::path& dir, const char* extension) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::directory_iterator entry(dir, ignored), last; !ignored && entry != last; entry.increment(ignored))
    if (entry->path().filename().string().starts_with(environment::daemon_prefix) &&
        entry->path().extension() == extension)
      files.push_back(entry->path());
  return files;
}

}  // namespace

Result<void> check_daemons(const fs::path& dir) {
  if (!files_of_daemons(dir, ".defs").empty()) return {};
  return fail("no daemon has recorded there", dir.string(),
              "start pvmd with LD_PRELOAD=.../libwhatwire-pvmd.so and " +
                  std::string(environment::daemon_spool_dir) +
                  "=DIR, an absolute path (docs/design/recording.md)");
}

// Records first: their definitions then have all that they name.
Result<void> copy_daemons(const fs::path& dir, const fs::path& spool) {
  for (const char* extension : {".spool", ".defs"})
    for (const fs::path& file : files_of_daemons(dir, extension)) {
      std::error_code error;
      const fs::path copy = spool / file.filename();
      fs::copy_file(file, copy, error);
      if (error)
        return fail("cannot copy what a daemon recorded", file.string() + ": " + error.message(),
                    "is the disk full?");
      if (file.extension() != ".defs") continue;
      const nlohmann::json fact = {{"def", "fact"}, {"name", environment::daemon_of_user}};
      std::ofstream(copy, std::ios::app) << "\n" << fact.dump() << "\n";
    }
  return {};
}

}  // namespace ww
