// Expectations: a part's answers are closed forms of hand-built traces; and whatever the trace, parts that
// follow one another in time, or share out the ranks, add up to the whole.
#include "analyze/selection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "analyze/random_trace_fixture.hpp"
#include "analyze/waiting.hpp"
#include "render/questions/question.hpp"

namespace ww {
namespace {

using nlohmann::json;
constexpr double ns = 1e-9;

// All that `report` says of a trace or of a part of it.
class Asked {
 public:
  explicit Asked(const Trace& trace)
      : trace_(trace),
        index_(trace),
        whole_(break_down(trace, nullptr)),
        waits_(find_waits(trace, nullptr)) {}

  json all() const { return answers(Part(trace_), whole_); }
  json of(const Selection& selection) const {
    const auto part = Part::of(trace_, index_, selection);
    EXPECT_TRUE(part) << to_string(part.error());
    return part ? answers(*part, break_down(*part, whole_, waits_)) : json();
  }
  Breakdown breakdown_of(const Selection& selection) const {
    return break_down(Part::of(trace_, index_, selection).value(), whole_, waits_);
  }
  Result<Part> part(const Selection& selection) const { return Part::of(trace_, index_, selection); }
  const Breakdown& whole() const { return whole_; }
  const Waits& waits() const { return waits_; }

 private:
  json answers(const Part& part, const Breakdown& breakdown) const {
    json all = to_json(breakdown, part);
    for (const Question* question : questions()) {
      if (question->wants_message) continue;
      const auto answer =
          question->answer({trace_, breakdown, waits_, std::nullopt, "", "", std::nullopt, part});
      EXPECT_TRUE(answer) << question->name;
      EXPECT_FALSE(answer->text.empty()) << question->name;
      all[question->key] = answer->json;
    }
    return all;
  }

  const Trace& trace_;
  TraceIndex index_;
  Breakdown whole_;
  Waits waits_;
};

// What does not add up: what is of the trace and not of a part, or is a mean, a maximum, a share or a place.
bool adds_up(const std::string& key) {
  static const std::set<std::string> not_these{"unmatched_sends",
                                               "unmatched_receives",
                                               "wildcard_receives",
                                               "events",
                                               "clock",
                                               "causes",
                                               "diagnostics",
                                               "selection",
                                               "balance",
                                               "pop",
                                               "over_time",
                                               "bin_s",
                                               "utilisation",
                                               "processor",
                                               "without_core",
                                               "waiting",
                                               "outgoing",
                                               "unexpected",
                                               "ratio",
                                               "service_ratio",
                                               "messages_per_compute_s",
                                               "bytes_per_compute_s",
                                               "elapsed_without_network_s",
                                               "calls_not_followed",
                                               "compute_share",
                                               "share",
                                               "parts",
                                               "parts_omitted",
                                               "first",
                                               "last",
                                               "first_s",
                                               "last_s",
                                               "least",
                                               "most",
                                               "mean",
                                               "bytes_per_s",
                                               "smallest_bytes",
                                               "largest_bytes",
                                               "to_bytes",
                                               "to_s",
                                               "mean_over_time",
                                               "maximum_over_time"};
  if (not_these.contains(key)) return false;
  for (const char* statistic : {"mean_", "median_", "p95_", "least_", "most_"})
    if (key.starts_with(statistic)) return false;
  if (key.ends_with("_a_second")) return false;
  return true;
}

// Of a list's element: what tells it from the others.
std::string name_of(const json& element) {
  std::string name;
  for (const char* key :
       {"rank", "source", "destination", "waited_for", "call", "operation", "communicator", "tag", "region",
        "name", "text", "window", "target", "from_bytes", "from_s", "end", "at_s"})
    if (element.contains(key) && !element[key].is_structured()) name += element[key].dump() + " ";
  return name;
}

void sum_up(const json& value, const std::string& path, std::map<std::string, double>& sums) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      if (adds_up(key)) sum_up(member, path + "/" + key, sums);
  } else if (value.is_array()) {
    for (const json& element : value) {
      const std::string name = path + "/" + name_of(element);
      sums[name + "#"] += 1;
      if (element.is_object())
        for (const auto& [key, member] : element.items())
          if (adds_up(key) && name_of({{key, member}}).empty()) sum_up(member, name + "/" + key, sums);
    }
  } else if (value.is_number()) {
    sums[path] += value.get<double>();
  }
}

