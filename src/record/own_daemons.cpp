#include "record/own_daemons.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "interpose/core/environment.hpp"
#include "trace/spool_daemons.hpp"

namespace ww {
namespace fs = std::filesystem;

Result<void> check_daemons(const fs::path& dir) {
  if (const auto found = spool::daemon_files(dir, ".defs"); found && !found->empty()) return {};
  return fail("no daemon has recorded there", dir.string(),
              "start pvmd with LD_PRELOAD=.../libwhatwire-pvmd.so and " +
                  std::string(environment::daemon_spool_dir) +
                  "=DIR, an absolute path (docs/design/recording.md)");
}

// Records first: their definitions then have all that they name.
Result<void> copy_daemons(const fs::path& dir, const fs::path& spool) {
  for (const char* extension : {".spool", ".defs"}) {
    WW_TRY(const auto files, spool::daemon_files(dir, extension));
    for (const fs::path& file : files) {
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
  }
  return {};
}

}  // namespace ww
