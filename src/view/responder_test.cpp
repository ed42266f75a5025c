// What is answered is held to what the stages themselves say of the same trace.
#include "view/responder.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "render/questions/question.hpp"
#include "simulate/predicted_run.hpp"
#include "simulate/simulate.hpp"
#include "view/resources/resource.hpp"
#include "view/responder_fixture.hpp"

namespace ww::view {
namespace {

using nlohmann::json;

const MachineModel& comet() {
  static const MachineModel model = *find_preset("comet");
  return model;
}

TEST(Responder, ReportIsThatOfTheCommand) {
  Answering answering;
  const Breakdown whole = break_down(answering.trace(), &comet());
  EXPECT_EQ(answering.json("data/0/report"), to_json(whole, Part(answering.trace())));
  const TraceIndex index(answering.trace());
  Selection selection;
  selection.ranks = {{1, 1}};
  selection.to_s = 500e-6;
  const Part part = Part::of(answering.trace(), index, selection).value();
  const Breakdown of_part = break_down(part, whole, find_waits(answering.trace(), &comet()));
  EXPECT_EQ(answering.json("data/0/report", "ranks=1&to_ns=500000"), to_json(of_part, part));
  // What lies before the program belongs to a span from its begin.
  EXPECT_EQ(answering.json("data/0/report", "from_ns=-5000&ranks=1&to_ns=500000"), to_json(of_part, part));
}

TEST(Responder, AnswersEveryQuestionAsTheCommandDoes) {
  Answering answering;
  const Trace& trace = answering.trace();
  const Breakdown whole = break_down(trace, &comet());
  const Waits waits = find_waits(trace, &comet());
  for (const Question* question : questions()) {
    if (question->wants_ideal) continue;  // a replay: by the end-to-end test
    const std::string message = question->wants_message ? "0" : "";
    const Given given{trace, whole, waits, std::nullopt, "", message, std::nullopt, Part(trace)};
    const auto expected = question->answer(given);
    const std::string query = std::string("question=") + question->name + "&message=" + message;
    const Response response = answering.ask("data/0/ask", query);
    if (!expected) {
      EXPECT_EQ(response.status, 409) << question->name;
      continue;
    }
    EXPECT_EQ(response.status, 200) << question->name << *response.body;
    EXPECT_EQ(json::parse(*response.body), json::parse(expected->json.dump())) << question->name;
  }
}

TEST(Responder, FirstNamesTheCausesOfTheReportWithTheirPlaces) {
  Answering answering;
  const Breakdown whole = break_down(answering.trace(), &comet());
  const json first = answering.json("data/0/first");
  ASSERT_EQ(first["causes"].size(), whole.causes.size());
  ASSERT_FALSE(whole.causes.empty());
  for (std::size_t i = 0; i < whole.causes.size(); ++i) {
    EXPECT_EQ(first["causes"][i]["text"], whole.causes[i].sentence + ".");
    EXPECT_EQ(first["causes"][i]["s"], whole.causes[i].time_s);
  }
  // The fixture: rank 1 enters its first receive at 10 us, and leaves its last at 964 us, ten times for rank 0.
  const json& link = first["causes"][0]["link"];
  EXPECT_EQ(link["calls"], "MPI_Recv");
  EXPECT_EQ(link["ranks"], "0-1");
  EXPECT_EQ(link["from_ns"], 10'000);
  EXPECT_EQ(link["to_ns"], 964'000);
  EXPECT_EQ(first["causes"][0]["longest"]["rank"], 1);
  EXPECT_EQ(first["causes"][0]["waiting"], 1);  // rank 0 is waited for
  EXPECT_FALSE(first.contains("disturbed"));
}

TEST(Responder, FirstSaysWhereRanksDidNotHaveTheirCores) {
  Answering answering;
  Trace crowded = answering.trace();
  crowded.diagnostics.add("oversubscribed", "4 ranks on 2 cores");
  answering.traces().add(
      std::make_shared<OpenTrace>(TraceOrigin{TraceOrigin::Kind::recorded, "crowded", "none.ww", "", -1},
                                  std::make_shared<const Trace>(std::move(crowded)), nullptr));
  EXPECT_EQ(answering.json("data/1/first")["disturbed"], true);
}

TEST(Responder, DescribesTheTrace) {
  Answering answering;
  const json facts = answering.json("data/0/trace");
  EXPECT_EQ(facts["kind"], "recorded");
  EXPECT_EQ(facts["calls"], 40);
  EXPECT_EQ(facts["messages"], 10);
  EXPECT_EQ(facts["collectives"], 10);
  EXPECT_EQ(facts["span_ns"], json({0, 1'000'000}));
  EXPECT_EQ(facts["user_regions"], json({hostile_name}));
  EXPECT_EQ(facts["communicators"][0]["ranks"], 2);  // all: their number
  ASSERT_GE(facts["keys"].size(), 3u);
  EXPECT_EQ(facts["keys"][0]["part"], "outside");
  EXPECT_EQ(facts["keys"][1]["state"], "computing");
  for (const json& key : facts["keys"])
    if (key["part"] == "algorithmic") {
      EXPECT_EQ(key["state"], "idle");
    }
}

TEST(Responder, NothingOfATraceIsMarkup) {
  Answering answering;
  for (const char* path : {"data/traces", "data/0/trace"}) {
    const Response response = answering.ask(path);
    EXPECT_EQ(response.content_type, "application/json");
    EXPECT_TRUE(json::accept(*response.body));
  }
  EXPECT_EQ(answering.json("data/0/find", "text=ONERROR")["found"].size(),
            4u);  // host, communicator, region, marker
}

TEST(Responder, FindsWhereThingsAreFirst) {
  Answering answering;
  const json found = answering.json("data/0/find", "text=recv")["found"];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["from_ns"], 10'000);
  EXPECT_EQ(found[0]["count"], 10);
  EXPECT_EQ(answering.json("data/0/find", "text=resid")["found"][0]["kind"], "value");
  const json few = answering.json("data/0/find", "text=i&limit=1");
  EXPECT_EQ(few["found"].size(), 1u);
  EXPECT_GT(few["left_out"], 0);
}

TEST(Responder, RefusesWithARemedy) {
  Answering answering;
  const auto refused = [&](const char* path, const char* query, int status, const std::string& remedy) {
    const Response response = answering.ask(path, query);
    EXPECT_EQ(response.status, status) << path << query;
    const json json = json::parse(*response.body);
    EXPECT_FALSE(json["error"].get<std::string>().empty());
    EXPECT_NE(json["remedy"].get<std::string>().find(remedy), std::string::npos) << json;
  };
  refused("data/0/reprot", "", 404, "data/N/report");
  refused("data/9/report", "", 404, "data/traces");
  refused("data/-1/report", "", 404, "data/traces");
  refused("../etc/passwd", "", 404, "data/traces");
  refused("data/0/report", "rank=0", 400, "ranks");
  refused("data/0/report", "ranks=0&ranks=1", 400, "once");
  refused("data/0/report", "ranks=%zz", 400, "UTF-8");
  refused("data/0/report", "ranks=%ff", 400, "UTF-8");
  refused("data/0/report", "ranks=7", 400, "0 to 1");
  refused("data/0/report", "from_ns=5&to_ns=5", 400, "end after");
  refused("data/0/report", "from_ns=nan", 400, "nanoseconds");
  refused("data/0/report", "from_ns=99999999999", 400, "within");
  refused("data/0/report", "calls=MPI_Sned", 400, "MPI_Send");
  refused("data/0/ask", "question=waitz", 400, "waits");
  refused("data/0/ask", "question=message", 400, "number");
  refused("data/0/find", "", 400, "text=");
  refused("data/0/find", "text=a&limit=0", 400, "from 1");
  refused("data/0/predict", "what_if=machine=/etc/passwd", 400, "--machine");
  refused("data/0/predict", "machine=/etc/passwd", 400, "--machine");
  refused("data/0/predict", "what_if=bandwith=x2", 400, "bandwidth");
  refused("data/0/curves", "what_if=machine=/etc/passwd", 400, "--machine");
  refused("data/0/scenarios", "what_ifs=latency=x2;bandwith=x2", 400, "bandwidth");
  refused("data/0/scenarios", "what_ifs=a;b;c;d;e;f;g;h;i;j;k;l;m", 400, "bandwidth");
  refused("data/0/machine", "machine=/etc/passwd", 400, "--machine");
  refused("data/0/live", "", 409, "as a trace");
}

TEST(Responder, APredictionBecomesATrace) {
  Answering answering;
  const auto expected =
      predict_all(answering.trace(), comet(), {parse_what_if("latency=x2").value()}, {.interval = false});
  ASSERT_TRUE(expected) << to_string(expected.error());
  const json told = answering.json("data/0/predict", "what_if=latency=x2&quick=1");
  EXPECT_EQ(told["predicted_s"], expected->front().predicted_s);
  const int number = told["trace"];
  EXPECT_EQ(number, 1);
  EXPECT_EQ(answering.json("data/0/predict", "quick=1&what_if=latency=x2")["trace"], 1);  // is there still
  const json facts = answering.json("data/1/trace");
  EXPECT_EQ(facts["kind"], "predicted");
  EXPECT_NEAR(facts["elapsed_s"].get<double>(), expected->front().predicted_s, 1e-9);
  EXPECT_EQ(answering.ask("data/1/predict").status, 409);
  // It is what `simulate -o` writes, and the recording stays what it was.
  const Trace& recorded = answering.trace();
  simulate::RunNotes notes(recorded.ranks.size(), recorded.messages.size());
  const auto noted = predict_all(recorded, comet(), {parse_what_if("latency=x2").value()},
                                 {.interval = false, .observer = &notes});
  const Trace written = simulate::predicted_trace(recorded, notes, noted->front().simulated);
  EXPECT_EQ(answering.json("data/1/report"), to_json(break_down(written, &comet()), Part(written)));
  EXPECT_EQ(answering.json("data/0/report"), to_json(break_down(late_sender(), &comet()), Part(recorded)));
  // No more than so many are kept, and of those the ones that are looked at.
  for (std::size_t i = 0; i < OpenTraces::most_predicted; ++i) {
    answering.ask("data/0/predict", "what_if=latency=x" + std::to_string(i + 3));
    EXPECT_EQ(answering.ask("data/1/report").status, 200) << i;
  }
  EXPECT_EQ(answering.traces().all().size(), 1 + OpenTraces::most_predicted);
  EXPECT_EQ(answering.ask("data/2/report").status, 404);
}

// Where a slider passed is soon forgotten, but for what is looked at.
TEST(Responder, KeepsFewPlacesThatASliderPassed) {
  Answering answering;
  answering.ask("data/0/predict", "what_if=latency=x2");
  json shown;
  for (std::size_t i = 0; i < 2 * OpenTraces::most_passing; ++i) {
    const std::string latency = "quick=1&what_if=latency=x" + std::to_string(i + 3);
    const json told = answering.json("data/0/predict", latency);
    const int number = told["trace"];
    shown = answering.json("data/" + std::to_string(number) + "/trace");
    // The memory of one that is gone is another's, of which nothing is left.
    EXPECT_NEAR(shown["elapsed_s"].get<double>(), told["predicted_s"].get<double>(), 1e-9);
    EXPECT_EQ(answering.ask("data/" + std::to_string(number) + "/calls", "from_ns=0&to_ns=1e9").status, 200);
  }
  EXPECT_EQ(answering.traces().all().size(), 2 + OpenTraces::most_passing);
  EXPECT_EQ(answering.ask("data/1/trace").status, 200);  // for which the slider was let go
  EXPECT_EQ(answering.ask("data/2/trace").status, 404);
}

// What nobody waits for ends as cancelled, whichever of the long ones it is, and is not kept as an answer.
TEST(Responder, GivesUpWhatNobodyWaitsFor) {
  Answering answering;
  const auto gone = std::make_shared<Cancellation>();
  gone->cancel();
  for (const auto& [path, query] :
       std::vector<std::pair<std::string, std::string>>{{"data/0/predict", "what_if=latency=x2"},
                                                        {"data/0/predict", "what_if=latency=x2&quick=1"},
                                                        {"data/0/report", "from_ns=0&to_ns=500000"},
                                                        {"data/0/series", "measure=compute"},
                                                        {"data/0/jump", "what=longest-wait"}}) {
    const Response given_up = answering.responder().answer({path, query, gone});
    EXPECT_EQ(given_up.status, 409) << path << " " << *given_up.body;
    EXPECT_EQ(answering.ask(path, query).status, 200) << path;
  }
  const auto stopped = std::make_shared<Cancellation>();
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stopped->cancel();
  });
  const auto begin = std::chrono::steady_clock::now();
  const Response endless = answering.responder().answer(
      {"data/0/query", "sql=SELECT+count(*)+FROM+calls+a,calls+b,calls+c,calls+d,calls+e,calls+f", stopped});
  later.join();
  EXPECT_EQ(endless.status, 409) << *endless.body;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));  // 5 s are given otherwise
}