using Sums = std::map<std::string, double>;

void expect_the_whole(const Asked& asked, const std::vector<Selection>& parts, bool by_rank,
                      const std::string& which) {
  Sums whole, sum;
  sum_up(asked.all(), "", whole);
  for (const Selection& part : parts) sum_up(asked.of(part), "", sum);
  bool clocks_disagree = false;  // then follow_delays moves between network and algorithm, by rank
  for (const Delays::Rank& rank : asked.whole().delays.ranks) clocks_disagree |= rank.network_ns == 0;
  std::set<std::string> paths;
  for (const auto& [path, value] : whole) paths.insert(path);
  for (const auto& [path, value] : sum) paths.insert(path);
  for (const std::string& path : paths) {
    const auto ends = [&](const char* end) { return path.ends_with(end); };
    // A list has an element in each part that has some of it, but the unmatched ones are in one part.
    if (ends("#") && !path.starts_with("/unmatched")) continue;
    if (clocks_disagree && path.find("blocked_by_") != std::string::npos) continue;
    if (by_rank && (path == "/elapsed_s" || path == "/delays/elapsed_s" || path == "/throughput/elapsed_s" ||
                    ends("/active_s")))
      continue;
    EXPECT_NEAR(sum[path], whole[path], 1e-12 + 1e-12 * std::fabs(whole[path])) << path << " of " << which;
  }
}

// What random traces of the fixture do not have. With `threads`, calls overlap.
Trace fuller(unsigned seed) {
  Trace trace = random_trace(seed);
  std::mt19937 random(seed + 1000);
  const auto pick = [&](std::size_t most) { return static_cast<std::uint32_t>(random() % most); };
  const bool threads = seed % 2 == 1;
  trace.user.regions = {"outer", "inner"};
  trace.user.values = {{"residual", "", false}};
  trace.user.texts = {"half"};
  trace.one_sided.windows = {{"w", 0}};
  trace.one_sided.ranks.resize(trace.ranks.size());
  trace.file_io.files = {"f"};
  trace.file_io.handles = {{0, 0}};
  trace.file_io.ranks.resize(trace.ranks.size());
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    RankTrace& rank = trace.ranks[r];
    for (std::uint32_t call = 0; call < rank.calls(); ++call) {
      if (threads) {
        rank.thread.push_back(pick(3));
        if (pick(4) == 0) rank.leave_ns[call] += pick(1000);
      }
      if (pick(4) == 0)
        trace.one_sided.ranks[r].transfers.push_back({call, call, call, 0,
                                                      static_cast<std::int32_t>(pick(trace.ranks.size())),
                                                      TransferKind::get, 8, 16});
      if (pick(4) == 0) trace.one_sided.ranks[r].syncs.push_back({call, 0, -1, SyncKind::fence});
      if (pick(4) == 0 && call + 5 < rank.calls()) {
        FileOperation operation;
        operation.call = call;
        operation.done_call = call + pick(5);
        operation.bytes = operation.bytes_wanted = pick(100);
        trace.file_io.ranks[r].operations.push_back(operation);
      }
    }
    const auto at = [&] { return static_cast<std::int64_t>(pick(20000)); };
    for (int i = 0; i < 20; ++i) {
      rank.user.values.push_back({at(), 0, 0, std::bit_cast<std::uint64_t>(1.0 * i)});
      rank.user.markers.push_back({at(), 0, 0});
    }
    const auto by_time = [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; };
    std::sort(rank.user.values.begin(), rank.user.values.end(), by_time);
    std::sort(rank.user.markers.begin(), rank.user.markers.end(), by_time);
    // Between calls, as a program can mark them.
    if (!threads && rank.calls() > 40)
      rank.user.regions = {{rank.leave_ns[2], rank.enter_ns[38], 0, 0},
                           {rank.leave_ns[10], rank.enter_ns[20], 1, 0}};
  }
  match(trace);
  return trace;
}

