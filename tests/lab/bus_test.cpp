// The lab's shared bus with real TCP on it, beside the same bus with the frames that TCP should come to
// (ether/tcp_traffic.hpp): full frames of 1448 bytes for the user, 1518 with Ethernet's, IP's and TCP's
// headers (14 + 20 + 32) and the check sequence, and for every second one an acknowledgement of 70.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/subprocess.hpp"
#include "ether/tcp_traffic.hpp"
#include "lab_fixture.hpp"

namespace ww::lab {
namespace {

constexpr double user_bytes = 1448, data_frame = 1518, acknowledgement_frame = 70;

struct Seen {
  std::vector<double> received;  // what each listener said
  double packets = 0, bytes = 0, collisions = 0, collided_attempts = 0, given_up = 0, busy_s = 0,
         wanted_s = 0;
  double late_us = 0;
  double away = 0;  // the part of the time for which the machine took a core away
  double all_received() const {
    double sum = 0;
    for (const double each : received) sum += each;
    return sum;
  }
  double collisions_per_packet() const { return collided_attempts / packets; }
  double utilisation() const { return busy_s / wanted_s; }
  // Of the two kinds of frames, from the number of all and of their bytes.
  double data_frames() const {
    return (bytes - acknowledgement_frame * packets) / (data_frame - acknowledgement_frame);
  }
  double acknowledgements_per_frame() const { return packets / data_frames() - 1; }
};

class BusLab : public Lab {
 protected:
  LabName make_bus(const std::string& what, double rate_bytes_per_s, int hosts, std::uint64_t seed = 1) {
    const LabName name = lab_name(what);
    const auto made =
        up({.name = name,
            .hosts = hosts,
            .wire = {.rate_bytes_per_s = rate_bytes_per_s, .kind = WireKind::bus, .seed = seed}});
    if (!made)
      ADD_FAILURE() << to_string(made.error());
    else
      made_.push_back(name);
    return name;
  }

  // Hosts 1 .. senders each send to host 0 by a connection of lab_tcp_pair; what the bus counted meanwhile.
  Seen traffic(const LabName& name, int senders, const std::vector<std::string>& what) {
    const auto before = status(name);
    if (!before) return {};
    const std::string address = (*before)["hosts"][0]["address"];
    std::string listeners, callers;
    for (int sender = 1; sender <= senders; ++sender) {
      const std::string port = ":" + std::to_string(5555 + sender);
      std::vector<std::string> listener{LAB_TCP_PAIR, "-" + port}, caller{LAB_TCP_PAIR, address + port};
      listener.insert(listener.end(), what.begin(), what.end());
      caller.insert(caller.end(), what.begin(), what.end());
      listeners += shell_quoted(on(name, 0, listener)) + " & ";
      callers += shell_quoted(on(name, sender, caller)) + " & ";
    }
    const auto done = watched((*before)["wire"]["rate_bytes_per_s"], [&] {
      return run({.arguments = {"sh", "-c", listeners + callers + "wait"},
                  .output = Command::Output::capture,
                  .capture_errors = true,
                  .time_limit_s = 30});
    });
    const auto after = status(name);
    if (!done || !after) return {};
    Seen seen;
    std::istringstream said(done->output);
    for (double each = 0; said >> each;) seen.received.push_back(each);
    const auto &a = (*before)["switch"]["bus"], &b = (*after)["switch"]["bus"];
    const auto more = [&](const char* key) { return b[key].get<double>() - a[key].get<double>(); };
    seen.packets = more("packets");
    seen.bytes = more("bytes");
    seen.collisions = more("collisions");
    seen.collided_attempts = more("collided_attempts");
    seen.given_up = more("given_up");
    seen.busy_s = more("busy_s");
    seen.wanted_s = more("wanted_s");
    seen.late_us = (*after)["switch"]["late_us"]["p99"];
    EXPECT_EQ(seen.received.size(), static_cast<std::size_t>(senders)) << done->errors;
    return seen;
  }

