// A fixture for tests on real labs. Skipped, with the reason, where namespaces or TAPs are not possible, and
// where the machine was never on time while a rate was to be judged.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "base/files.hpp"
#include "lab/lab.hpp"
#include "lab/lab_plan.hpp"
#include "lab/runtime.hpp"
#include "lab/switch/timetable.hpp"
#include "machine_watch.hpp"

namespace ww::lab {

inline constexpr double ten_megabit = 1.25e6;
// Those that store and forward, by one schedule.
inline constexpr WireKind switches[] = {WireKind::switched, WireKind::kernel};

// Unique among test programs that run at the same time.
inline LabName lab_name(const std::string& what) {
  const auto name = LabName::parse(what + std::to_string(getpid() % 100000));
  EXPECT_TRUE(name);
  return name.value_or(LabName());
}

inline std::filesystem::path directory_of(const LabName& name) {
  return lab_directory(name).value_or("");
}

// COMMAND on that host of the lab.
inline std::vector<std::string> on(const LabName& name, int host, std::vector<std::string> command) {
  std::vector<std::string> line{helper_program("ww-lab-agent"), "--on", directory_of(name),
                                std::to_string(host), "--"};
  line.insert(line.end(), command.begin(), command.end());
  return line;
}

class Lab : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto can = possible(); !can) GTEST_SKIP() << to_string(can.error());
    if (geteuid() != 0) GTEST_SKIP() << "not root: /dev/net/tun is usually root's";
  }
  void TearDown() override {
    for (const LabName& name : made_) (void)down(name);
    if (!not_judged_.empty()) GTEST_SKIP() << "not judged: " << not_judged_;
  }
  LabName make(const std::string& what, double rate_bytes_per_s, int hosts = 2,
               WireKind kind = WireKind::switched) {
    const LabName name = lab_name(what);
    const auto made =
        up({.name = name, .hosts = hosts, .wire = {.rate_bytes_per_s = rate_bytes_per_s, .kind = kind}});
    if (!made)
      ADD_FAILURE() << to_string(made.error());
    else
      made_.push_back(name);
    return name;
  }

  // What `work` gives; how much the machine was away meanwhile, beyond what a wire of that rate covers, is
  // kept for on_time.
  template <class Work>
  auto watched(double rate_bytes_per_s, const Work& work) {
    MachineWatch watch;
    auto result = work();
    watch.stop();
    away_ = watch.away(static_cast<double>(WireTimes{rate_bytes_per_s}.covered_ns()) * 1e-9);
    return result;
  }
  // The first `wanted` of at most twice as many and two measurements, each with a `watched` in it, during
  // which the machine was there. If there were not so many none: the test goes on with what else it judges,
  // and is skipped at its end unless that fails.
  template <class Measure>
  auto on_time(const std::string& what, std::size_t wanted, const Measure& measure) {
    constexpr double most_away = 0.01;  // of the 3% and more by which rates may be off
    std::vector<std::invoke_result_t<Measure, std::uint64_t>> good;
    double least_away = 1e9;
    for (std::uint64_t time = 1; time <= 2 * wanted + 2 && good.size() < wanted && !HasFailure(); ++time) {
      auto found = measure(time);
      least_away = std::min(least_away, away_);
      if (away_ <= most_away) good.push_back(std::move(found));
    }
    if (good.size() < wanted) {
      good.clear();
      not_judged_ += fmt::format("{}: its cores were taken from the machine for {:.1f}% of the time; ", what,
                                 100 * least_away);
    }
    return good;
  }

  std::vector<LabName> made_;
  double away_ = 0;
  std::string not_judged_;
};

}  // namespace ww::lab
