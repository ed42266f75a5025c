// Every member of every JSON file that a command reads, made another type or left out: the command works, or
// ends with an error of ours. No exception of the JSON library may come through, which is what "a defect" in
// the message would be, and no crash. The interface page: exit 0, 1 or 2.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/run.hpp"
#include "report/sample.hpp"
#include "report/sample_machine.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {
namespace fs = std::filesystem;
using nlohmann::json;
using Words = std::vector<std::string>;

struct Ended {
  int code = 0;
  std::string output, errors;
};

Ended run_words(const Words& words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ended ended;
  int problem = 0;
  ended.code = cli::run(words, problem);
  ended.output = testing::internal::GetCapturedStdout();
  ended.errors = testing::internal::GetCapturedStderr();
  return ended;
}

void collect(const json& value, const json::json_pointer& at, std::vector<json::json_pointer>& into) {
  into.push_back(at);
  if (value.is_object())
    for (const auto& [key, member] : value.items()) collect(member, at / key, into);
  // Elements of a list are alike: the first ones stand for all.
  if (value.is_array())
    for (std::size_t i = 0; i < std::min<std::size_t>(value.size(), 3); ++i) collect(value[i], at / i, into);
}

const std::vector<json>& other_values() {
  static const std::vector<json> all{
      nullptr,           true,        -1, 0, 1e300, 0.5, "text", "", json::array(), json::object(),
      {1, "x", nullptr}, {{"s", "x"}}};
  return all;
}

class DamagedJson : public testing::Test {
 protected:
  void SetUp() override { before_ = fs::current_path(); }
  void TearDown() override { fs::current_path(before_); }

  // The whole file first, then `rounds` damaged ones: each member in turn, each with another value, in an
  // order that a seed gives.
  void damage(const json& whole, const fs::path& file, const std::vector<Words>& commands,
              std::size_t rounds) {
    ASSERT_TRUE(write_file(file, whole.dump()));
    for (const Words& words : commands) {
      const Ended ended = run_words(words);
      ASSERT_EQ(ended.code, 0) << words[0] << " " << words[1] << ": " << ended.errors;
    }
    std::vector<json::json_pointer> members;
    collect(whole, json::json_pointer(), members);
    struct Change {
      std::size_t member, value;
    };
    std::vector<Change> changes;
    for (std::size_t m = 0; m < members.size(); ++m)
      for (std::size_t v = 0; v <= other_values().size(); ++v) changes.push_back({m, v});
    std::mt19937 random(1);
    std::shuffle(changes.begin(), changes.end(), random);
    if (const char* asked = std::getenv("WW_FUZZ_ROUNDS")) rounds = std::strtoul(asked, nullptr, 10);
    changes.resize(std::min(changes.size(), rounds));
    int refused = 0;
    for (const Change& change : changes) {
      json damaged = whole;
      const json::json_pointer& at = members[change.member];
      if (change.value < other_values().size()) {
        damaged[at] = other_values()[change.value];
      } else if (!at.empty()) {
        json& parent = damaged[at.parent_pointer()];
        if (parent.is_object())
          parent.erase(at.back());
        else
          parent.erase(std::stoul(at.back()));
      }
      ASSERT_TRUE(write_file(file, damaged.dump()));
      for (const Words& words : commands) {
        const Ended ended = run_words(words);
        ASSERT_LE(ended.code, 2);
        ASSERT_GE(ended.code, 0);
        ASSERT_EQ(ended.errors.find("defect"), std::string::npos)
            << at.to_string() << " = "
            << (change.value < other_values().size() ? other_values()[change.value].dump() : "(none)")
            << " in " << words[0] << ": " << ended.errors;
        refused += ended.code != 0;
      }
    }
    refused_ = refused;
  }

