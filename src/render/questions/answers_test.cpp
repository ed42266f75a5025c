// Expected values are those that each hand-built trace is made of.
#include <gtest/gtest.h>

#include "render/questions/questions.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

// Who waits polls: what the processor did is said apart, from what the kernel counted: 0.3 and 0.9 of 1 s
// each had one, and 0.7 and 0.1 waited for it.
TEST(Utilisation, DoesNotCallPollingBusyProcessors) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 600, 620, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 7, 8)});
  Trace trace = builder.matched();
  const Waits waits = find_waits(trace, nullptr);
  const Breakdown breakdown = break_down(trace, nullptr);
  const auto answer = [&] {
    return utilisation_question.answer({trace, breakdown, waits, std::nullopt, "", "", std::nullopt});
  };
  EXPECT_EQ(answer()->text.find("usy"), std::string::npos) << answer()->text;
  for (const double cpu_s : {0.3, 0.9}) {
    RunRecord::Rank rank;
    rank.elapsed_s = 1;
    rank.cpu_s = cpu_s;
    rank.waited_s = 1 - cpu_s;
    trace.run.ranks.push_back(rank);
  }
  EXPECT_NE(answer()->text.find("processors: busy for 60.0% of it with the program and with MPI, polling for "
                                "messages included; ready but without one 40.0%"),
            std::string::npos)
      << answer()->text;
  EXPECT_DOUBLE_EQ(answer()->json["processor"].get<double>(), 0.6);
}

// first-use.md, W9.
TEST(Sent, CountsCollectivesApartFromMessages) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Gather", 10, 20, {collective_action(32768, 0, 1)});
  builder.call(1, "MPI_Gather", 10, 20, {collective_action(32768, 65536, 1)});
  builder.call(0, "MPI_Send", 30, 40, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 30, 40, {message_action(ActionKind::recv, 0, 7, 8)});
  for (std::size_t r = 0; r < 2; ++r) builder.call(r, "MPI_Allreduce", 50, 60, {collective_action(8, 8)});
  const Trace trace = builder.matched();
  const Breakdown breakdown = break_down(trace, nullptr);
  const auto answer = sent_question.answer({trace, breakdown, {}, std::nullopt, "", "", std::nullopt});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->json["pairs"],
            nlohmann::json::parse(R"([{"source":0,"destination":1,"messages":1,"bytes":8,
                                       "collective_bytes":32768},
                                      {"source":1,"destination":1,"messages":0,"bytes":0,
                                       "collective_bytes":32768}])"));
  EXPECT_EQ(answer->json["combined_bytes"], 16);
  EXPECT_NE(answer->text.find("belongs to no pair"), std::string::npos);
  const nlohmann::json json = to_json(breakdown, trace);
  EXPECT_EQ(json["ranks"][0]["collective_bytes_sent"], 32768);
  EXPECT_EQ(json["ranks"][1]["collective_bytes_received"], 32768);
  EXPECT_EQ(json["ranks"][1]["collective_bytes_sent"], 0) << "a part for itself is sent to nobody";
  EXPECT_EQ(json["ranks"][0]["bytes_sent"], 8);
}

// 4 calls, 1 message of 8 bytes and a gather of 32 KiB by rank 0, 2 regions by rank 1, in 1000 ns.
TEST(Throughput, IsWhatWasDoneASecond) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Gather", 10, 20, {collective_action(32768, 0, 1)});
  builder.call(1, "MPI_Gather", 10, 20, {collective_action(32768, 65536, 1)});
  builder.call(0, "MPI_Send", 30, 40, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 30, 40, {message_action(ActionKind::recv, 0, 7, 8)});
  Trace trace = builder.matched();
  trace.user.regions = {"solve"};
  for (const std::int64_t at_ns : {100, 500})
    trace.ranks[1].user.regions.push_back({trace.begin_ns() + at_ns, trace.begin_ns() + at_ns + 50, 0, 0});
  const Breakdown breakdown = break_down(trace, nullptr);
  const auto json =
      throughput_question.answer({trace, breakdown, {}, std::nullopt, "", "", std::nullopt})->json;
  EXPECT_EQ(json["calls"], 4);
  EXPECT_DOUBLE_EQ(json["calls_a_second"].get<double>(), 4e6);
  EXPECT_DOUBLE_EQ(json["messages_a_second"].get<double>(), 1e6);
  EXPECT_DOUBLE_EQ(json["ranks"][0]["bytes_a_second"].get<double>(), (32768 + 8) * 1e6);
  EXPECT_DOUBLE_EQ(json["ranks"][1]["regions_a_second"].get<double>(), 2e6);
  EXPECT_EQ(json["ranks"][0]["regions"], 0);
}