TEST(Selection, PartsAddUpToTheWholeInEveryQuestion) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Trace trace = fuller(seed);
    const Asked asked(trace);
    const std::int64_t elapsed = trace.end_ns() - trace.begin_ns();
    if (elapsed < 10) continue;
    std::mt19937 random(seed);
    std::set<std::int64_t> cuts;
    const RankTrace& first = trace.ranks[0];
    for (int i = 0; i < 3; ++i) {
      cuts.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(elapsed)));
      cuts.insert(first.enter_ns[random() % first.calls()] - trace.begin_ns());  // where something begins
      cuts.insert(first.leave_ns[random() % first.calls()] - trace.begin_ns());
    }
    std::erase_if(cuts, [&](std::int64_t cut) { return cut <= 0 || cut >= elapsed; });
    std::vector<Selection> spans(1);
    for (const std::int64_t cut : cuts) {
      spans.back().to_s = static_cast<double>(cut) * ns;
      spans.emplace_back().from_s = static_cast<double>(cut) * ns;
    }
    expect_the_whole(asked, spans, false, "spans of " + std::to_string(seed));
    std::vector<Selection> ranks;
    for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) ranks.emplace_back().ranks = {{r, r}};
    expect_the_whole(asked, ranks, true, "ranks of " + std::to_string(seed));
    if (testing::Test::HasFailure()) return;
  }
}

// Queues are means over time: times the length of the span they add up.
TEST(Selection, QueuesOfSpansAddUpToTheWholeAndTheirMostIsItsMost) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Trace trace = random_trace(seed);
    const Asked asked(trace);
    const double elapsed_s = trace.elapsed_s(), middle_s = std::floor(elapsed_s / 3 / ns) * ns;
    if (middle_s <= 0) continue;
    Selection early, late;
    early.to_s = late.from_s = middle_s;
    const json all = asked.all()["queues"]["ranks"], first = asked.of(early)["queues"]["ranks"],
               then = asked.of(late)["queues"]["ranks"];
    for (std::size_t r = 0; r < all.size(); ++r)
      for (const char* queue : {"waiting", "outgoing", "unexpected"}) {
        const auto of = [&](const json& part, const char* key) { return part[r][queue][key].get<double>(); };
        EXPECT_NEAR(of(all, "mean") * elapsed_s,
                    of(first, "mean") * middle_s + of(then, "mean") * (elapsed_s - middle_s), 1e-12);
        EXPECT_EQ(of(all, "maximum"), std::max(of(first, "maximum"), of(then, "maximum"))) << seed;
      }
  }
}

// Calls and threads share out what is in calls; what is outside of all is in each.
TEST(Selection, CallsAndThreadsAddUpToTheTimeInCalls) {
  for (unsigned seed = 1; seed < 21; ++seed) {
    const Trace trace = fuller(seed);
    const Asked asked(trace);
    const auto expect = [&](const std::vector<Selection>& parts) {
      for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
        double library_s = 0, blocked_s = 0;
        for (const Selection& part : parts) {
          const RankBreakdown rank = asked.breakdown_of(part).ranks[r];
          library_s += rank.library_s;
          blocked_s += rank.blocked_s;
          EXPECT_NEAR(rank.elapsed_s, rank.compute_s + rank.library_s + rank.blocked_s + rank.elsewhere_s,
                      1e-12);
          EXPECT_NEAR(rank.compute_s, asked.whole().ranks[r].compute_s, 1e-12);
        }
        EXPECT_NEAR(library_s, asked.whole().ranks[r].library_s, 1e-12) << seed;
        EXPECT_NEAR(blocked_s, asked.whole().ranks[r].blocked_s, 1e-12) << seed;
      }
    };
    std::vector<Selection> classes;
    for (const char* one : {"p2p", "collective", "communicator", "one-sided", "io", "other"})
      classes.emplace_back().calls = {one};
    expect(classes);
    if (seed % 2 == 0) continue;
    std::vector<Selection> threads;
    for (std::uint32_t t = 0; t < 3; ++t) threads.emplace_back().threads = {{t, t}};
    expect(threads);
  }
}

