// What S3 (Antonishek, Snelick 1990) prints of its ring on 16 nodes, on the machine that it implies (preset
// s3-hypercube): Table 1 and section 3.4. docs/dilation.md says which of its figures contradict each other.
#include <gtest/gtest.h>

#include <stdexcept>

#include "machine/presets.hpp"
#include "study/ring_of_s3_fixture.hpp"
#include "study/simulated_signature.hpp"

namespace ww {
namespace {

Signature run(const RingOfS3& ring) {
  const Trace trace = ring.trace();
  const MachineModel machine = *find_preset("s3-hypercube");
  std::vector<SignedRun> runs;
  for (const double factor : {1, 2, 4, 6, 8, 16}) {
    const auto simulated = replay(trace, apply(machine, faster_network({}, factor)), {});
    EXPECT_TRUE(simulated) << to_string(simulated.error());
    if (simulated) runs.push_back(signed_run(factor, *simulated));
  }
  return signature_of(runs);
}

const Components& at(const Signature& signature, double factor) {
  for (const Signature::Row& row : signature.rows)
    if (row.factor == factor) return row.mean;
  throw std::out_of_range("no such D");
}
double speedup(const Signature& signature, double factor) {
  for (const SpeedUp& s : signature.speedup)
    if (s.factor == factor) return s.value;
  throw std::out_of_range("no such D");
}

// Table 1 in percent, to three points.
void expect_shares(const Signature& signature, double user, double communication, double wait, double send) {
  const Components& c = at(signature, 1);
  const double each = 100 / c.elapsed_s();
  EXPECT_NEAR(each * c.user_s, user, 3);
  EXPECT_NEAR(each * c.communication_s, communication, 3);
  EXPECT_NEAR(each * c.receive_wait_s, wait, 3);
  EXPECT_NEAR(each * c.send_s, send, 3);
}

// 93.7% of the time is user time: 66 ms a visit, if the 0.8% of its communication and sends are the software
// of one message and one acknowledgement. Its 5.5% of waiting bring less than 2% with any network, so they
// are not the network's: here one node is slower than the others.
TEST(RingOfS3, FirstExampleIsComputationBoundAndGainsNothing) {
  RingOfS3 ring;
  ring.work_s = 0.0658;
  ring.uneven_percent = 6.5;
  const Signature signature = run(ring);
  expect_shares(signature, 93.7, 0.5, 5.5, 0.3);
  for (const SpeedUp& s : signature.speedup) EXPECT_LT(s.value, 1.02) << "D = " << s.factor;
  EXPECT_EQ(signature.verdict.verdict, "computation-bound");
}

// Its speed-ups to 5%: 1.8 at 2 and 3.5 at 4 cannot both be had to two digits (docs/dilation.md).
TEST(RingOfS3, SecondExampleIsCommunicationBoundAndGainsUpToSix) {
  RingOfS3 ring;
  ring.work_s = 0.199 * (10.0 / 0.735) / (16 * 100);  // 19.9% of the elapsed time, over the visits
  const Signature signature = run(ring);
  expect_shares(signature, 19.9, 5.1, 73.5, 1.5);
  EXPECT_NEAR(speedup(signature, 2), 1.8, 0.05 * 1.8);
  EXPECT_NEAR(speedup(signature, 4), 3.5, 0.05 * 3.5);
  for (const double factor : {6, 8, 16}) EXPECT_NEAR(speedup(signature, factor), 3.7, 0.05 * 3.7);
  EXPECT_NEAR(at(signature, 1).receive_wait_s, 10.0, 0.1);
  EXPECT_NEAR(at(signature, 2).receive_wait_s, 3.85, 0.06 * 3.85);
  ASSERT_TRUE(signature.flattens.has_value());
  EXPECT_EQ(signature.flattens->factor, 6);
  EXPECT_EQ(signature.verdict.verdict, "communication-bound");
}

// Waits as much as the second example, as only four of the sixteen nodes originate messages, one at a time.
TEST(RingOfS3, FewOriginatorsAreALogicalDelay) {
  RingOfS3 ring;
  ring.messages = 20;
  ring.circulating = 1;
  ring.originators = 4;
  ring.work_s = 0.3;
  const Signature signature = run(ring);
  EXPECT_NEAR(100 * at(signature, 1).receive_wait_s / at(signature, 1).elapsed_s(), 73.5, 3);
  EXPECT_LT(speedup(signature, 16), 1.05);
  EXPECT_EQ(signature.verdict.verdict, "logical-delay");
  EXPECT_EQ(signature.verdict.remark, Remark::trace_agrees);
}

TEST(RingOfS3, ComponentsOfEveryNodeSumToItsTime) {
  RingOfS3 ring;
  ring.messages = 5;
  ring.work_s = 1e-3;
  for (const Signature::Row& row : run(ring).rows)
    for (const RankComponents& rank : row.ranks)
      EXPECT_NEAR(rank.components.elapsed_s(), rank.elapsed_s, 1e-9) << "D = " << row.factor;
}

}  // namespace
}  // namespace ww
