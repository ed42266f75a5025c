// Zabel's simulation (S4): its own figures, its appendix, and times worked out by hand from its chapter 4.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machine/presets.hpp"
#include "simulate/stations/workstations.hpp"

namespace ww::stations {
namespace {

// Figure 3.6, whose seven lines are of one station.
TEST(StationLines, OfFigure36AreReadAndWritten) {
  const std::string figure =
      "c 3356 0 0 0\ns 234 48 0 2\nc 499 0 0 0\nm 184 58 0 1 2 3\nr 188 16 2 0\nc 64 0 0 0\nr 142 32 2 0\n";
  const auto lines = parse_station(figure, "figure");
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 7U);
  EXPECT_EQ((*lines)[3], (StationLine{Does::multicast, 184, 58, 0, {1, 2, 3}}));
  EXPECT_EQ((*lines)[4], (StationLine{Does::receive, 188, 16, 2, {0}}));
  std::string again;
  for (const StationLine& line : *lines) again += to_string(line) + "\n";
  EXPECT_EQ(again, figure);
}

// Figures 3.4 and 3.3 a and b; of the latter the text subtracts 28 and 2770 us from a pvm_psend and leaves 289.
TEST(OverheadLines, OfFigures33And34AreReadAndNestedTimeIsSubtracted) {
  const std::string figures =
      "pvm_initsend 242643527 172\npvm_pkdouble 242643799 15\npvm_send 242643886 1731\npvm_recv 242645718 "
      "14068\n"
      "pvm_upkdouble 242659882 15\npvm_initsend 242705149 178\npvm_pkdouble 242705436 1165\npvm_send "
      "242706697 3899\n"
      "pvm_psend 795294710 3087\npvm_pkbyte 795294798 28\npvm_send 795294918 2770\npvm_precv 795297905 "
      "23496\n"
      "pvm_recv 795297915 23276\npvm_upkbyte 795321282 14\npvm_psend 795381544 3983\npvm_pkbyte 795381651 "
      "23\n"
      "pvm_send 795381771 3642\npvm_pkint 845900246 1435\n";
  const auto lines = parse_overhead(figures, "figures");
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 18U);
  std::string again;
  for (const OverheadLine& line : *lines) again += to_string(line) + "\n";
  EXPECT_EQ(again, figures);
  const auto own = own_times_us(*lines);
  EXPECT_EQ(own[8], 289);
  EXPECT_EQ(own[2], 1731);
  EXPECT_EQ(own[11], 23496 - 23276 - 14);
  EXPECT_EQ(own[14], 3983 - 23 - 3642);
}

TEST(StationLines, ThatAreNoneAreNamed) {
  for (const char* wrong :
       {"c 1 0 0\n", "x 1 0 0 0\n", "s -1 4 0 1\n", "s 1 4 0 1 2\n", "s 1 4.5 0 1\n", "cc 1 0 0 0\n"}) {
    const auto lines = parse_station(std::string("c 5 0 0 0\n") + wrong, "file");
    ASSERT_FALSE(lines) << wrong;
    EXPECT_EQ(lines.error().where, "file:2");
  }
  EXPECT_FALSE(parse_overhead("pvm_send 5\n", "file"));
}

std::vector<StationProgram> programs(std::initializer_list<const char*> texts) {
  std::vector<StationProgram> out;
  for (const char* text : texts) out.push_back({parse_station(text, "text").value(), {}});
  return out;
}

// By 4.2 and Figure 4.1: 4032 bytes are three packets of 1500, 1500 and 1152 bytes on the wire, 0.8 us a byte, 9.6 us apart. The sender hands over
// for 375 us and is done with its write after 1000; TCP takes 300 us on either side, once.
TEST(Workstations, AMessageOfThreePacketsTakesWhatChapter4Says) {
  const auto run = run_stations(programs({"s 1000 4032 0 1\n", "r 200 4032 0 1\n"}), {});
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->stations[0].elapsed_s, 1000e-6, 1e-9);
  const double first_s = 375e-6 + 300e-6 + 1200e-6 + 300e-6,
               all_s = 375e-6 + 300e-6 + 4152 * 0.8e-6 + 2 * 9.6e-6;
  EXPECT_NEAR(run->stations[1].elapsed_s, all_s, 2e-6);  // the rest comes after the read of the first is done
  EXPECT_NEAR(run->stations[1].blocked_s, first_s + all_s - first_s - 200e-6, 2e-6);
  EXPECT_NEAR(run->stations[1].tcp_s, 300e-6, 1e-12);
  EXPECT_NEAR(run->stations[0].tcp_s, 300e-6, 1e-12);
  EXPECT_NEAR(run->stations[1].algorithmic_s, 0, 1e-12);
}