// A receive from 100 to 700 whose send begins at 600: 500 of it are algorithmic, 100 service (no call of that
// kind did not wait). The cause lies outside of the spans that end before 600.
class LateSender : public testing::Test {
 protected:
  static Trace make() {
    TraceBuilder builder(2, 1000);
    builder.call(0, "MPI_Send", 600, 620, {message_action(ActionKind::send, 1, 7, 8)});
    builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 7, 8)});
    return builder.matched();
  }
  static Selection span(double from, double to) {
    Selection selection;
    selection.from_s = from * ns;
    selection.to_s = to * ns;
    return selection;
  }
  const Trace trace_ = make();
  const Asked asked_{trace_};
};

TEST_F(LateSender, WaitsAreFoundOnTheWholeAndCutToTheSpan) {
  const RankBreakdown early = asked_.breakdown_of(span(0, 300)).ranks[1];
  EXPECT_NEAR(early.blocked_algorithmic_s, 200 * ns, 1e-15);
  EXPECT_NEAR(early.blocked_service_s, 0, 1e-15);
  EXPECT_NEAR(early.compute_s, 100 * ns, 1e-15);
  const RankBreakdown late = asked_.breakdown_of(span(550, 650)).ranks[1];
  EXPECT_NEAR(late.blocked_algorithmic_s, 50 * ns, 1e-15);
  EXPECT_NEAR(late.blocked_service_s, 50 * ns, 1e-15);
  EXPECT_EQ(late.compute_s, 0);
}

TEST_F(LateSender, EveryQuestionAnswersForTheSpan) {
  const json early = asked_.of(span(200, 300)), late = asked_.of(span(590, 800));
  EXPECT_EQ(early["waits"]["calls"]["MPI_Recv"]["calls"], 0) << "it began before";
  EXPECT_NEAR(early["waits"]["waited_for"][0]["blocked_algorithmic_s"].get<double>(), 100 * ns, 1e-15);
  EXPECT_NEAR(early["utilisation"]["ranks"][1]["idle_s"].get<double>(), 100 * ns, 1e-15);
  EXPECT_EQ(early["messages"]["all"]["messages"], 0);
  EXPECT_EQ(late["messages"]["all"]["messages"], 1);
  EXPECT_EQ(late["sent"]["pairs"][0]["bytes"], 8);
  EXPECT_NEAR(late["queues"]["ranks"][1]["waiting"]["mean"].get<double>(), 100.0 / 210, 1e-9);
  EXPECT_EQ(early["queues"]["ranks"][1]["messages"], 0);
  // The run's path: rank 1 from its end back to 600, then the sender's computation.
  EXPECT_NEAR(early["critical_path"]["length_s"].get<double>(), 100 * ns, 1e-15);
  EXPECT_EQ(early["critical_path"]["ranks"][0]["rank"], 0);
  EXPECT_TRUE(early["delays"]["elapsed_without_network_s"].is_null());
  EXPECT_TRUE(early["pop"]["ideal_s"].is_null());
  EXPECT_NEAR(early["pop"]["elapsed_s"].get<double>(), 100 * ns, 1e-15);
}

