// Expected times are closed forms of the rules in each network's file.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "machine/presets.hpp"
#include "machine/what_if.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/networks/registry.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

constexpr double ps = 1e-12, us = 1e-6;

NetworkSpec spec(const std::string& text) {
  const auto parsed = parse_network_spec(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : to_string(parsed.error()));
  return parsed ? *parsed : NetworkSpec{};
}

Simulated run(TraceBuilder& builder, const MachineModel& model, const std::string& network,
              std::uint64_t seed = 1) {
  SimulateOptions options;
  options.network = spec(network);
  options.seed = seed;
  auto simulated = replay(builder.trace(), model, options);
  EXPECT_TRUE(simulated) << network << ": " << (simulated ? "" : to_string(simulated.error()));
  return simulated ? *simulated : Simulated{};
}

double counted(const Simulated& simulated, const std::string& name) {
  for (const auto& [known, count] : simulated.network.counts)
    if (known == name) return count;
  ADD_FAILURE() << "the network does not count " << name;
  return 0;
}

std::string refusal(const std::string& text) {
  const auto parsed = parse_network_spec(text);
  if (!parsed) return to_string(parsed.error());
  const auto checked = check_network(*parsed);
  return checked ? "" : to_string(checked.error());
}

TEST(Networks, ASpecIsRefusedWithTheNearestWordAndTheList) {
  EXPECT_EQ(refusal("fat-tree:k=8"), "");
  EXPECT_EQ(refusal("torus:dims=4x4x4:link=10Gbit:hop=100ns"), "");
  EXPECT_EQ(refusal("bus:rate=100Mb/s:delay=500ns"), "");
  EXPECT_NE(refusal("fattree:k=8").find("did you mean 'fat-tree'? there are: ports, ideal, bus"),
            std::string::npos);
  EXPECT_NE(refusal("torus:dim=4x4").find("did you mean 'dims'? there are: dims, link, hop"),
            std::string::npos);
  EXPECT_NE(refusal("torus").find("torus:dims=4x4x4"), std::string::npos);
  EXPECT_NE(refusal("torus:dims=4x").find("is not sizes"), std::string::npos);
  EXPECT_NE(refusal("ideal:k=3").find("has no keys"), std::string::npos);
  EXPECT_NE(refusal("fat-tree:k=7").find("odd"), std::string::npos);
  EXPECT_NE(refusal("fat-tree:k").find("not KEY=VALUE"), std::string::npos);
  EXPECT_NE(refusal("fat-tree:k=4:k=8").find("twice"), std::string::npos);
  EXPECT_NE(refusal("switch:rate=fast").find("is not a rate"), std::string::npos);
  EXPECT_NE(refusal("dragonfly:groups=3:routers=2:hosts=1:routing=random").find("minimal or adaptive"),
            std::string::npos);
  // A bus of 10 Mb/s whose signals take longer than the slot less preamble and jam, there and back.
  EXPECT_NE(refusal("bus:rate=10Mb/s:delay=21us").find("at most 20.8 us"), std::string::npos);
}

TEST(Networks, AWhatIfHoldsItsNetwork) {
  const auto what_if = parse_what_if("bandwidth=x10,network=torus:dims=2x2,software=x0.5");
  ASSERT_TRUE(what_if);
  ASSERT_TRUE(what_if->topology);
  EXPECT_EQ(what_if->topology->text, "torus:dims=2x2");
  EXPECT_FALSE(what_if->is_identity());
  EXPECT_EQ(what_if->bandwidth, 10);
  EXPECT_FALSE(parse_what_if("network=bus,network=ideal"));
}

