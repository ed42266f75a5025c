// What programs mark, from the spool through the archive to columns. Expected values are those that were
// written; ticks are microseconds, and time 0 is the entry of MPI_Init.
#include <gtest/gtest.h>

#include "trace/causality.hpp"
#include "trace/encoding.hpp"
#include "trace/however_loaded.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;

SpoolWriter begun(int rank, int size) {
  SpoolWriter writer;
  writer.standard(rank, size);
  writer.clock(0, 0, 0, true);
  writer.add("MPI_Init", 1000, 1100);
  return writer;
}

Result<Trace> loaded(const std::vector<SpoolWriter>& ranks) {
  const TestDir dir;
  spool::write_spools(dir.path(), ranks);
  return load_in_all_ways(dir.path());
}

std::uint64_t count_of(const Trace& trace, const std::string& name) {
  for (const Diagnostic& diagnostic : trace.diagnostics.all())
    if (diagnostic.name == name) return diagnostic.count;
  return 0;
}

std::vector<std::string> texts_of(const Trace& trace, const std::vector<UserSaying>& sayings) {
  std::vector<std::string> texts;
  for (const auto& [thread, event] : sayings) {
    const char* kind = event.kind == UserEvent::Kind::enter ? "+" : "-";
    texts.push_back(kind + trace.user.regions[event.name] + " " + std::to_string(event.at_ns / 1000));
  }
  return texts;
}

// The ranks number the same names differently.
TEST(User, RegionsValuesAndMarkersKeepNamesTimesAndNumbers) {
  std::vector<SpoolWriter> ranks;
  for (int r = 0; r < 2; ++r) {
    SpoolWriter writer = begun(r, 2);
    const bool first = r == 0;
    const std::uint32_t solve = first ? 1 : 4, residual = first ? 2 : 3, step = 9, half = first ? 4 : 1;
    writer.name(solve, "region", "solve");
    writer.name(residual, "real", "residual");
    writer.name(step, "integer", "residual");  // the same text, another use
    writer.name(half, "marker", "half-way, \"quoted\"");
    writer.say(Kind::region_begin, 1200, solve);
    writer.say(Kind::value_real, 1210, residual, std::bit_cast<std::uint64_t>(0.1));
    writer.add("MPI_Allreduce", 1220, 1240, Kind::collective, spool::no_peer, 0, 8, 8);
    writer.say(Kind::value_integer, 1250, step, std::bit_cast<std::uint64_t>(std::int64_t{-7}));
    writer.say(Kind::marker, 1260, half);
    writer.say(Kind::region_end, 1300u + static_cast<unsigned>(r), solve);
    writer.add("MPI_Finalize", 1400, 1500);
    writer.end(1600);
    ranks.push_back(std::move(writer));
  }
  const auto trace = loaded(ranks);
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_TRUE(trace->diagnostics.all().empty()) << trace->diagnostics.all().front().name;
  EXPECT_EQ(trace->user.regions, std::vector<std::string>{"solve"});
  EXPECT_EQ(trace->user.texts, std::vector<std::string>{"half-way, \"quoted\""});
  ASSERT_EQ(trace->user.values.size(), 2u);
  for (std::size_t r = 0; r < 2; ++r) {
    const RankTrace& rank = trace->ranks[r];
    EXPECT_EQ(rank.calls(), 3u);  // none of it is a call
    EXPECT_EQ(rank.enter_ns[1], 220000);
    EXPECT_TRUE(rank.thread.empty());
    ASSERT_EQ(rank.user.regions.size(), 1u);
    EXPECT_EQ(rank.user.regions[0].enter_ns, 200000);
    EXPECT_EQ(rank.user.regions[0].leave_ns, r == 0 ? 300000 : 301000);
    ASSERT_EQ(rank.user.values.size(), 2u);
    const UserValue &real = rank.user.values[0], &whole = rank.user.values[1];
    EXPECT_EQ(real.at_ns, 210000);
    EXPECT_EQ(real.number(trace->user.values[real.name]), 0.1);
    EXPECT_TRUE(trace->user.values[whole.name].whole);
    EXPECT_EQ(trace->user.values[whole.name].name, "residual");
    EXPECT_EQ(whole.number(trace->user.values[whole.name]), -7);
    ASSERT_EQ(rank.user.markers.size(), 1u);
    EXPECT_EQ(rank.user.markers[0].at_ns, 260000);
  }
}

