// Which D was in force when. Expected spans are those between the values as they are put into the trace by hand; the name of the
// value is the recorder's (interpose/core/spool_format.hpp).
#include "trace/dilated_spans.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

struct Set {
  std::int64_t at_ns;
  double factor;
};

// One rank from 0 to 1000 ns at -D 4.
Trace dilated(const std::vector<Set>& sets, const char* name = "dilation factor D") {
  TraceBuilder builder(1, 1000);
  Trace trace = builder.matched();
  trace.dilation = 4;
  trace.user.values = {{"residual", "", false}, {name, "", false}};
  for (const Set& set : sets)
    trace.ranks[0].user.values.push_back({set.at_ns, 1, 0, std::bit_cast<std::uint64_t>(set.factor)});
  return trace;
}

std::vector<DilatedSpan> spans_of(const std::vector<Set>& sets) {
  const Trace trace = dilated(sets);
  return dilated_spans(trace, trace.ranks[0]);
}

TEST(Dilation, IsTheRunsOwnUntilTheProgramSetsAnother) {
  EXPECT_EQ(spans_of({}), (std::vector<DilatedSpan>{{0, 1000, 4}}));
  EXPECT_EQ(spans_of({{200, 1}, {600, 8}}),
            (std::vector<DilatedSpan>{{0, 200, 4}, {200, 600, 1}, {600, 1000, 8}}));
}

TEST(Dilation, SpansWithoutTimeAndChangesToTheSameAreNone) {
  EXPECT_EQ(spans_of({{0, 1}, {300, 1}, {500, 2}, {500, 1}}), (std::vector<DilatedSpan>{{0, 1000, 1}}));
  EXPECT_EQ(spans_of({{1200, 2}}), (std::vector<DilatedSpan>{{0, 1000, 4}}));
}

TEST(Dilation, OtherValuesAndWhatIsNoFactorDoNotCount) {
  const Trace other = dilated({{200, 1}}, "D");
  EXPECT_FALSE(sets_dilation(other));
  EXPECT_EQ(dilated_spans(other, other.ranks[0]).size(), 1u);
  EXPECT_EQ(spans_of({{200, 0.5}, {300, std::nan("")}}).size(), 1u);
}

TEST(Dilation, OfARunThatWasNotDilatedIsOne) {
  Trace trace = dilated({{200, 8}});
  trace.dilation = 1;
  EXPECT_EQ(dilated_spans(trace, trace.ranks[0]), (std::vector<DilatedSpan>{{0, 1000, 1}}));
}

}  // namespace
}  // namespace ww
