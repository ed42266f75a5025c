// Valid spools and archives, damaged at random and loaded (fuzz_rounds.hpp). Each load must end within seconds, in less memory than a limit, with a trace
// that holds together or with an error.
#include "trace/fuzz_rounds.hpp"
#include "trace/score_p_fixture.hpp"

namespace ww {
namespace {

using fuzz::fuzz_from;

TEST(Fuzz, DamagedSpools) {
  fuzz_from(fuzz::small_spools(), 0.75, 0.01);
}

TEST(Fuzz, DamagedArchives) {
  fuzz_from(fuzz::small_archive(), 0.01, 0.2);
}

TEST(Fuzz, DamagedArchivesOfOtherTools) {
  const spool::TestDir dir;
  write_like_score_p(dir.path());
  fuzz_from(fuzz::files_below(dir.path()), 0.01, 0.2);
}

}  // namespace
}  // namespace ww