  // Of so many senders on a new bus of that rate, `wanted` times; see on_time.
  std::vector<Seen> transfers(double rate_bytes_per_s, int senders, std::size_t wanted,
                              const std::vector<std::string>& what) {
    return on_time(fmt::format("{} of {} at {:.0f} Mb/s", what[0], senders, 8e-6 * rate_bytes_per_s), wanted,
                   [&](std::uint64_t seed) {
                     const LabName name = make_bus(what[0], rate_bytes_per_s, senders + 1, seed);
                     Seen seen = traffic(name, senders, what);
                     seen.away = away_;
                     EXPECT_TRUE(down(name));
                     return seen;
                   });
  }
};

ether::TcpHosts simulated(double rate_bytes_per_s, ether::TcpTraffic traffic, double seconds) {
  ether::BusRules rules;
  rules.bits_per_s = 8 * rate_bytes_per_s;
  if (rate_bytes_per_s > ten_megabit) traffic.signal_ps = 640'000;
  ether::TcpHosts hosts(rules, traffic, 1);
  hosts.run(seconds);
  return hosts;
}

// Without collisions two frames of data and their acknowledgement would take 2 * 1538 + 90 bytes (with
// preambles and gaps), of which 2896 are the user's: 91.5% of the wire. Each acknowledgement is ready while
// the sender's next frame is on the wire, and so begins together with the one after: it collides. The bus's
// rules say what that costs: 89.4% are left.
TEST_F(BusLab, OneSenderReachesWhatTheRulesLeaveIt) {
  for (const double rate : {ten_megabit, 10 * ten_megabit}) {
    const double seconds = rate > ten_megabit ? 10 : 100;
    const double expected = simulated(rate, {}, seconds).frames_per_s() * user_bytes;
    EXPECT_LT(expected, 0.915 * rate);
    std::vector<Seen> seen = transfers(rate, 1, 5, {"bulk", "2.5"});
    if (seen.empty()) continue;
    std::sort(seen.begin(), seen.end(),
              [](const Seen& a, const Seen& b) { return a.all_received() < b.all_received(); });
    // When a frame is given up TCP halves its window, so that runs differ by 1% (one sigma at 10 Mb/s); when
    // its repetition is given up too, it may wait for its timer, 0.2 s. So: the mean without the extremes.
    // What the cores' being away took of a run is no rate of the bus: each is judged by the time that was left.
    double reached = 0;
    for (const Seen& one : seen) {
      const bool extreme = &one == &seen.front() || &one == &seen.back();
      if (!extreme)
        reached += one.all_received() / expected / (1 - one.away) / static_cast<double>(seen.size() - 2);
      std::printf(
          "%.0f Mb/s, one sender: %.0f bytes/s, expected %.0f: %+.1f%%; acknowledgements a frame %.3f, "
          "collisions a packet %.3f, given up %.0f, 99%% at most %.0f us late, cores away %.2f%%\n",
          8e-6 * rate, one.all_received(), expected, 100 * (one.all_received() / expected - 1),
          one.acknowledgements_per_frame(), one.collisions_per_packet(), one.given_up, one.late_us,
          100 * one.away);
    }
    EXPECT_NEAR(reached, 1, 0.03);
  }
}

void print(const std::string& what, const Seen& seen, const ether::TcpHosts& hosts) {
  std::printf(
      "%s: utilisation %.3f, simulated %.3f; collisions a packet %.3f, simulated %.3f; given up %.2f%%, "
      "simulated %.2f%%; 99%% at most %.0f us late\n",
      what.c_str(), seen.utilisation(), hosts.utilisation(), seen.collisions_per_packet(),
      hosts.collisions_per_packet(), 100 * seen.given_up / seen.packets,
      100 * static_cast<double>(hosts.counts().dropped) / static_cast<double>(hosts.counts().sent),
      seen.late_us);
}

// Hosts that always have a full frame (datagrams): the same frames as on the simulated bus. What got through,
// as a share of the time. Collisions in 3 s at 10 Mb/s vary by 10% with the seed, as one host's luck lasts
// for long.
TEST_F(BusLab, SaturatedHostsShareTheWireAsSimulated) {
  for (const double rate : {ten_megabit, 10 * ten_megabit})
    for (const int senders : {2, 4}) {
      const auto seen_on_time = transfers(rate, senders, 1, {"flood", "3"});
      if (seen_on_time.empty()) continue;
      const Seen& seen = seen_on_time[0];
      const ether::TcpHosts hosts =
          simulated(rate, {.senders = static_cast<std::uint32_t>(senders), .acknowledgements_per_frame = 0},
                    rate > ten_megabit ? 10 : 100);
      print(fmt::format("{:.0f} Mb/s, {} saturated hosts", 8e-6 * rate, senders), seen, hosts);
      EXPECT_NEAR(seen.utilisation() / hosts.utilisation(), 1, 0.05);
      EXPECT_NEAR(seen.collisions_per_packet() / hosts.collisions_per_packet(), 1, 0.35);
    }
}

// TCP's senders are not saturated: their windows close while a host that wins again and again keeps the
// acknowledgements from the wire (the capture effect), and after a frame that was given up. So more hosts win
// in turn, with more collisions. The simulated hosts have no windows, and as many acknowledgements for a
// frame of data as were seen.
TEST_F(BusLab, SeveralSendersOfTcpGetMostOfTheWire) {
  for (const double rate : {ten_megabit, 10 * ten_megabit})
    for (const int senders : {2, 4}) {
      const auto seen_on_time = transfers(rate, senders, 1, {"bulk", "3"});
      if (seen_on_time.empty()) continue;
      const Seen& seen = seen_on_time[0];
      const ether::TcpHosts hosts =
          simulated(rate,
                    {.senders = static_cast<std::uint32_t>(senders),
                     .acknowledgements_per_frame = seen.acknowledgements_per_frame()},
                    rate > ten_megabit ? 10 : 100);
      print(fmt::format("{:.0f} Mb/s, TCP of {} senders, {:.2f} acknowledgements a frame", 8e-6 * rate,
                        senders, seen.acknowledgements_per_frame()),
            seen, hosts);
      EXPECT_LT(seen.utilisation() / hosts.utilisation(), 1.05);
      EXPECT_GT(seen.utilisation() / hosts.utilisation(), 0.7);
      EXPECT_GT(seen.collisions, 0);
    }
}

// The same messages in the same time: three hosts, each 4344 bytes (three frames) at random times. S4's
// appendix (messages in pieces of 4080 bytes) has 5174 collisions at 10 Mb/s and 514 at 100 for mg, and for
// its seven programs factors of 3.4 to 12.5.
TEST_F(BusLab, CollisionsFallWhenTheSameLoadMeetsAFasterWire) {
  constexpr double gap_s = 15e-3;  // 70% of 10 Mb/s
  std::vector<double> seen, expected;
  for (const double rate : {ten_megabit, 10 * ten_megabit}) {
    const auto loads = transfers(rate, 3, 1, {"pace", "5", "4344", std::to_string(1e6 * gap_s)});
    if (loads.empty()) return;
    const Seen& load = loads[0];
    EXPECT_GT(load.all_received(), 0.8 * 3 * 4344 * 5 / gap_s);
    const ether::TcpHosts hosts = simulated(rate, {.senders = 3, .message_frames = 3, .gap_s = gap_s}, 200);
    std::printf("%.0f Mb/s, the same load: %.0f packets, %.0f collisions, %.3f a packet, simulated %.3f\n",
                8e-6 * rate, load.packets, load.collisions, load.collisions_per_packet(),
                hosts.collisions_per_packet());
    seen.push_back(load.collisions_per_packet());
    expected.push_back(hosts.collisions_per_packet());
  }
  std::printf("collisions a packet fall by %.1f, simulated %.1f\n", seen[0] / seen[1],
              expected[0] / expected[1]);
  EXPECT_GT(seen[0], 3 * seen[1]);
}

}  // namespace
}  // namespace ww::lab