TEST(Responder, GuestsOnlyLook) {
  Answering answering(true);
  EXPECT_EQ(answering.ask("data/0/report").status, 200);
  for (const Resource* resource : resources())
    if (!resource->guests) {
      EXPECT_EQ(answering.ask(std::string("data/0/") + resource->name).status, 403) << resource->name;
    }
  EXPECT_EQ(answering.ask("data/0/predict", "what_if=latency=x2").status, 403);
  EXPECT_EQ(answering.ask("data/0/query", "sql=SELECT+1").status, 403);
}

TEST(Responder, SaysHowToGiveAModel) {
  Answering answering(false, false);
  EXPECT_NE(
      answering.json("data/0/predict", "what_if=latency=x2")["remedy"].get<std::string>().find("--machine"),
      std::string::npos);
  EXPECT_EQ(answering.ask("data/0/predict", "what_if=latency=x2&machine=comet&quick=1").status, 200);
}

TEST(Responder, ManyAskAtOnce) {
  Answering answering;
  const std::string alone = Answering().ask("data/0/report").body->c_str();
  std::vector<std::thread> threads;
  std::atomic<int> same = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (const char* path : {"data/0/report", "data/0/trace", "data/0/first", "data/0/report"})
        if (*answering.ask(path).body == alone) ++same;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, 16);
}

TEST(Query, ReadsStrictly) {
  const Query query = Query::parse("a=1&b=x%20y+z&c=&&d=%3d%26").value();
  EXPECT_EQ(query.text("b"), "x y z");
  EXPECT_EQ(query.text("d"), "=&");
  EXPECT_FALSE(query.has("c"));
  EXPECT_TRUE(query.only("a b d"));
  EXPECT_FALSE(query.only("a b"));
  EXPECT_EQ(query.integer("a", 0, 5).value(), 1);
  EXPECT_FALSE(query.integer("a", 2, 5));
  EXPECT_FALSE(query.integer("b", 0, 5));
  EXPECT_EQ(query.integer("z", 0, 5, 3).value(), 3);
  EXPECT_EQ(Query::parse("x=1&y=2").value().canonical(), Query::parse("y=2&x=1").value().canonical());
  EXPECT_NE(Query::parse("x=1;1:y=2").value().canonical(), Query::parse("x=1&y=2").value().canonical());
  std::string many;
  for (int i = 0; i < 65; ++i) many += "p" + std::to_string(i) + "=1&";
  EXPECT_FALSE(Query::parse(many));
}

}  // namespace
}  // namespace ww::view