  void make_trace() {
    std::vector<spool::SpoolWriter> ranks(2);
    for (int r = 0; r < 2; ++r) {
      ranks[r].standard(r, 2);
      ranks[r].clock(0, 0, 0, true);
      ranks[r].add("MPI_Init", 1000, 1100);
    }
    ranks[0].add("MPI_Send", 1200, 1210, spool::Kind::send, 1, 7, 100);
    ranks[1].add("MPI_Recv", 1160, 1230, spool::Kind::recv, 0, 7, 100);
    for (int r = 0; r < 2; ++r) {
      ranks[r].add("MPI_Finalize", 1600, 1700);
      ranks[r].end(1800);
    }
    spool::write_spools(dir_.path() / "t.ww", ranks);
    ASSERT_TRUE(unify(dir_.path() / "t.ww", {}));
    fs::current_path(dir_.path());
  }

  const spool::TestDir dir_;
  int refused_ = 0;  // times that a command refused a damaged file
  fs::path before_;
};

// As `record` and `dilate` write it.
json run_json() {
  const json rank = {{"rank", 0},
                     {"host", "alpha"},
                     {"pid", 7},
                     {"cpu_s", 0.3},
                     {"elapsed_s", 0.8},
                     {"involuntary_switches", 30},
                     {"arithmetic_s", {1e-5, 1.1e-5}},
                     {"code", {{"files", "/bin/true\n/bin/false"}}},
                     {"stretch",
                      {{"calling_threads", 1},
                       {"count", 2},
                       {"late_median_ns", 4.0},
                       {"late_p99_ns", 15.0},
                       {"thread_level", "single"}}}};
  return {
      {"program", "/tmp/app"},
      {"launch", {"mpirun", "-n", "2", "./app"}},
      {"mpi", "openmpi"},
      {"mpi_version", "Open MPI v4.1.4"},
      {"started", "2026-01-01T00:00:00Z"},
      {"exit_code", 0},
      {"wall_s", 1.5},
      {"dilation", 1.0},
      {"lab", "default"},
      {"wire", {{"rate_bytes_per_s", 1e6}, {"delay_s", 0}}},
      {"events", 10},
      {"environment", {{"WW_METER", "cpu"}}},
      {"clock", {{"hosts", json::array()}, {"same_clock", true}, {"uncertainty_s", 0.0}, {"violations", 0}}},
      {"machine",
       {{"cpu", "x"}, {"load_before", 1.0}, {"name", "vm"}, {"processors", 2}, {"usable_processors", 1}}},
      {"diagnostics", {{{"name", "a"}, {"severity", "info"}, {"count", 1}, {"remedy", "b"}}}},
      {"ranks", {rank, rank}}};
}

TEST_F(DamagedJson, OfARun) {
  make_trace();
  ASSERT_TRUE(write_file("m.json", sample::machine().dump()));
  damage(run_json(), "t.ww/run.json",
         {{"report", "t.ww"},
          {"report", "t.ww", "--json", "--ask", "all"},
          {"compare", "t.ww", "t.ww"},
          {"simulate", "t.ww", "--machine", "m.json"},
          {"export", "t.ww", "--to", "csv", "-o", "t.csv"}},
         400);
}

TEST_F(DamagedJson, OfAModel) {
  make_trace();
  damage(sample::machine(), "m.json",
         {{"machine", "show", "m.json"},
          {"machine", "show", "m.json", "--html", "m.html"},
          {"machine", "diff", "m.json", "m.json"},
          {"report", "t.ww", "--machine", "m.json"},
          {"simulate", "t.ww", "--machine", "m.json", "--what-if", "bandwidth=x10"}},
         400);
  EXPECT_GT(refused_, 0);
}

TEST_F(DamagedJson, OfAStudy) {
  fs::current_path(dir_.path());
  json study = sample::report_data()["studies"][0];
  for (json& what_if : study["what_ifs"]) {
    what_if["simulated_error"] = 0.1;
    what_if["not_virtual"] = "why";
    what_if["disagreement"] = "they differ";
  }
  damage(study, "study.json",
         {{"summary", "study.json"},
          {"summary", "study.json", "--json", "--html", "s.html", "--data", "demo.json"},
          {"compare", "study.json", "study.json"}},
         400);
  EXPECT_GT(refused_, 0);
}