// 6.3: from the begin of the receive to the begin of the send is algorithmic, and only the service is shorter on a wire of ten times the rate.
TEST(Workstations, OnlyServiceShrinksWithAFasterWire) {
  const auto stations = programs({"c 5000 0 0 0\ns 400 1460 0 1\n", "r 100 1460 0 1\n"});
  const auto slow = run_stations(stations, {}), fast = run_stations(stations, {.bits_per_s = 100e6});
  ASSERT_TRUE(slow && fast);
  EXPECT_NEAR(slow->stations[1].algorithmic_s, 5e-3, 1e-12);
  EXPECT_NEAR(fast->stations[1].algorithmic_s, 5e-3, 1e-12);
  EXPECT_NEAR(slow->stations[1].service_s - fast->stations[1].service_s, 1500 * 0.72e-6, 1e-8);
}

TEST(Workstations, WhatGoesToItselfIsNotOnTheWire) {
  const auto run = run_stations(programs({"s 100 5000 0 0\nr 50 5000 0 0\n"}), {});
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->elapsed_s(), 150e-6, 1e-9);
  EXPECT_EQ(run->stations[0].tcp_s, 0);
  EXPECT_EQ(run->stations[0].network_s, 0);
}

TEST(Workstations, AMulticastIsOneTransmission) {
  const auto run = run_stations(programs({"m 400 1460 0 1 2\n", "r 10 1460 0 1\n", "r 10 1460 0 2\n"}), {});
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->stations[0].network_s, 1200e-6, 1e-7);
  EXPECT_NEAR(run->stations[0].tcp_s, 300e-6, 1e-12);
  EXPECT_NEAR(run->stations[1].tcp_s + run->stations[2].tcp_s, 600e-6, 1e-12);
}

// A message without a byte takes its packet of 40 bytes, padded to Ethernet's least frame of 64, and TCP on either side.
TEST(Workstations, AMessageWithoutABytesIsOnTheWireAllTheSame) {
  const auto run = run_stations(programs({"s 100 0 0 1\n", "r 50 0 0 1\n"}), {});
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->stations[1].blocked_s, 100e-6 + 600e-6 + 64 * 0.8e-6, 1e-7);
}

TEST(Workstations, AModelOfAnotherNetworkIsRefused) {
  EXPECT_FALSE(rules_of(ncube_seven()));
}

TEST(Workstations, AReceiveWithoutASendIsAnError) {
  const auto run = run_stations(programs({"c 1 0 0 0\n", "r 10 4 0 1\n"}), {});
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().where.find("station 1, line 1"), std::string::npos);
}

// PVM's overhead lies in the computation: 300 of 1000 us, of which a tenth is left.
TEST(Workstations, OverheadCutIsTheLibrarysAlone) {
  auto stations = programs({"c 1000 0 0 0\ns 400 1460 0 1\n", "r 10 1460 0 1\n"});
  stations[0].overhead = {{"pvm_pkdouble", 100, 300}, {"pvm_recv", 500, 250}, {"select", 510, 250}};
  stations[0].overhead[1].time_us = 260;
  const auto run = run_stations(stations, {.overhead = 0.1});
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->stations[0].overhead_s, 0.1 * 310e-6, 1e-9);
  EXPECT_NEAR(run->stations[0].recorded_blocked_s, 250e-6, 1e-12);
  EXPECT_NEAR(run->stations[0].elapsed_s, 1000e-6 * (1 - 0.9 * 0.31) + 400e-6, 1e-9);
  EXPECT_NEAR(run->stations[0].tcp_s, 300e-6, 1e-12);
}

struct OfAppendix {
  const char* benchmark;
  struct One {
    std::uint32_t messages, receives;
    std::uint64_t bytes;
    const char* tcp;  // as printed
  };
  std::vector<One> stations;
};