// The closed loop of every network that adds nothing to a lone message: half a round trip is the model's T.
TEST(Networks, ALoneMessageTakesTheModelsTime) {
  for (const char* network : {"ports", "ideal", "torus:dims=2x2", "hypercube:dims=3", "fat-tree:k=4",
                              "dragonfly:groups=3:routers=2:hosts=2:routing=adaptive"})
    for (const std::uint64_t bytes : {0u, 1000u, 100000u})
      for (const double threshold : {1e9, 500.0}) {
        LinearMachine machine;
        machine.send_s = 20e-6;
        machine.eager_threshold_bytes = threshold;
        auto builder = TraceBuilder::spread(2);
        builder.send(0, 1, bytes);
        builder.recv(1, 0, bytes);
        builder.send(1, 0, bytes);
        builder.recv(0, 1, bytes);
        EXPECT_NEAR(run(builder, machine.model(), network).elapsed_s,
                    2 * machine.one_way_s(static_cast<double>(bytes)), ps)
            << network << ", " << bytes << " bytes";
      }
}

// Eight senders to one receiver: the last link is shared, so all arrive together after eight times the bytes;
// an ideal network has no such link.
TEST(Networks, IncastSharesTheReceiversLink) {
  const LinearMachine machine;
  const auto elapsed_s = [&](const std::string& network) {
    auto builder = TraceBuilder::spread(9);
    for (int rank = 1; rank <= 8; ++rank) {
      builder.send(rank, 0, 1000);
      builder.recv(0, rank, 1000);
    }
    return run(builder, machine.model(), network).elapsed_s;
  };
  for (const char* network :
       {"torus:dims=3x3", "hypercube:dims=4", "fat-tree:k=4", "dragonfly:groups=3:routers=2:hosts=2"})
    EXPECT_NEAR(elapsed_s(network), machine.latency_s + 8000 * machine.per_byte_s, ps) << network;
  EXPECT_NEAR(elapsed_s("ideal"), machine.one_way_s(1000), ps);
}

// Ring of 8 on a line of a torus: each sends its message 3 to the right, so every link to the right carries
// three of them, each at a third of the rate; hop=10us adds as much for each of the 4 switches of a route.
TEST(Networks, FlowsShareTheLinksOfATorus) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(8);
  for (int rank = 0; rank < 8; ++rank) {
    const auto sent = builder.isend(rank, (rank + 3) % 8, 1000);
    const auto got = builder.irecv(rank, (rank + 5) % 8, 1000);
    builder.wait(rank, {sent}, {got});
  }
  EXPECT_NEAR(run(builder, machine.model(), "torus:dims=8:hop=10us").elapsed_s,
              machine.latency_s + 3000 * machine.per_byte_s + 4 * 10 * us, ps);
  const Simulated fast = run(builder, machine.model(), "torus:dims=8:link=16Mb/s");
  EXPECT_NEAR(fast.elapsed_s, machine.latency_s + 1500 * machine.per_byte_s, ps) << "2 bytes a microsecond";
  EXPECT_EQ(counted(fast, "messages"), 8);
  EXPECT_EQ(counted(fast, "mean_links"), 5);
}

const ChannelUse& channel(const Simulated& simulated, const std::string& name) {
  static const ChannelUse none;
  for (const ChannelUse& one : simulated.network.channels)
    if (one.name == name) return one;
  ADD_FAILURE() << "nothing went over " << name;
  return none;
}

// The same ring: three messages at once on each link to the right, one on each link of a node, none to the left. Then on a hypercube of
// nodes that store, where 0 to 3 goes by 1 (e-cube), each hop in the model's one way.
TEST(Networks, TellWhatWentOverEachChannel) {
  const LinearMachine machine;
  auto ring = TraceBuilder::spread(8);
  for (int rank = 0; rank < 8; ++rank) {
    const auto sent = ring.isend(rank, (rank + 3) % 8, 1000);
    const auto got = ring.irecv(rank, (rank + 5) % 8, 1000);
    ring.wait(rank, {sent}, {got});
  }
  const Simulated torus = run(ring, machine.model(), "torus:dims=8");
  EXPECT_EQ(torus.network.channels.size(), 8u + 16u);
  const ChannelUse& right = channel(torus, "node 7 to node 0, dimension 0");
  EXPECT_EQ(right.messages, 3u);
  EXPECT_NEAR(right.bytes, 3000, 1e-6);
  EXPECT_NEAR(right.busy_s, 3000 * machine.per_byte_s, ps);
  EXPECT_NEAR(right.bytes_per_s * machine.per_byte_s, 1, 1e-9);
  EXPECT_EQ(channel(torus, "the network to node 3").messages, 1u);
  EXPECT_NEAR(channel(torus, "node 3 to the network").busy_s, 3000 * machine.per_byte_s, ps)
      << "a message occupies the links of its route all at once";
  auto two = TraceBuilder::spread(4);
  for (int i = 0; i < 2; ++i) {
    two.send(0, 3, 1000);
    two.recv(3, 0, 1000);
  }
  const Simulated cube = run(two, machine.model(), "hypercube:dims=2:forward=store");
  EXPECT_EQ(cube.network.channels.size(), 2u);
  for (const char* hop : {"node 0 to node 1", "node 1 to node 3"}) {
    EXPECT_EQ(channel(cube, hop).messages, 2u) << hop;
    EXPECT_NEAR(channel(cube, hop).busy_s, 2 * machine.one_way_s(1000), ps) << hop;
  }
}

