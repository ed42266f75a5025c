// What S1's analysis program lists of its observations (Krumme, Greenfield 1988, appendix B). Expected values are averages and
// differences worked out by hand from the samples of each case.
#include "measure/raw_listing.hpp"

#include <gtest/gtest.h>

namespace ww::measure {
namespace {

constexpr double us = 1e-6;

nlohmann::json six(int experiment, int hops, double bytes, const std::vector<double>& seconds) {
  return {{"kind", "six"},  {"between", "inter"},       {"experiment", experiment}, {"hops", hops},
          {"bytes", bytes}, {"computation", "integer"}, {"seconds", seconds}};
}

TEST(RawListing, ExperimentsHaveTheirAverageAndExtremes) {
  Samples samples;
  samples.records = {
      six(5, 1, 16, {330 * us, 320 * us}),
      six(2, 1, 16, {170 * us, 190 * us}),
      six(2, 1, 16, {180 * us}),
      {{"kind", "cost"}, {"between", "inter"}, {"term", "A"}, {"bytes", 16}, {"seconds", {120 * us}}}};
  const auto listing = raw_listing(samples);
  ASSERT_TRUE(listing) << to_string(listing.error());
  ASSERT_EQ(listing->observations.size(), 3u);
  const auto& received = listing->observations[0];
  EXPECT_EQ(received.experiment, 2);
  EXPECT_EQ(received.measures, "R");
  EXPECT_EQ(received.count, 3u);
  EXPECT_NEAR(received.mean_s / us, 180, 1e-9);
  EXPECT_NEAR(received.shortest_s / us, 170, 1e-9);
  EXPECT_NEAR(received.longest_s / us, 190, 1e-9);
  EXPECT_EQ(listing->observations[1].measures, "R+S");
  EXPECT_EQ(listing->observations[2].experiment, 0) << "over no computation, so it comes last";
  EXPECT_TRUE(listing->lines.empty()) << "of one size";
}

// Samples that are means say what single repetitions took.
TEST(RawListing, ExtremesAreOfSingleRepetitions) {
  Samples samples;
  nlohmann::json record = six(2, 1, 16, {170 * us, 190 * us});
  record["shortest_s"] = -20 * us;
  record["longest_s"] = 400 * us;
  samples.records = {record};
  const auto listing = raw_listing(samples);
  ASSERT_TRUE(listing);
  EXPECT_NEAR(listing->observations[0].shortest_s / us, -20, 1e-9);
  EXPECT_NEAR(listing->observations[0].longest_s / us, 400, 1e-9);
}

// T_d = 2F + 2dE + 2U with 2 (F + U) = 600 us and E = 200 us + 1 us a byte; d = 3 is missing, so nothing is said of 2/3 and 3/4.
TEST(RawListing, EchoesOverOneHopMoreGiveE) {
  Samples samples;
  for (const double bytes : {100.0, 300.0})
    for (const int hops : {1, 2, 4, 5})
      samples.records.push_back(six(1, hops, bytes, {(600 + 2 * hops * (200 + bytes)) * us}));
  samples.records.push_back(
      {{"kind", "host"},
       {"host", "n"},
       {"clock_hz", 7e6},
       {"timer", {{"call_s", 120 * us}, {"resolution_s", 146 * us}, {"backward_steps", 0}}}});
  const auto listing = raw_listing(samples);
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->differences.size(), 4u);
  EXPECT_EQ(listing->differences[1].from_hops, 4);
  EXPECT_NEAR(listing->differences[0].seconds / us, 600, 1e-6);
  EXPECT_NEAR(listing->differences[3].seconds / us, 1000, 1e-6);
  ASSERT_EQ(listing->lines.size(), 1u);
  EXPECT_EQ(listing->lines[0].measures, "E");
  EXPECT_NEAR(listing->lines[0].base_s / us, 200, 1e-6);
  EXPECT_NEAR(listing->lines[0].seconds_per_byte / us, 1, 1e-9);
  EXPECT_NEAR(listing->clock_resolution_s / us, 146, 1e-9);
  EXPECT_EQ(to_json(*listing)["observations"].size(), 8u);
}

TEST(RawListing, LinesKeepTheirLargestError) {
  Samples samples;
  for (const auto& [bytes, seconds] : {std::pair{0.0, 10.0}, {100.0, 26.0}, {200.0, 30.0}})
    samples.records.push_back(six(4, 1, bytes, {seconds * us}));
  const auto listing = raw_listing(samples);
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->lines.size(), 1u);
  // slope (30 - 10) / 200, mean 22: 12, 22, 32 against 10, 26, 30
  EXPECT_NEAR(listing->lines[0].base_s / us, 12, 1e-9);
  EXPECT_NEAR(listing->lines[0].max_error_s / us, 4, 1e-9);
}

TEST(RawListing, SamplesWithoutTheExperimentsAreRefused) {
  Samples samples;
  samples.records = {six(7, 1, 16, {1})};
  EXPECT_FALSE(raw_listing(samples));
}

}  // namespace
}  // namespace ww::measure