// As the run and its values say it; what is not known is null, and not 0.
TEST(Memory, IsWhatTheRunSays) {
  Trace trace = TraceBuilder(2, 1000).matched();
  RunRecord::Rank of;
  of.rank = 1;
  of.memory = {4e6, 1e6, 2e5, 49152, 4096 + 480};
  trace.run.ranks.push_back(of);
  trace.user.values = {{"memory: private", "bytes", true}, {"memory: private", "", true}};
  const auto say = [&](std::uint32_t name, std::int64_t value) {
    trace.ranks[1].user.values.push_back(
        {trace.begin_ns() + 10, name, 1, std::bit_cast<std::uint64_t>(value)});
  };
  say(0, 1000), say(0, 3000), say(0, 2000);
  say(1, 9999);  // the program's own of that name
  const Breakdown breakdown = break_down(trace, nullptr);
  const auto answer = memory_question.answer({trace, breakdown, {}, std::nullopt, "", "", std::nullopt});
  const nlohmann::json& ranks = answer->json["ranks"];
  ASSERT_EQ(ranks.size(), 1u);
  EXPECT_EQ(ranks[0]["rank"], 1);
  EXPECT_EQ(ranks[0]["peak_bytes"], 4e6);
  EXPECT_EQ(ranks[0]["spools_bytes"], 4576);
  EXPECT_EQ(ranks[0]["private_most_bytes"], 3000);
  EXPECT_TRUE(ranks[0]["shared_most_bytes"].is_null());
}

// Every question answers every trace, also one without ranks or messages, in text and JSON.
TEST(Questions, AnswerWhatIsEmpty) {
  for (const Trace& trace : {Trace{}, TraceBuilder(2, 0).matched(), TraceBuilder(1, 1000).matched()}) {
    const Breakdown breakdown = break_down(trace, nullptr);
    const auto waits = find_waits(trace, nullptr);
    for (const Question* question : questions()) {
      if (question->wants_message) continue;
      const auto answer = question->answer({trace, breakdown, waits, std::nullopt, "", "", 0.5});
      ASSERT_TRUE(answer) << question->name;
      EXPECT_FALSE(answer->text.empty()) << question->name;
      EXPECT_EQ(answer->json.dump().find("nan"), std::string::npos) << question->name;
    }
  }
}

// What there is nothing of is said in one line, without the head of a table.
TEST(Questions, SayWhatATraceHasNothingOf) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Barrier", 100, 200);
  builder.call(1, "MPI_Barrier", 100, 200);
  const Trace trace = builder.matched();
  const Breakdown breakdown = break_down(trace, nullptr);
  const auto waits = find_waits(trace, nullptr);
  for (const Question* question : {&messages_question, &queues_question, &regions_question, &values_question,
                                   &one_sided_question, &files_question}) {
    const auto answer = question->answer({trace, breakdown, waits, std::nullopt, "", "", {}});
    ASSERT_TRUE(answer) << question->name;
    EXPECT_EQ(std::count(answer->text.begin(), answer->text.end(), '\n'), 1) << answer->text;
    EXPECT_TRUE(answer->text.starts_with("no ") || answer->text.starts_with("the trace has no "))
        << answer->text;
  }
}

}  // namespace
}  // namespace ww