// What a channel is called follows from the routes: hosts 0 and 4 of a fat tree are in two pods, 8 switches a level; of a dragonfly 0 and 2
// at two routers of a group, 0 and 4 in two groups.
TEST(Networks, ChannelsAreCalledByWhatTheyJoin) {
  const LinearMachine machine;
  const auto names = [&](const std::string& network, int from, int to) {
    auto builder = TraceBuilder::spread(16);
    builder.send(from, to, 1000);
    builder.recv(to, from, 1000);
    std::vector<std::string> found;
    for (const ChannelUse& one : run(builder, machine.model(), network).network.channels)
      found.push_back(one.name);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("fat-tree:k=4", 0, 6),
            (Names{"aggregation switch 0 to core switch 1", "aggregation switch 2 to edge switch 3",
                   "core switch 1 to aggregation switch 2", "edge switch 0 to aggregation switch 0",
                   "node 0 to the network", "the network to node 6"}));
  EXPECT_EQ(names("dragonfly:groups=4:routers=2:hosts=2", 0, 2),
            (Names{"node 0 to the network", "router 0 to router 1", "the network to node 2"}));
  EXPECT_EQ(names("dragonfly:groups=4:routers=2:hosts=2", 0, 4),
            (Names{"group 0 to group 1", "node 0 to the network", "router 3 to router 2",
                   "the network to node 4"}));
  EXPECT_EQ(names("switch", 2, 3), (Names{"host 2 to the switch", "the switch to host 3"}));
}

// k = 4: hosts 0 and 1 share an edge switch. To hosts 8 and 10, whose places at their switches are both 0,
// both go up through the same aggregation switch and share its link; to 8 and 9 they do not.
TEST(Networks, AFatTreesDestinationsChooseTheWayUp) {
  const LinearMachine machine;
  const auto elapsed_s = [&](int first, int second) {
    auto builder = TraceBuilder::spread(16);
    builder.send(0, first, 1000);
    builder.send(1, second, 1000);
    builder.recv(first, 0, 1000);
    builder.recv(second, 1, 1000);
    return run(builder, machine.model(), "fat-tree:k=4").elapsed_s;
  };
  EXPECT_NEAR(elapsed_s(8, 10), machine.latency_s + 2000 * machine.per_byte_s, ps);
  EXPECT_NEAR(elapsed_s(8, 9), machine.latency_s + 1000 * machine.per_byte_s, ps);
}

// From 0 to 7 of a cube and from 1 to 3, e-cube: 0-1-3-7 and 1-3 share the link from 1 to 3. From 2 to 3
// nothing.
TEST(Networks, AHypercubeRoutesByECube) {
  const LinearMachine machine;
  const auto elapsed_s = [&](int from, int to) {
    auto builder = TraceBuilder::spread(8);
    builder.send(0, 7, 1000);
    builder.send(from, to, 1000);
    builder.recv(7, 0, 1000);
    builder.recv(to, from, 1000);
    return run(builder, machine.model(), "hypercube:dims=3").elapsed_s;
  };
  EXPECT_NEAR(elapsed_s(1, 3), machine.latency_s + 2000 * machine.per_byte_s, ps);
  EXPECT_NEAR(elapsed_s(2, 3), machine.latency_s + 1000 * machine.per_byte_s, ps);
}

