// Expected is what the trace is made of.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run.hpp"
#include "trace/ring_fixture.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

std::string output_of(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  int problem = 0;
  EXPECT_EQ(cli::run(words, problem), 0);
  return testing::internal::GetCapturedStdout();
}

// A round of ring_fixture.hpp: MPI_Init and MPI_Finalize, three receives, three sends, two waits.
TEST(NewName, CountsTheCallsOfARing) {
  const spool::TestDir dir;
  const std::string trace = (dir.path() / "t.ww").string();
  spool::write_spools(trace, spool::ring(2, 3));
  ASSERT_TRUE(unify(trace, {}));
  EXPECT_EQ(output_of({"NEW-NAME", trace}), "2 ranks, 20 calls\n");
  EXPECT_EQ(nlohmann::json::parse(output_of({"NEW-NAME", trace, "--json"})),
            nlohmann::json({{"ranks", 2}, {"calls", 20}}));
}

}  // namespace
}  // namespace ww
