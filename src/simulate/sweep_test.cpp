// Grids of what-ifs. Expected: the values by hand, and each cell what its own what-if alone predicts.
#include "simulate/sweep.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "simulate/machine_fixture.hpp"
#include "simulate/program.hpp"
#include "simulate/scenarios.hpp"

namespace ww::simulate {
namespace {

TEST(Sweep, ReadsRangesAndLists) {
  const auto factors = parse_sweep("bandwidth=x1:x100:3");
  ASSERT_TRUE(factors) << to_string(factors.error());
  EXPECT_EQ(factors->values, (std::vector<std::string>{"x1", "x10", "x100"}));
  EXPECT_NEAR(factors->numbers[1], 10, 1e-12);
  const auto times = parse_sweep("latency=0us:100us:3");
  ASSERT_TRUE(times) << to_string(times.error());
  EXPECT_EQ(times->kind, SweepAxis::Kind::seconds);
  EXPECT_NEAR(times->numbers[1], 50e-6, 1e-12) << "from zero the row is arithmetic";
  const auto listed = parse_sweep("bandwidth=x1,x2,x10");
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->numbers, (std::vector<double>{1, 2, 10}));
  const auto machines = parse_sweep("machine=comet,stampede");
  ASSERT_TRUE(machines);
  EXPECT_EQ(machines->kind, SweepAxis::Kind::name);
  for (const char* spec : {"bandwidth", "bandwidth=", "=x1:x2:3", "bandwidth=x1:5us:3", "bandwidth=x1:x2:1",
                           "bandwidth=x1:x2:2.5", "bandwidth=1:2:3"})
    EXPECT_FALSE(parse_sweep(spec)) << spec;
  EXPECT_FALSE(make_grid({"bandwith=x1:x2:3"}));
  EXPECT_FALSE(make_grid({"bandwidth=x1,fast"})) << "every value is looked at";
  EXPECT_FALSE(make_grid({"bandwidth=x1,x2", "bandwidth=x3,x4"}));
  EXPECT_FALSE(make_grid({"bandwidth=x1:x2:1000", "latency=x1:x2:1000", "software=x1,x2"}));
}

TraceBuilder some_messages() {
  auto builder = TraceBuilder::spread(2);
  for (int i = 0; i < 20; ++i) {
    builder.compute(0, 1e-3);
    builder.send(0, 1, 1000 * static_cast<std::uint64_t>(i));
    builder.recv(1, 0, 1000 * static_cast<std::uint64_t>(i));
  }
  return builder;
}

TEST(Sweep, EveryCellIsItsOwnWhatIfInAnyNumberOfWorkers) {
  auto builder = some_messages();
  const Trace trace = builder.trace();
  const auto program = compile(trace);
  ASSERT_TRUE(program);
  const Replayable run{*program, &trace};
  const MachineModel model = LinearMachine().model();
  const auto grid = make_grid({"bandwidth=x1:x100:5", "latency=10us,1ms", "compute=x1,x2"});
  ASSERT_TRUE(grid) << to_string(grid.error());
  ASSERT_EQ(grid->cells(), 20u);
  EXPECT_EQ(grid->places(13), (std::vector<std::size_t>{3, 0, 1}));
  const auto all = [](std::size_t) { return true; };
  const auto alone = sweep(run, model, *grid, {}, all);
  ASSERT_TRUE(alone) << to_string(alone.error());
  const auto with = sweep(run, model, *grid, {.threads = 7}, all);
  ASSERT_TRUE(with);
  const auto odd = sweep(run, model, *grid, {.threads = 2}, [](std::size_t cell) { return cell % 2 == 1; });
  ASSERT_TRUE(odd);
  ASSERT_EQ(odd->size(), 10u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(to_json((*alone)[i]), to_json((*with)[i]));
    if (i % 2 == 1) {
      EXPECT_EQ(to_json((*alone)[i]), to_json((*odd)[i / 2]));
    }
    const auto one = predict(builder.trace(), model, *grid->what_if(i));
    ASSERT_TRUE(one);
    EXPECT_EQ((*alone)[i].predicted_s, one->predicted_s);
    EXPECT_EQ((*alone)[i].low_s, one->predicted_low_s);
    const auto back = sweep_cell_from_json(nlohmann::json::parse(to_json((*alone)[i]).dump()));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_json(*back), to_json((*alone)[i])) << "another process reads the same to the last bit";
  }
}

// Cells of `free` are evaluated side by side: each is to the last bit what it is by itself, messages asked for first
// or not, whatever the computation.
TEST(Sweep, CellsWithoutContentionAreThoseOfOneWhatIf) {
  auto builder = some_messages();
  const Trace trace = builder.trace();
  const auto program = compile(trace);
  ASSERT_TRUE(program);
  const Replayable run{*program, &trace};
  LinearMachine machine;
  machine.send_s = 3e-6;
  machine.eager_threshold_bytes = 8000;
  const MachineModel model = machine.model();
  const auto grid = make_grid({"bandwidth=x1:x100:5", "latency=10us,1ms,20us", "compute=x1,x2,x3"});
  ASSERT_TRUE(grid) << to_string(grid.error());
  const PredictOptions options{.evaluator = Evaluator::free, .threads = 2};
  const auto cells = sweep(run, model, *grid, options, [](std::size_t cell) { return cell != 7; });
  ASSERT_TRUE(cells) << to_string(cells.error());
  ASSERT_EQ(cells->size(), 44u);
  for (const SweepCell& cell : *cells) {
    const auto one = predict_all(run, model, {*grid->what_if(cell.cell)}, options);
    ASSERT_TRUE(one) << to_string(one.error());
    const Prediction& p = one->front();
    EXPECT_EQ(cell.what_if, p.what_if);
    EXPECT_EQ(cell.predicted_s, p.predicted_s) << cell.what_if;
    EXPECT_EQ(cell.low_s, p.predicted_low_s);
    EXPECT_EQ(cell.high_s, p.predicted_high_s);
    EXPECT_EQ(cell.latency_s_per_s, p.latency_s_per_s) << cell.what_if;
    EXPECT_EQ(cell.seconds_per_byte_s_per_s, p.seconds_per_byte_s_per_s) << cell.what_if;
    EXPECT_EQ(cell.overhead_s_per_s, p.overhead_s_per_s) << cell.what_if;
    EXPECT_EQ(cell.blocked_s, together(p.simulated.ranks).blocked_s) << cell.what_if;
  }
}

// The error of the lowest cell that has one, whoever comes first.
TEST(Sweep, FailsAlikeInAnyNumberOfWorkers) {
  auto builder = some_messages();
  const Trace trace = builder.trace();
  const auto program = compile(trace);
  ASSERT_TRUE(program);
  const Replayable run{*program, &trace};
  const MachineModel model = LinearMachine().model();
  const auto grid = make_grid({"compute@rank:0=x1", "compute@rank:5=x1:x2:30"});
  ASSERT_TRUE(grid) << to_string(grid.error());
  std::string said;
  for (const unsigned threads : {1u, 4u}) {
    const auto failed = sweep(run, model, *grid, {.threads = threads}, [](std::size_t) { return true; });
    ASSERT_FALSE(failed);
    if (!said.empty()) {
      EXPECT_EQ(to_string(failed.error()), said);
    }
    said = to_string(failed.error());
  }
  EXPECT_NE(said.find("no rank 5"), std::string::npos) << said;
}

}  // namespace
}  // namespace ww::simulate