// All 8 hosts of one group send to another group: by the one link between them eight times the bytes;
// messages that go round by other groups leave it less to carry.
TEST(Networks, AdaptiveRoutingGoesRoundAFullLink) {
  const LinearMachine machine;
  const auto simulated = [&](const std::string& routing) {
    auto builder = TraceBuilder::spread(72);
    for (int rank = 0; rank < 8; ++rank) {
      builder.send(rank, 8 + rank, 1000);
      builder.recv(8 + rank, rank, 1000);
    }
    return run(builder, machine.model(), "dragonfly:groups=9:routers=4:hosts=2:routing=" + routing);
  };
  EXPECT_NEAR(simulated("minimal").elapsed_s, machine.latency_s + 8000 * machine.per_byte_s, ps);
  const Simulated adaptive = simulated("adaptive");
  EXPECT_LT(adaptive.elapsed_s, machine.latency_s + 5000 * machine.per_byte_s);
  EXPECT_GT(counted(adaptive, "detours"), 0);
}

// S1's lines: a message of 1000 bytes over d hops takes F + d E + U (its echo over d hops is twice that and
// X). Of two that want the channel from 1 to 3 together the second waits an E.
TEST(Networks, NodesThatStoreAndForwardTakeEForEachHop) {
  const double f_s = (160 + 600) * us, e_s = (220 + 1285) * us, u_s = (130 + 610) * us;
  for (const int to : {1, 3, 7}) {
    auto builder = TraceBuilder::spread(8);
    builder.send(0, to, 1000);
    builder.recv(to, 0, 1000);
    const int hops = to == 1 ? 1 : to == 3 ? 2 : 3;
    EXPECT_NEAR(run(builder, *find_preset("ncube-seven"), "hypercube:dims=3:forward=store").elapsed_s,
                f_s + hops * e_s + u_s, ps);
  }
  auto builder = TraceBuilder::spread(8);
  builder.send(0, 3, 1000);
  builder.compute(1, e_s);
  builder.send(1, 3, 1000);
  builder.recv(3, 0, 1000);
  builder.recv(3, 1, 1000);
  const Simulated simulated = run(builder, *find_preset("ncube-seven"), "hypercube:dims=3:forward=store");
  EXPECT_NEAR(simulated.elapsed_s, f_s + e_s + 2 * e_s + u_s, ps);
  EXPECT_EQ(counted(simulated, "forwarded"), 1);
  EXPECT_EQ(counted(simulated, "longest_queue"), 2);
}

// S1's experiments 2, 4 and 5: computation of 10 ms takes R longer on a node that a message reaches, S longer
// behind a send, R + S longer on the node between; a message to a node that waits takes what it took before.
TEST(Networks, NodesPayForWhatTheySendReceiveAndForward) {
  const double q_s = 10e-3, f_s = 760 * us, e_s = 1505 * us, u_s = 740 * us;
  const double r_s = (180 + 40) * us, s_s = (150 + 10) * us;
  const auto played = [&](const char* network) {
    auto builder = TraceBuilder::spread(8);
    builder.send(0, 3, 1000);
    builder.compute(0, q_s);
    builder.compute(1, q_s);
    builder.compute(2, q_s);
    builder.compute(3, q_s);
    builder.recv(3, 0, 1000);
    builder.send(4, 5, 1000);
    builder.recv(5, 4, 1000);
    return run(builder, *find_preset("ncube-seven"), network);
  };
  const Simulated paid = played("hypercube:dims=3:forward=node");
  EXPECT_NEAR(paid.ranks[0].elapsed_s, f_s + s_s + q_s, ps);
  EXPECT_NEAR(paid.ranks[1].elapsed_s, q_s + r_s + s_s, ps);
  EXPECT_NEAR(paid.ranks[2].elapsed_s, q_s, ps);
  EXPECT_NEAR(paid.ranks[3].elapsed_s, q_s + r_s + 120 * us + u_s, ps);  // A in the call
  EXPECT_NEAR(paid.ranks[5].elapsed_s, f_s + e_s + u_s, ps);
  const Simulated free = played("hypercube:dims=3:forward=store");
  EXPECT_NEAR(free.ranks[1].elapsed_s, q_s, ps);
}

