// Expected values are arithmetic on the computations that each run is given.
#include <gtest/gtest.h>

#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

// Rank 0 computes each of these times and then sends; rank 1 receives.
TraceBuilder run_of(const std::vector<double>& computations_s, const char* call = "MPI_Send") {
  auto builder = TraceBuilder::spread(2);
  for (const double seconds : computations_s) {
    builder.compute(0, seconds);
    builder.send(0, 1, 400);
    builder.recv(1, 0, 400);
  }
  for (std::string& region : builder.trace().regions)
    if (region == "MPI_Send") region = call;
  return builder;
}

std::vector<Computations> of_runs(const std::vector<std::vector<double>>& runs) {
  std::vector<Computations> out;
  for (const auto& run : runs) out.push_back(computations_of(run_of(run).trace()));
  return out;
}

TEST(Computations, WhatOneRunTookFarLongerForWasDisturbed) {
  const auto found =
      without_disturbances(of_runs({{1e-3, 2e-3, 3e-6}, {1.4e-3, 9e-3, 3e-6}, {1.1e-3, 2.2e-3, 9e-6}}));
  ASSERT_TRUE(found);
  // 9 ms against a median of 2.2; 1.4 ms is within half of 1.1, 9 us within 5 us of half more than 3
  EXPECT_EQ((*found)[0].replaced, 0u);
  EXPECT_EQ((*found)[1].replaced, 1u);
  EXPECT_EQ((*found)[2].replaced, 0u);
  EXPECT_NEAR((*found)[1].removed_s, 6.8e-3, 1e-12);
  const std::vector<double> expected{1.4e-3, 2.2e-3, 3e-6, 0};
  ASSERT_EQ((*found)[1].computations.ranks[0].seconds.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR((*found)[1].computations.ranks[0].seconds[i], expected[i], 1e-12);
  EXPECT_EQ((*found)[1].of, 2 * expected.size());
}

TEST(Computations, RunsThatDifferTellNothingAboutEachOther) {
  EXPECT_FALSE(without_disturbances(of_runs({{1e-3}, {1e-3}})));
  EXPECT_FALSE(without_disturbances(of_runs({{1e-3}, {1e-3}, {1e-3, 1e-3}})));
  auto runs = of_runs({{1e-3}, {1e-3}});
  runs.push_back(computations_of(run_of({1e-3}, "MPI_Ssend").trace()));
  EXPECT_FALSE(without_disturbances(runs));
}

// The prediction takes the undisturbed computations: 3 messages behind 1, 1 and 1 ms instead of 1, 7 and 1.
// The self-check stays that of the run as it was.
TEST(Computations, APredictionLeavesADisturbanceOut) {
  const LinearMachine machine;
  const std::vector<std::vector<double>> runs{{1e-3, 1e-3, 1e-3}, {1e-3, 7e-3, 1e-3}, {1e-3, 1e-3, 1e-3}};
  auto disturbed = run_of(runs[1]);
  const auto found = without_disturbances(of_runs(runs));
  ASSERT_TRUE(found);
  const auto with = predict_all(disturbed.trace(), machine.model(), {WhatIf{}}, {.computed = &(*found)[1]});
  const auto without = predict_all(disturbed.trace(), machine.model(), {WhatIf{}});
  ASSERT_TRUE(with && without);
  EXPECT_NEAR((*without)[0].predicted_s - (*with)[0].predicted_s, 6e-3, 1e-9);
  EXPECT_EQ((*without)[0].replayed_s, (*with)[0].replayed_s);
  EXPECT_EQ((*with)[0].disturbed_computations, 1u);
  EXPECT_NEAR((*with)[0].disturbance_s, 6e-3, 1e-9);
  EXPECT_EQ((*without)[0].disturbed_computations, 0u);
}

}  // namespace
}  // namespace ww::simulate