// One record of each kind that the experiments write, and ping-pong at enough sizes for a fit.
json samples_json() {
  json records = {{{"kind", "host"},
                   {"host", "alpha"},
                   {"clock_hz", 1e9},
                   {"timer", {{"call_s", 1e-8}, {"resolution_s", 1e-9}, {"backward_steps", 1}}}},
                  {{"kind", "group"}, {"hosts", {"alpha", "alpha"}}}};
  const auto times = [](double s) { return json{s, s * 1.01, s * 0.99, s * 1.02, s}; };
  for (const char* between : {"inter", "intra"}) {
    const auto add = [&](json record) {
      record["between"] = between;
      records.push_back(std::move(record));
    };
    add({{"kind", "pair"}});
    for (const double bytes : {0., 1., 64., 512., 1024., 4096., 16384., 65536., 262144.})
      for (const bool check : {false, true}) {
        add({{"kind", "pingpong"},
             {"bytes", bytes},
             {"check", check},
             {"one_way_s", times(1e-5 + bytes * 1e-8)}});
        if (!check) add({{"kind", "sweep"}, {"bytes", bytes}, {"one_way_s", times(1e-5 + bytes * 1e-8)}});
      }
    add({{"kind", "eager-threshold"}, {"low_bytes", 4096}, {"high_bytes", 8192}, {"threshold_bytes", 4100}});
    add({{"kind", "sent-ahead"}, {"bytes", 1e6}, {"send_s", times(1e-3)}, {"there_s", times(1e-2)}});
    add({{"kind", "sender-progress"}, {"away_s", 0.01}, {"received_s", times(1e-3)}});
    for (const char* term : {"F", "U", "S", "R", "A", "E"})
      for (const double bytes : {0., 1024., 65536.})
        add({{"kind", "cost"}, {"term", term}, {"bytes", bytes}, {"seconds", times(1e-6 + bytes * 1e-10)}});
    for (const double bytes : {8., 1024., 65536.})
      add({{"kind", "reduction"}, {"bytes", bytes}, {"seconds", times(1e-7 + bytes * 1e-10)}});
    for (const double bytes : {1024., 65536.}) {
      add({{"kind", "wire-bytes"},
           {"bytes", bytes},
           {"messages", 100},
           {"mtu_bytes", 1500},
           {"sent_bytes", 110 * bytes},
           {"sent_frames", 200},
           {"received_bytes", 110 * bytes},
           {"received_frames", 200}});
      add({{"kind", "two-way"}, {"bytes", bytes}, {"exchange_s", times(2e-5 + bytes * 1e-8)}});
      add({{"kind", "message-rate"}, {"bytes", bytes}, {"window", 8}, {"window_s", times(8e-5)}});
      add({{"kind", "parametrised"},
           {"bytes", bytes},
           {"train", 4},
           {"one_s", times(1e-5)},
           {"train_s", times(4e-5)},
           {"delayed_s", times(5e-5)},
           {"delay_s", times(1e-5)},
           {"receive_s", times(1e-6)}});
      add({{"kind", "overlap"},
           {"bytes", bytes},
           {"transfer_s", times(1e-3)},
           {"computation_s", times(1e-3)},
           {"both_s", times(1.5e-3)}});
      add({{"kind", "after-computation"},
           {"bytes", bytes},
           {"call", "MPI_Send"},
           {"warm_s", times(1e-6)},
           {"after_s", times(2e-6)}});
      add({{"kind", "busy"}, {"bytes", bytes}, {"idle_s", times(1e-5)}, {"busy_s", times(2e-5)}});
    }
    add({{"kind", "disturbance"}, {"involuntary_switches", 3}, {"elapsed_s", 1.0}});
  }
  records.push_back({{"kind", "matrix"},
                     {"ranks", 2},
                     {"hosts", {"alpha", "alpha"}},
                     {"small_bytes", 1},
                     {"latency_s", {0, 1e-5, 1e-5, 0}},
                     {"large_bytes", 65536},
                     {"stream_s", {0, 1e-3, 1e-3, 0}}});
  records.push_back({{"kind", "relay"}, {"hops", 1}, {"bytes", 1024}, {"echo_s", times(2e-5)}});
  records.push_back({{"kind", "interference"},
                     {"neighbours", 1},
                     {"bytes", 1024},
                     {"alone_s", times(1e-3)},
                     {"with_s", times(2e-3)},
                     {"message_s", times(1e-5)}});
  records.push_back(
      {{"kind", "congestion"}, {"pairs", 1}, {"bytes", 1024}, {"message_s", times(1e-5)}, {"alone_s", 1e-5}});
  records.push_back({{"kind", "collective"},
                     {"name", "bcast"},
                     {"ranks", 2},
                     {"bytes", 1024},
                     {"seconds", times(1e-5)},
                     {"late", 0}});
  records.push_back(
      {{"kind", "collective-late"}, {"name", "bcast"}, {"ranks", 2}, {"bytes", 1024}, {"late", 1}});
  return {{"whatwire_samples", 1},
          {"environment",
           {{"launch", "mpirun -n 2"}, {"launches", 1}, {"budget_s", 5.0}, {"check", {{"inter", 1}}}}},
          {"complete", true},
          {"records", records}};
}