TEST_F(LateSender, RanksPeersAndCallsRestrict) {
  Selection selection;
  selection.ranks = {{1, 1}};
  const json of_rank = asked_.of(selection);
  ASSERT_EQ(of_rank["ranks"].size(), 1u);
  EXPECT_EQ(of_rank["ranks"][0]["rank"], 1);
  EXPECT_EQ(of_rank["balance"]["compute"]["most_rank"], 1);
  EXPECT_EQ(of_rank["queues"]["ranks"][0]["messages"], 1) << "it came to this rank";
  EXPECT_TRUE(of_rank["sent"]["pairs"].empty());
  selection = {};
  selection.calls = {"MPI_Send"};
  const RankBreakdown receiver = asked_.breakdown_of(selection).ranks[1];
  EXPECT_NEAR(receiver.elsewhere_s, 600 * ns, 1e-15);
  EXPECT_NEAR(receiver.compute_s, 400 * ns, 1e-15);
  EXPECT_EQ(receiver.blocked_s, 0);
  selection = {};
  selection.peers = {{0, 0}};
  const json of_peer = asked_.of(selection);
  EXPECT_TRUE(of_peer["sent"]["pairs"].empty()) << "nobody sends to rank 0";
  EXPECT_NEAR(of_peer["ranks"][1]["blocked_s"].get<double>(), 600 * ns, 1e-15);
  EXPECT_EQ(of_peer["ranks"][1]["messages_received"], 1);
}

TEST_F(LateSender, WhatIsWrongIsSaidWithARemedy) {
  const auto error_of = [&](const Selection& selection) {
    const auto part = asked_.part(selection);
    EXPECT_FALSE(part);
    return part ? std::string() : to_string(part.error());
  };
  const auto has = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  EXPECT_TRUE(has(error_of(span(300, 200)), "exchange --from and --to"));
  EXPECT_TRUE(has(error_of(span(300, 300)), "empty"));
  EXPECT_TRUE(has(error_of(span(300, 300.2)), "nanosecond"));
  EXPECT_TRUE(has(error_of(span(1000, 2000)), "it took 1.00 us"));
  Selection selection;
  selection.ranks = {{0, 0}, {1, 4000000000u}};
  EXPECT_TRUE(has(error_of(selection), "it has ranks 0 to 1"));
  selection = {};
  selection.threads = {{1, 1}};
  EXPECT_TRUE(has(error_of(selection), "it has thread 0 only"));
  selection = {};
  selection.calls = {"MPI_Rcv"};
  EXPECT_TRUE(has(error_of(selection), "do you mean MPI_Recv?"));
  selection.calls = {"collective"};
  EXPECT_TRUE(asked_.part(selection)) << "a class of which the trace has no call";
}

// Calls by other names than MPI's are of the classes that their recorder told: those of LateSender.
TEST(Selection, ClassesGoByWhatTheRecorderTold) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "out", 600, 620, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "in", 100, 700, {message_action(ActionKind::recv, 0, 7, 8)});
  builder.trace().meanings = {{CallRole::p2p}, {CallRole::p2p}};
  const Trace trace = builder.matched();
  const Asked asked(trace);
  Selection selection;
  selection.calls = {"p2p"};
  const RankBreakdown of_messages = asked.breakdown_of(selection).ranks[1];
  EXPECT_EQ(of_messages.elsewhere_s, 0);
  EXPECT_NEAR(of_messages.blocked_s, 600 * ns, 1e-15);
  selection.calls = {"other"};
  EXPECT_NEAR(asked.breakdown_of(selection).ranks[1].elsewhere_s, 600 * ns, 1e-15);
}

TEST(Selection, ListsOfNumbers) {
  const auto text = [](const char* list) {
    const auto numbers = parse_numbers(list);
    Selection selection;
    if (numbers) selection.ranks = *numbers;
    return numbers ? describe(selection) : to_string(numbers.error());
  };
  EXPECT_EQ(text("0-3,7"), "ranks 0-3,7");
  EXPECT_EQ(text("5"), "ranks 5");
  for (const char* wrong : {"", ",", "1,", "-1", "1-", "a", "1-2-3", "4294967296", " 1", "3-1"})
    EXPECT_FALSE(parse_numbers(wrong)) << wrong;
}

}  // namespace
}  // namespace ww
