// Computation of some ranks or regions only. Expected: the same times by hand.
#include "simulate/scoped_compute.hpp"

#include <gtest/gtest.h>

#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

// Two ranks that compute 4 ms, meet, compute 4 ms and meet; rank 0 marks "solve" for 1 ms
// on either side of the first call (of 1 us), with "inner" in its first half.
TraceBuilder marked() {
  auto builder = TraceBuilder::spread(2);
  for (int round = 0; round < 2; ++round) {
    for (const int rank : {0, 1}) builder.compute(rank, 4e-3);
    builder.collective(CollectiveOp::barrier, 0);
  }
  Trace& trace = builder.trace();
  trace.user.regions = {"solve", "inner"};
  trace.ranks[0].user.regions = {{3000000, 5001000, 0, 0}, {3000000, 4000000, 1, 0}};
  return builder;
}

double elapsed_s(const std::string& spec, const LinearMachine& machine = {}) {
  auto builder = marked();
  const auto what_if = parse_what_if(spec);
  EXPECT_TRUE(what_if) << (what_if ? "" : to_string(what_if.error()));
  const auto prediction = predict(builder.trace(), machine.model(), *what_if);
  EXPECT_TRUE(prediction) << (prediction ? "" : to_string(prediction.error()));
  return prediction ? prediction->predicted_s : -1;
}

TEST(ScopedCompute, ARankAloneGetsQuicker) {
  const LinearMachine machine;
  const double meet_s = machine.one_way_s(0);
  // the other one still takes 4 ms, finds the quicker one's message both times, and is waited for at the end
  EXPECT_NEAR(elapsed_s("compute@rank:0=x2"), 2 * 4e-3 + meet_s, 1e-9);
  EXPECT_NEAR(elapsed_s("compute@rank:0+1=x2"), 2 * (2e-3 + meet_s), 1e-9);
  EXPECT_NEAR(elapsed_s("compute@rank:0-1=x2,compute=x2"), 2 * (1e-3 + meet_s), 1e-9);
}

TEST(ScopedCompute, ARegionCountsByItsPart) {
  const double meet_s = LinearMachine().one_way_s(0);
  // rank 0 alone is slower, and late both times: 4 + 3 ms, then 4 + 3 ms
  EXPECT_NEAR(elapsed_s("compute@region:solve=x0.25"), 2 * 7e-3 + meet_s, 1e-9);
  EXPECT_NEAR(elapsed_s("compute@region:inner=x0.25"), 7e-3 + 4e-3 + 2 * meet_s, 1e-9);
  // where both hold their factors multiply: 3 + 16, then 3 + 4
  EXPECT_NEAR(elapsed_s("compute@region:inner=x0.25,compute@region:solve=x0.25"), 19e-3 + 7e-3 + meet_s,
              1e-9);
  EXPECT_NEAR(elapsed_s("compute@rank:0@region:solve=x0.25"), elapsed_s("compute@region:solve=x0.25"), 1e-12);
}

// Computations that were replaced by undisturbed ones keep the part that lies in a region.
TEST(ScopedCompute, APartOfAReplacedComputation) {
  auto builder = marked();
  Undisturbed calm{.computations = computations_of(builder.trace())};
  calm.computations.ranks[0].seconds[0] = 2e-3;
  calm.computations.ranks[1].seconds = {0, 0, 0};
  const auto predictions = predict_all(builder.trace(), LinearMachine().model(),
                                       {*parse_what_if("compute@region:solve=x0.5")}, {.computed = &calm});
  ASSERT_TRUE(predictions) << to_string(predictions.error());
  // a quarter of 2 ms, and of 4 ms, twice as long
  EXPECT_NEAR(predictions->front().predicted_s, 2.5e-3 + 5e-3 + LinearMachine().one_way_s(0), 1e-9);
}

TEST(ScopedCompute, RefusesWhatIsNotThere) {
  auto builder = marked();
  const auto refused = [&](const std::string& spec) {
    const auto prediction = predict(builder.trace(), LinearMachine().model(), *parse_what_if(spec));
    return prediction ? std::string() : to_string(prediction.error());
  };
  EXPECT_NE(refused("compute@rank:0-2=x2").find("ranks 0 to 1"), std::string::npos);
  EXPECT_NE(refused("compute@region:slove=x2").find("inner, solve"), std::string::npos);
  EXPECT_NE(refused("compute@rank:1@region:solve=x2").find("marked none"), std::string::npos);
}

}  // namespace
}  // namespace ww::simulate