TEST_F(DamagedJson, OfSamples) {
  fs::current_path(dir_.path());
  damage(samples_json(), "m.samples.json", {{"machine", "fit", "m.samples.json", "-o", "m.json"}}, 3000);
  EXPECT_GT(refused_, 0);
}

TEST_F(DamagedJson, OfSimulatedSamples) {
  fs::current_path(dir_.path());
  ASSERT_EQ(run_words({"measure", "--simulated", "ncube-seven", "-o", "cube.json"}).code, 0);
  damage(json::parse(*read_file("cube.samples.json")), "m.samples.json",
         {{"machine", "fit", "m.samples.json", "-o", "m.json"}}, 60);
}

// What a trace says about itself reaches a terminal as text: no control characters but line ends (ECMA-48),
// and names on one line.
TEST_F(DamagedJson, TextOfATraceIsCleaned) {
  make_trace();
  json run = run_json();
  run["program"] = "/tmp/\x1b]0;owned\x07\x1b[2Japp\nforged line";
  run["machine"]["name"] = "vm\x1b[31m";
  run["diagnostics"][0]["remedy"] = "see \x1b[1mthis\xff";
  ASSERT_TRUE(write_file("t.ww/run.json", run.dump(-1, ' ', false, json::error_handler_t::ignore)));
  for (const Words& words :
       {Words{"report", "t.ww"}, {"report", "t.ww", "--json"}, {"compare", "t.ww", "t.ww"}}) {
    const Ended ended = run_words(words);
    EXPECT_EQ(ended.code, 0) << ended.errors;
    for (const char c : ended.output + ended.errors)
      EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20)
          << words[0] << ": " << static_cast<int>(c);
    EXPECT_EQ(ended.output.find("\nforged line"), std::string::npos);
  }
}

// A trace is not alone in bringing text: so does the command line.
TEST_F(DamagedJson, ErrorsAreCleaned) {
  const Ended ended = run_words({"report", "no\x1b[2Jsuch\xff.ww"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.errors.find('\x1b'), std::string::npos);
  EXPECT_NE(ended.errors.find("no\\x1b[2Jsuch\\xff.ww"), std::string::npos) << ended.errors;
}

}  // namespace
}  // namespace ww
