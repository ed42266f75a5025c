#include "dilate/told_costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/result.hpp"
#include "machine/message_cost.hpp"
#include "machine/presets.hpp"
#include "machine/what_if.hpp"

namespace ww {
namespace {

constexpr std::size_t curves = 5;

// Reads the curves of the text as told_costs.hpp describes it, apart from the library's own reader.
std::vector<double> read(const std::string& text, double bytes, double& eager) {
  std::vector<double> values;
  std::size_t at = text.find(';');
  eager = std::strtod(text.c_str(), nullptr);
  while (at != std::string::npos && values.size() < curves) {
    const std::size_t end = text.find(';', at + 1);
    std::string part = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    double value = 0;
    const char* piece = part.c_str();
    while (*piece != 0) {
      double from = 0, base_s = 0, per_byte = 0;
      int used = 0;
      EXPECT_EQ(std::sscanf(piece, "%lf:%lf:%lf%n", &from, &base_s, &per_byte, &used), 3) << piece;
      if (from <= bytes) value = base_s + per_byte * bytes;
      piece += used + (piece[used] == ',' ? 1 : 0);
    }
    values.push_back(value);
    at = end;
  }
  return values;
}

MachineModel two_speeds() {
  MachineModel model;
  Link link;
  link.latency_s = 20e-6;
  link.eager_threshold_bytes = 65536;
  link.one_way.segments = {{0, 1000, 60e-6, 0.1e-6, {}, {}}, {1000, 1e9, 80e-6, 0.08e-6, {}, {}}};
  model.links = {link};
  model.costs.F.segments = {{0, 1e9, 5e-6, 0.2e-9, {}, {}}};
  model.costs.U.segments = {{0, 1e9, 7e-6, 0.3e-9, {}, {}}};
  return model;
}

// By the closed loop: what the parts add up to is the one-way time T(n) of the model.
TEST(MessageCosts, PartsAddUpToTheOneWayTime) {
  const MachineModel model = two_speeds();
  const std::string text = message_costs(model, Place::inter, {});
  for (const double bytes : {0.0, 8.0, 999.0, 1000.0, 4096.0, 65536.0, 65537.0, 1e6, 3e7}) {
    double eager = 0;
    const auto part = read(text, bytes, eager);
    ASSERT_EQ(part.size(), curves) << text;
    EXPECT_EQ(eager, 65536);
    const double whole_s = model.link(Place::inter)->one_way.at(bytes);
    EXPECT_NEAR(part[0] + part[1] + part[2], whole_s, 0.006 * whole_s) << bytes;
    if (bytes <= 65536) {  // beyond, the wire leaves less than F + U
      EXPECT_NEAR(part[0], 5e-6 + 0.2e-9 * bytes, 0.006 * whole_s) << bytes;
      EXPECT_NEAR(part[2], 7e-6 + 0.3e-9 * bytes, 0.006 * whole_s) << bytes;
    }
    const double latency_s = bytes > 65536 ? 2 * 20e-6 : 0;  // a request and its reply
    EXPECT_NEAR(part[4], latency_s, 1e-9 + 0.01 * latency_s) << bytes;
    EXPECT_LE(part[3], part[1]);
  }
}

// A quarter of a small message's send keeps its rank; the rest is on its way, and a large one is as before.
TEST(MessageCosts, WhatASendDoesNotKeepItsRankForIsUnderWay) {
  const MachineModel model = two_speeds();
  const std::string alone = message_costs(model, Place::inter, {}),
                    in_a_row = message_costs(model, Place::inter, {0, 0.25});
  for (const double bytes : {8.0, 4096.0, 65536.0, 1e6}) {
    double eager = 0;
    const auto before = read(alone, bytes, eager), after = read(in_a_row, bytes, eager);
    const double share = bytes > eager ? 1 : 0.25, whole_s = before[0] + before[1] + before[2];
    EXPECT_NEAR(after[0], share * before[0], 0.006 * whole_s) << bytes;
    EXPECT_NEAR(after[0] + after[1] + after[2], whole_s, 0.006 * whole_s) << bytes;
    for (const std::size_t same : {2u, 3u, 4u})
      EXPECT_NEAR(after[same], before[same], 0.006 * whole_s) << bytes;
  }
}

// Three times the software of a message of 1 byte, of links between hosts; between them a reply may lie behind data.
TEST(MessageCosts, TellsWhatIsReadTogether) {
  const std::string text = message_costs(two_speeds(), Place::inter, {});
  EXPECT_EQ(std::count(text.begin(), text.end(), ';'), 6);
  EXPECT_NEAR(std::strtod(text.c_str() + text.rfind(';') + 1, nullptr), 3 * (5e-6 + 0.2e-9 + 7e-6 + 0.3e-9),
              1e-12);
}

// What a message keeps the port longer while another goes the other way, by the two-way efficiency of small ones, 0.8: a quarter of its time there.
TEST(MessageCosts, TellsWhatMessagesLoseThatMeet) {
  MachineModel model = two_speeds();
  EXPECT_EQ(message_costs(model, Place::inter, {}).find(";meeting="), std::string::npos)
      << "no wire is known";
  Link& link = model.links.front();
  link.wire.emplace();
  link.wire->seconds_per_byte = 0.08e-6;
  link.wire->frame_payload_bytes = 1448;
  link.wire->frame_overhead_bytes = 0;
  link.wire->two_way_efficiency = 0.5;
  link.wire->two_way_efficiency_eager = 0.8;
  const std::string text = message_costs(model, Place::inter, {});
  const std::size_t at = text.find(";meeting=");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string meeting = text.substr(at + 9, text.find(';', at + 9) - at - 9);
  // Also of the largest, with a handshake, whose other loss is the order of replies, which clocks have themselves.
  for (const double bytes : {500.0, 4096.0, 1e6}) {
    double eager = 0;
    const double meeting_s = read("0;" + meeting, bytes, eager)[0];
    const double port_s = cost_of_message(model, link, bytes, 0).port_s;
    EXPECT_NEAR(meeting_s, port_s * (1 / 0.8 - 1), 0.01 * port_s) << bytes;
  }
  // Of messages that no play has five times the software.
  const std::size_t near = text.find(";near=");
  ASSERT_NE(near, std::string::npos) << text;
  EXPECT_NEAR(std::stod(text.substr(near + 6)), 5 * (5e-6 + 0.2e-9 + 7e-6 + 0.3e-9), 1e-12);
}

// Of TCP as Linux sets it the window at the end of slow start: 18 frames at least, and two queues of 4 ms, here of frames of 0.1 ms.
TEST(MessageCosts, TellsTheWindowOfLinuxsTcp) {
  MachineModel model = two_speeds();
  Link& link = model.links.front();
  link.wire.emplace();
  link.wire->frame_payload_bytes = 900;
  link.wire->frame_overhead_bytes = 100;
  const auto told = [&](double seconds_per_byte, bool linux_tcp) {
    link.wire->seconds_per_byte = seconds_per_byte;
    model.lab.linux_tcp = linux_tcp;
    const std::string text = message_costs(model, Place::inter, {});
    const std::size_t at = text.find(";window=");
    return at == std::string::npos ? 0 : std::stod(text.substr(at + 8));
  };
  EXPECT_EQ(told(1e-6, true), 18);
  EXPECT_NEAR(told(0.1e-6, true), 80, 1e-6);
  EXPECT_EQ(told(1e-6, false), 0);
}

// What a sender's system takes ahead, and the frame of a request, are told where the model knows them.
TEST(MessageCosts, TellsWhatIsTakenAheadAndAControlFrame) {
  MachineModel model = two_speeds();
  Link& link = model.links.front();
  EXPECT_EQ(message_costs(model, Place::inter, {}).find(";ahead="), std::string::npos);
  link.sent_ahead_bytes = 523840;
  link.wire.emplace();
  link.wire->seconds_per_byte = 1e-6;
  link.wire->handshake_frame_bytes = 80;
  const std::string text = message_costs(model, Place::inter, {});
  EXPECT_NE(text.find(";ahead=523840;control=8e-05"), std::string::npos) << text;
}

// Against cost_of_message itself, where the wire's frames make steps.
TEST(MessageCosts, FollowsTheStepsOfFrames) {
  for (const Preset* of : presets()) {
    const std::string name = of->name;
    const MachineModel model = of->make();
    for (const Place place : {Place::inter, Place::intra}) {
      const Link* link = model.link(place);
      const std::string text = message_costs(model, place, {});
      if (link == nullptr || link->one_way.empty()) {
        EXPECT_EQ(text, "");
        continue;
      }
      EXPECT_LT(text.size(), 65536u) << name << ": an environment string has a limit of 128 KiB";
      for (double bytes = 1; bytes < 1e7; bytes = std::ceil(bytes * 1.37)) {
        double eager = 0;
        const auto part = read(text, bytes, eager);
        ASSERT_EQ(part.size(), curves);
        const MessageCost cost = cost_of_message(model, *link, bytes, 0);
        const double whole_s = link->one_way.at(bytes);
        EXPECT_NEAR(part[0], cost.send_s, 0.03 * whole_s + 2e-8) << name << ' ' << bytes;
        EXPECT_NEAR(part[2], cost.unformat_s, 0.03 * whole_s + 2e-8) << name << ' ' << bytes;
        EXPECT_NEAR(part[3], cost.port_s, 0.03 * whole_s + 2e-8) << name << ' ' << bytes;
        EXPECT_NEAR(part[0] + part[1] + part[2], whole_s, 0.03 * whole_s + 2e-8) << name << ' ' << bytes;
      }
    }
  }
}

TEST(MessageCosts, NothingForALinkThatTheModelDoesNotHave) {
  EXPECT_EQ(message_costs(two_speeds(), Place::intra, {}), "");
  EXPECT_EQ(costs_environment(two_speeds(), two_speeds(), {}, {}).size(), 2u);
}

TEST(MessageCosts, EitherMachineHasItsOwnOfTheSoftwareThatWasFound) {
  const SoftwareTold of_machine{10e-6, 1}, of_target{5e-6, 1};
  const auto variables = costs_environment(two_speeds(), two_speeds(), of_machine, of_target);
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0].second, message_costs(two_speeds(), Place::inter, of_machine));
  EXPECT_EQ(variables[1].second, message_costs(two_speeds(), Place::inter, of_target));
  EXPECT_NE(variables[0].second, variables[1].second);
}

}  // namespace
}  // namespace ww