// Appendix A: messages and bytes of its tables, receives (calls of recv) of its message overheads, TCP's overhead as printed. SP and BT are not here: of
// their messages many are to the station itself, and how many is not printed.
const OfAppendix appendix[] = {
    {"mg",
     {{1717, 215, 6426992, "0.6"},
      {1729, 217, 6430540, "0.6"},
      {1729, 217, 6430540, "0.6"},
      {1709, 205, 6426700, "0.6"}}},
    {"cg",
     {{3991, 2823, 4504264, "2.0"},
      {1591, 1591, 2235180, "1.0"},
      {2371, 1201, 4439460, "1.1"},
      {1591, 1591, 2235180, "1.0"}}},
    {"is",
     {{3629, 96, 14566444, "1.1"},
      {2852, 123, 11419876, "0.9"},
      {5022, 103, 20214820, "1.5"},
      {5012, 113, 20172676, "1.5"}}},
    {"ft",
     {{2731, 63, 11054464, "0.8"},
      {2737, 43, 11054760, "0.8"},
      {2737, 43, 11054760, "0.8"},
      {2737, 43, 11054760, "0.8"}}},
    {"lu",
     {{8, 110, 784, "0.0"},
      {5627, 5425, 993940, "3.3"},
      {5317, 5213, 971908, "3.2"},
      {5317, 5213, 971876, "3.2"},
      {5319, 5211, 972164, "3.2"}}},
};

// Stations that send and receive as often and as much: who sends to whom is not printed, so each message goes to the station that lacks most.
std::vector<StationProgram> synthetic(const OfAppendix& of) {
  const std::size_t n = of.stations.size();
  std::vector<StationProgram> out(n);
  std::vector<std::vector<StationLine>> receives(n);
  std::uint32_t most = 0;
  for (const auto& one : of.stations) most = std::max(most, one.messages);
  for (std::uint32_t k = 0; k < most; ++k) {
    for (std::uint32_t from = 0; from < n; ++from) {
      const auto& one = of.stations[from];
      if (k >= one.messages) continue;
      const std::uint64_t bytes = one.bytes * (k + 1) / one.messages - one.bytes * k / one.messages;
      std::uint32_t to = from == 0 ? 1 : 0;
      const auto lacks = [&](std::uint32_t i) {
        return static_cast<std::int64_t>(of.stations[i].receives) -
               static_cast<std::int64_t>(receives[i].size());
      };
      for (std::uint32_t i = 0; i < n; ++i)
        if (i != from && lacks(i) > lacks(to)) to = i;
      out[from].lines.push_back({Does::send, 400, bytes, from, {to}});
      StationLine* last = nullptr;  // from this source, for what is more than the receives
      for (auto& line : receives[to])
        if (line.source == from) last = &line;
      if (lacks(to) > 0 || last == nullptr)
        receives[to].push_back({Does::receive, 100, bytes, from, {to}});
      else
        last->bytes += bytes;
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    out[i].lines.insert(out[i].lines.end(), receives[i].begin(), receives[i].end());
  return out;
}

TEST(Workstations, TcpColumnsOfAppendixAToThePrintedDigit) {
  for (const OfAppendix& of : appendix) {
    const auto run = run_stations(synthetic(of), rules_of(pvm_ethernet_10()).value());
    ASSERT_TRUE(run) << of.benchmark;
    for (std::size_t i = 0; i < of.stations.size(); ++i) {
      const auto& station = run->stations[i];
      EXPECT_EQ(fmt::format("{:.1f}", station.tcp_s), of.stations[i].tcp) << of.benchmark << " " << i;
      EXPECT_EQ(station.messages, of.stations[i].messages);
      EXPECT_EQ(station.bytes, of.stations[i].bytes);
    }
  }
}

TEST(Workstations, PresetsAreTheDocuments) {
  const StationRules slow = rules_of(pvm_ethernet_10()).value(), fast = rules_of(pvm_ethernet_100()).value();
  EXPECT_NEAR(slow.hand_over_s, 375e-6, 1e-12);
  EXPECT_NEAR(slow.tcp_s, 300e-6, 1e-12);
  EXPECT_NEAR(slow.bits_per_s, 10e6, 1);
  EXPECT_NEAR(fast.bits_per_s, 100e6, 1);
  EXPECT_EQ(slow.payload_bytes, 1460);
  EXPECT_EQ(slow.header_bytes, 40);
}

}  // namespace
}  // namespace ww::stations
