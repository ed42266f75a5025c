// One self-check for many predictions: what predict_all() says of each what-if by itself is expected to the last bit, in any order,
// also after those that move ranks or scale a region's computation.
#include "simulate/checked_run.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "simulate/machine_fixture.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {
namespace {

MachineModel machine() {
  MachineModel model =
      LinearMachine{
          .send_s = 10e-6, .unformat_s = 15e-6, .two_way_efficiency = 0.8, .eager_threshold_bytes = 5000}
          .model();
  Link within = model.links.front();
  within.between = Place::intra;
  model.links.push_back(within);
  return model;
}

// Of four ranks, each with its neighbours.
Trace ring(unsigned seed) {
  std::mt19937 random(seed);
  TraceBuilder builder = TraceBuilder::spread(4);
  for (int round = 0; round < 20; ++round)
    for (int rank = 0; rank < 4; ++rank) {
      builder.compute(rank, 1e-6 * static_cast<double>(random() % 2000));
      const std::uint64_t bytes = round % 3 == 0 ? 20'000 : 700;
      builder.sendrecv(rank, (rank + 1) % 4, bytes, (rank + 3) % 4, bytes);
    }
  return std::move(builder.trace());
}

std::string told(Prediction prediction) {
  prediction.load_s = 0;
  prediction.simulated.evaluate_s = 0;
  return to_json(prediction).dump();  // in which numbers that are none are equal
}

TEST(CheckedRun, PredictsAsIfEachWereAskedForAlone) {
  const Trace trace = ring(1);
  const auto program = compile(trace);
  ASSERT_TRUE(program) << to_string(program.error());
  const Replayable run{*program, &trace};
  const MachineModel model = machine();
  const auto checked = CheckedRun::make(run, model);
  ASSERT_TRUE(checked) << to_string(checked.error());
  for (const char* spec : {"bandwidth=x2", "ranks-per-host=2", "compute@rank:0=x2",
                           "latency=x3,software=x0.5", "network=ideal", "bandwidth=x2"}) {
    const auto what_if = parse_what_if(spec);
    ASSERT_TRUE(what_if) << to_string(what_if.error());
    for (const bool interval : {false, true}) {
      const auto alone = predict_all(run, model, {*what_if}, {.interval = interval});
      ASSERT_TRUE(alone) << to_string(alone.error());
      const auto shared = checked->predict(*what_if, {.interval = interval});
      ASSERT_TRUE(shared) << to_string(shared.error());
      EXPECT_EQ(told(*shared), told(alone->front())) << spec;
    }
  }
}

TEST(CheckedRun, StopsWhereItIsToldTo) {
  const Trace trace = ring(2);
  const auto program = compile(trace);
  const MachineModel model = machine();
  Cancellation cancellation;
  cancellation.cancel();
  EXPECT_FALSE(CheckedRun::make({*program, &trace}, model, {.cancellation = &cancellation}));
  const auto checked = CheckedRun::make({*program, &trace}, model);
  ASSERT_TRUE(checked);
  EXPECT_FALSE(checked->predict({}, {.cancellation = &cancellation}));
  EXPECT_TRUE(checked->predict({}, {.interval = false}));
}

}  // namespace
}  // namespace ww::simulate