// a begins, b within it; a ends first, then b; c was never begun; d stays open.
TEST(User, RegionsOutOfOrderAreEndedWithTheOuterOne) {
  SpoolWriter writer = begun(0, 1);
  std::uint32_t id = 0;
  for (const char* name : {"a", "b", "c", "d"}) writer.name(++id, "region", name);
  writer.say(Kind::region_begin, 1200, 1);
  writer.say(Kind::region_begin, 1210, 2);
  writer.say(Kind::region_end, 1220, 1);
  writer.say(Kind::region_end, 1230, 2);
  writer.say(Kind::region_end, 1240, 3);
  writer.say(Kind::region_begin, 1250, 4);
  writer.add("MPI_Finalize", 1400, 1500);
  writer.end(1600);
  const auto trace = loaded({writer});
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(texts_of(*trace, in_order(trace->ranks[0].user)),
            (std::vector<std::string>{"+a 200", "+b 210", "-b 220", "-a 220", "+d 250", "-d 500"}));
  EXPECT_EQ(count_of(*trace, "region-out-of-order"), 1u);
  EXPECT_EQ(count_of(*trace, "region-not-open"), 1u);
  EXPECT_EQ(count_of(*trace, "region-left-open"), 1u);
}

// The rank died in its region: it goes to the last that is known.
TEST(User, ARegionOfARankThatDiedEndsWithIt) {
  SpoolWriter writer = begun(0, 1);
  writer.name(1, "region", "solve");
  writer.say(Kind::region_begin, 1200, 1);
  writer.add("MPI_Comm_rank", 1290, 1300);
  const auto trace = loaded({writer});
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->ranks[0].user.regions.size(), 1u);
  EXPECT_EQ(trace->ranks[0].user.regions[0].leave_ns, 300000);
  EXPECT_EQ(count_of(*trace, "rank-ended-early"), 1u);
  EXPECT_EQ(count_of(*trace, "region-left-open"), 1u);
}

TEST(User, NamesThatAreNotDefinedOrOfAnotherUseAreCounted) {
  SpoolWriter writer = begun(0, 1);
  writer.name(1, "marker", "text");
  writer.name(2, "nonsense", "text");
  writer.say(Kind::region_begin, 1200, 1);
  writer.say(Kind::value_real, 1201, 2);
  writer.say(Kind::marker, 1202, 77);
  writer.say(Kind::marker, 1203, 1);
  writer.add("MPI_Finalize", 1400, 1500);
  writer.end(1600);
  const auto trace = loaded({writer});
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(count_of(*trace, "unknown-name"), 3u);
  EXPECT_EQ(count_of(*trace, "damaged-definition"), 1u);
  EXPECT_EQ(trace->ranks[0].user.markers.size(), 1u);
}

// The recorder writes bytes as characters of Latin-1: those that were UTF-8 come back, others stay Latin-1.
TEST(User, NamesOfOtherEncodings) {
  SpoolWriter writer = begun(0, 1);
  writer.name(1, "marker", "gr\u00c3\u00b6\u00c3\u009fe");  // the bytes of UTF-8
  writer.name(2, "marker", "gr\u00f6\u00dfe");              // the bytes of Latin-1
  for (const std::uint32_t id : {1u, 2u}) writer.say(Kind::marker, 1200 + id, id);
  writer.add("MPI_Finalize", 1400, 1500);
  writer.end(1600);
  const auto trace = loaded({writer});
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->user.texts, std::vector<std::string>{"gr\xc3\xb6\xc3\x9f"
                                                        "e"});
  EXPECT_EQ(trace->ranks[0].user.markers.size(), 2u);
  for (const char* text : {"\xc3\xb6", "\xe2\x82\xac", "\xf0\x9f\x98\x80", ""})
    EXPECT_TRUE(is_utf8(text)) << text;
  // a lone continuation, a character cut off, one that is too long, a surrogate, beyond Unicode
  for (const char* text :
       {"\x80", "\xe2\x82", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
    EXPECT_FALSE(is_utf8(text));
  EXPECT_EQ(as_utf8("a\x80z\xc3\xb6"), "a?z\xc3\xb6");
}

// Received 30 before it was sent: from the return of the receive on everything is 30 later, what the program
// said too.
TEST(User, CorrectedClocksMoveWhatWasSaidWithTheCalls) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 130, 140, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 50, 100, {message_action(ActionKind::recv, 0, 7, 8)});
  builder.trace().user = {{"solve", "after"}, {{"residual", "", false}}, {"half"}};
  UserEvents& user = builder.trace().ranks[1].user;
  user.regions = {{20, 120, 0, 0}, {200, 210, 1, 0}};
  user.values = {{40, 0, 0, 0}, {110, 0, 0, 0}};
  user.markers = {{300, 0, 0}};
  Trace trace = builder.matched();
  EXPECT_EQ(restore_causality(trace).violations, 1u);
  const UserEvents& moved = trace.ranks[1].user;
  EXPECT_EQ(moved.regions[0].enter_ns, 20);
  EXPECT_EQ(moved.regions[0].leave_ns, 150);
  EXPECT_EQ(moved.regions[1].enter_ns, 230);
  EXPECT_EQ(moved.values[0].at_ns, 40);
  EXPECT_EQ(moved.values[1].at_ns, 140);
  EXPECT_EQ(moved.markers[0].at_ns, 330);
}

}  // namespace
}  // namespace ww