TEST(Networks, TooFewNodesIsAnError) {
  auto builder = TraceBuilder::spread(5);
  builder.send(0, 1, 1);
  builder.recv(1, 0, 1);
  SimulateOptions options;
  options.network = spec("torus:dims=2x2");
  const auto simulated = replay(builder.trace(), LinearMachine().model(), options);
  ASSERT_FALSE(simulated);
  EXPECT_NE(to_string(simulated.error()).find("the trace has 5 hosts and the network 4 nodes"),
            std::string::npos);
}

// Frames of 1448 bytes at 1 us a byte. 2896 bytes: the first frame is through the sender's port at 1.448 ms,
// and through the receiver's when the second is through the sender's; that takes one frame more: 3 frames,
// and the model's 100 us. Two senders' messages to one receiver interleave frame by frame: 1 + 4 frames.
TEST(Networks, ASwitchStoresAndForwardsFrames) {
  const LinearMachine machine;
  auto one = TraceBuilder::spread(2);
  one.send(0, 1, 2896);
  one.recv(1, 0, 2896);
  EXPECT_NEAR(run(one, machine.model(), "switch").elapsed_s, machine.latency_s + 3 * 1448 * us, ps);
  EXPECT_NEAR(run(one, machine.model(), "switch:rate=80Mb/s").elapsed_s, machine.latency_s + 3 * 144.8 * us,
              ps);
  auto two = TraceBuilder::spread(3);
  for (const int rank : {1, 2}) {
    two.send(rank, 0, 2896);
    two.recv(0, rank, 2896);
  }
  const Simulated simulated = run(two, machine.model(), "switch");
  EXPECT_NEAR(simulated.elapsed_s, machine.latency_s + 5 * 1448 * us, ps);
  EXPECT_EQ(counted(simulated, "frames"), 4);
}

// S4's host at 10 Mb/s: 375 us to hand over, 300 of TCP, the frame with 40 bytes of headers, 18 of Ethernet's
// and 8 of preamble at 0.8 us each, 1 us of cable, 300 of TCP.
TEST(Bus, AMessageOfOnePacketPassesS4sHosts) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  builder.recv(1, 0, 1000);
  const Simulated simulated = run(builder, *find_preset("pvm-ethernet-10"), "bus");
  EXPECT_NEAR(simulated.elapsed_s, (375 + 300 + 1066 * 0.8 + 1 + 300) * us, 2 * ps);
  EXPECT_EQ(counted(simulated, "packets"), 2) << "with the acknowledgement";
  EXPECT_EQ(counted(simulated, "collisions"), 0);
}

// Three full packets: handed over one after the other, the wire is the slowest stage, so the last is through
// it after three frames and two gaps from when the first was ready.
TEST(Bus, PacketsOfAMessageFollowEachOtherOnTheWire) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 4380);
  builder.recv(1, 0, 4380);
  const MachineModel model = *find_preset("pvm-ethernet-10");
  const double frame_s = 1526 * 0.8 * us, block_s = model.costs.F.at(4380) / 3;
  EXPECT_NEAR(run(builder, model, "bus").elapsed_s,
              block_s + 300 * us + 3 * frame_s + 2 * 9.6 * us + 1 * us + 300 * us, 2 * ps);
}

