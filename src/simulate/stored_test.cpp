// Programs that are stored beside their trace. Expected: what the trace itself predicts, to the last bit; and
// of a damaged file nothing, or a replay that ends.
#include "simulate/stored.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/schedule/file.hpp"
#include "simulate/simulate.hpp"
#include "trace/otf2_write.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"

namespace ww::simulate {
namespace {

namespace fs = std::filesystem;

// Messages of all kinds that a program tells apart: at once, after a handshake, of collectives, in groups.
Trace some_trace() {
  ww::TraceBuilder builder(3, 100'000'000);
  Trace& trace = builder.trace();
  for (std::size_t rank = 0; rank < 3; ++rank) trace.ranks[rank].host = "host" + std::to_string(rank);
  std::int64_t at_ns = 0;
  const auto message = [](ActionKind kind, std::int32_t peer, std::uint64_t bytes,
                          std::uint64_t operation = 0, std::uint8_t flags = 0) {
    return message_action(kind, peer, 7, bytes, operation, flags);
  };
  for (std::uint64_t i = 1; i <= 12; ++i) {
    const auto call = [&](std::size_t rank, const char* name, int from_us, int to_us,
                          const std::vector<Action>& actions) {
      builder.call(rank, name, at_ns + from_us * 1000, at_ns + to_us * 1000, actions);
    };
    // 900 bytes take 1 ms on the machine below, and took 1.3
    call(1, "MPI_Recv", 100, 1800, {message(ActionKind::recv, 0, 900)});
    call(0, "MPI_Send", 500, 520, {message(ActionKind::send, 1, 900)});
    call(0, "MPI_Recv", 530, 2300, {message(ActionKind::recv, 1, 5)});
    call(1, "MPI_Send", 2000, 2010,
         {message(ActionKind::send, 0, 5, 0, i % 2 == 0 ? action_synchronous : 0)});
    call(2, "MPI_Isend", 2302, 2308, {message(ActionKind::isend, 0, 2000, i)});
    call(0, "MPI_Irecv", 2310, 2320, {message(ActionKind::irecv, 2, 2000, i)});
    call(2, "MPI_Wait", 2400, 5000, {message(ActionKind::isend_done, 0, 2000, i)});
    call(0, "MPI_Wait", 2400, 5010, {message(ActionKind::irecv_done, 2, 2000, i)});
    for (std::size_t rank = 0; rank < 3; ++rank)
      call(rank, "MPI_Allreduce", 5100 + 100 * static_cast<int>(rank), 6000, {collective_action(8, 8)});
    at_ns += 7'000'000;
  }
  return builder.matched();
}

MachineModel machine() {
  LinearMachine linear;
  linear.eager_threshold_bytes = 1000;
  return linear.model();
}

nlohmann::json predictions(const Replayable& run) {
  const auto all = predict_all(
      run, machine(), {*parse_what_if("bandwidth=x10"), *parse_what_if("latency=x0.5")}, {.threads = 2});
  EXPECT_TRUE(all) << to_string(all.error());
  nlohmann::json out = nlohmann::json::array();
  for (const Prediction& one : *all) {
    out.push_back(to_json(one));
    out.back().erase("load_s");
    out.back().erase("evaluate_s");
  }
  return out;
}

class StoredProgram : public ::testing::Test {
 protected:
  StoredProgram() { EXPECT_TRUE(otf2::write_archive(some_trace(), dir_.path())); }
  fs::path file() const { return dir_.path() / "traces.wwp"; }
  Opened open() const {
    auto opened = open_program(dir_.path(), false);
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(*opened);
  }
  spool::TestDir dir_;
};

TEST_F(StoredProgram, IsMappedTheSecondTimeAndPredictsTheSame) {
  const Opened first = open();
  EXPECT_FALSE(first.mapped);
  ASSERT_TRUE(fs::exists(file()));
  const Opened second = open();
  EXPECT_TRUE(second.mapped);
  EXPECT_FALSE(second.trace);
  const auto trace = load_trace(dir_.path());
  ASSERT_TRUE(trace);
  const auto compiled = compile(*trace);
  ASSERT_TRUE(compiled);
  EXPECT_GT(compiled->crossings.waited_for.size(), 10u);
  const nlohmann::json expected = predictions({*compiled, &*trace});
  EXPECT_NE(expected[0]["calibrated_software_s"], 0) << "else nothing shows that the crossings are kept";
  EXPECT_EQ(predictions({first.program}), expected);
  EXPECT_EQ(predictions({second.program}), expected);
  const auto whole = open_program(dir_.path(), true);
  ASSERT_TRUE(whole);
  ASSERT_TRUE(whole->trace);
  EXPECT_EQ(predictions({whole->program, &*whole->trace}), expected);
}

TEST_F(StoredProgram, IsMadeAgainWhenTheTraceIsAnother) {
  open();
  fs::last_write_time(dir_.path() / "traces.otf2",
                      fs::last_write_time(dir_.path() / "traces.otf2") + std::chrono::seconds(1));
  EXPECT_FALSE(open().mapped);
  EXPECT_TRUE(open().mapped);
  ASSERT_TRUE(write_file(dir_.path() / "run.json", "{}"));
  EXPECT_FALSE(open().mapped) << "run.json tells the MPI library";
}

TEST_F(StoredProgram, KeepsHowItsLibraryMakesProgress) {
  const Trace trace = some_trace();
  auto program = compile(trace);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->progress, Progress::inside_calls) << "Open MPI's";
  for (const Progress progress : {Progress::always, Progress::inside_calls}) {
    program->progress = progress;
    ASSERT_TRUE(save(*program, 7, file()));
    const auto back = map_stored(file(), 7);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->progress, progress);
  }
}

TEST_F(StoredProgram, IsNotNeeded) {
  fs::create_directories(file() / "in the way");
  EXPECT_FALSE(open().mapped);
  EXPECT_FALSE(open().mapped);
  for (const auto& entry : fs::directory_iterator(dir_.path()))
    EXPECT_EQ(entry.path().string().find(".new"), std::string::npos) << entry.path();
}

TEST_F(StoredProgram, DamagedIsNeverTakenForAnotherOrReplayedWithoutEnd) {
  open();
  const std::uint64_t made_from = fingerprint(dir_.path() / "traces.otf2");
  std::ifstream in(file(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  ASSERT_TRUE(map_stored(file(), made_from));
  EXPECT_FALSE(map_stored(file(), made_from + 1));
  EXPECT_FALSE(schedule::map(file())) << "which is in the same form, and of another kind";
  const fs::path damaged = dir_.path() / "damaged.wwp";
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    ASSERT_TRUE(write_file(damaged, std::string_view(whole).substr(0, length)));
    EXPECT_FALSE(map_stored(damaged, made_from)) << length;
  }
  std::mt19937_64 random(1);
  int refused = 0, replayed = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (int change = 0; change < 1 + round % 3; ++change) {
      const std::size_t at =
          random() % (round % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 4096));
      bytes[at] = static_cast<char>(round % 5 == 0 ? 0xff : random());
    }
    ASSERT_TRUE(write_file(damaged, bytes));
    const auto program = map_stored(damaged, made_from);
    if (!program || !check(*program)) {
      ++refused;
      continue;
    }
    const auto all = predict_all(Replayable{*program}, machine(), {WhatIf{}});
    ++replayed;
    (void)all;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(replayed, 100);
}

}  // namespace
}  // namespace ww::simulate
