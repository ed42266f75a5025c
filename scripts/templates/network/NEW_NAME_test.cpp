// Expected times are closed forms of the rule that NEW_NAME.cpp states.
#include <gtest/gtest.h>

#include "simulate/machine_fixture.hpp"
#include "simulate/networks/registry.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

double elapsed_s(TraceBuilder& builder, const MachineModel& model, const std::string& network) {
  SimulateOptions options;
  options.network = *parse_network_spec(network);
  const auto simulated = replay(builder.trace(), model, options);
  EXPECT_TRUE(simulated) << (simulated ? "" : to_string(simulated.error()));
  return simulated ? simulated->elapsed_s : 0;
}

// T(n) of the model, and the delay.
TEST(NewName, ALoneMessageTakesTheModelsTimeAndTheDelay) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 100000);
  builder.recv(1, 0, 100000);
  EXPECT_NEAR(elapsed_s(builder, machine.model(), "NEW-NAME"), machine.one_way_s(100000), 1e-12);
  EXPECT_NEAR(elapsed_s(builder, machine.model(), "NEW-NAME:delay=3us"), machine.one_way_s(100000) + 3e-6,
              1e-12);
}

// Two pairs of hosts: the second message waits for the first, which the ideal network spares it.
TEST(NewName, MessagesOfDifferentPairsTakeTurns) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(4);
  for (const std::int32_t sender : {0, 2}) {
    builder.send(static_cast<std::size_t>(sender), sender + 1, 100000);
    builder.recv(static_cast<std::size_t>(sender) + 1, sender, 100000);
  }
  const double alone_s = elapsed_s(builder, machine.model(), "ideal");
  EXPECT_NEAR(elapsed_s(builder, machine.model(), "NEW-NAME"), alone_s + 100000 * machine.per_byte_s, 1e-12);
}

}  // namespace
}  // namespace ww::simulate
