// What tests of replays share: their closed forms are sums of a few doubles near a second at most, so 1 ps is far above rounding.
#pragma once
#include <gtest/gtest.h>

#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"
#include "simulate/trace_builder.hpp"

namespace ww::simulate {

constexpr double ps = 1e-12;

inline Simulated run(TraceBuilder& builder, const MachineModel& model, const SimulateOptions& options = {}) {
  auto simulated = replay(builder.trace(), model, options);
  EXPECT_TRUE(simulated) << (simulated ? "" : to_string(simulated.error()));
  return simulated ? *simulated : Simulated{};
}

inline double end_s(const Simulated& simulated, int rank) {
  return simulated.ranks[static_cast<std::size_t>(rank)].elapsed_s;
}

}  // namespace ww::simulate