// Two hosts that begin at once collide; one of them is through after the other.
TEST(Bus, HostsThatSendAtOnceCollide) {
  auto builder = TraceBuilder::spread(4);
  builder.send(0, 1, 1000);
  builder.send(2, 3, 1000);
  builder.recv(1, 0, 1000);
  builder.recv(3, 2, 1000);
  const Simulated simulated = run(builder, *find_preset("pvm-ethernet-10"), "bus");
  EXPECT_GE(counted(simulated, "collisions"), 1);
  EXPECT_GT(simulated.elapsed_s, (375 + 300 + 2 * 1066 * 0.8 + 300) * us);
  const Simulated again = run(builder, *find_preset("pvm-ethernet-10"), "bus");
  EXPECT_EQ(simulated.elapsed_s, again.elapsed_s);
  bool another = false;
  for (std::uint64_t seed = 2; seed < 8; ++seed)
    another |= run(builder, *find_preset("pvm-ethernet-10"), "bus", seed).elapsed_s != simulated.elapsed_s;
  EXPECT_TRUE(another);
}

// A rendezvous goes by request and reply, which are packets too: 3 of the message's and the acknowledgement
// of its data.
TEST(Bus, ARendezvousSendsItsRequestAndReplyOverTheBus) {
  MachineModel model = *find_preset("pvm-ethernet-10");
  model.links[0].eager_threshold_bytes = 500;
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  builder.recv(1, 0, 1000);
  EXPECT_EQ(counted(run(builder, model, "bus"), "packets"), 4);
}

// Four hosts that compute and send to each other at random: at ten times the rate the wire is busy a tenth of
// the time, so packets find it busy, or collide, about a tenth as often. S4's appendix has 3.4 to 12.5 for
// what it counts (bench/ethernet has its programs). Collisions proper need two that wait at once and fall by
// far more.
TEST(Bus, TenTimesTheRateCollidesFarLess) {
  std::mt19937_64 random(1);
  auto builder = TraceBuilder::spread(4);
  for (int round = 0; round < 400; ++round)
    for (int rank = 0; rank < 4; ++rank) {
      builder.compute(rank, 20e-3 * static_cast<double>(random() >> 11) * 0x1p-53);
      builder.send(rank, (rank + 1) % 4, 1400);
      builder.recv(rank, (rank + 3) % 4, 1400);
    }
  const Simulated slow = run(builder, *find_preset("pvm-ethernet-10"), "bus"),
                  fast = run(builder, *find_preset("pvm-ethernet-100"), "bus");
  EXPECT_GT(counted(slow, "collisions"), 50);
  EXPECT_LT(counted(fast, "collisions"), counted(slow, "collisions") / 10);
  const double factor = (counted(slow, "collisions") + counted(slow, "deferred")) /
                        (counted(fast, "collisions") + counted(fast, "deferred"));
  EXPECT_GT(factor, 3.4);
  EXPECT_LT(factor, 20);
}

// What is predicted on a bus says so, counts, and has an interval that holds other seeds.
TEST(Bus, APredictionHoldsTheSeeds) {
  auto builder = TraceBuilder::spread(4);
  for (int round = 0; round < 20; ++round)
    for (int rank = 0; rank < 4; ++rank) {
      const auto sent = builder.isend(rank, (rank + 1) % 4, 4000);
      const auto got = builder.irecv(rank, (rank + 3) % 4, 4000);
      builder.wait(rank, {sent}, {got});
    }
  const MachineModel model = *find_preset("pvm-ethernet-10");
  const auto prediction = predict(builder.trace(), model, *parse_what_if("network=bus"));
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SimulateOptions options;
    options.network = spec("bus");
    options.seed = seed;
    options.extra_software_s = prediction->calibrated_software_s;
    const auto simulated = replay(builder.trace(), model, options);
    ASSERT_TRUE(simulated);
    EXPECT_LE(prediction->predicted_low_s, simulated->elapsed_s);
    EXPECT_GE(prediction->predicted_high_s, simulated->elapsed_s);
  }
  const nlohmann::json json = to_json(*prediction);
  EXPECT_EQ(json.at("network").at("name"), "bus");
  EXPECT_GT(json.at("network").at("collisions"), 0);
  EXPECT_TRUE(std::isnan(prediction->latency_s_per_s));
}

}  // namespace
}  // namespace ww::simulate
