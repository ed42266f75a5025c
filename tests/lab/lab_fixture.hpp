// A fixture for tests on real labs. Skipped, with the reason, where namespaces or TAPs are not possible.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "lab/lab.hpp"

namespace ww::lab {

inline constexpr double ten_megabit = 1.25e6;

// Unique among test programs that run at the same time.
inline std::string lab_name(const std::string& what) {
  return what + std::to_string(getpid() % 100000);
}

inline std::filesystem::path directory_of(const std::string& name) {
  return std::filesystem::path("/run/whatwire") / name;
}

// COMMAND on that host of the lab.
inline std::vector<std::string> on(const std::string& name, int host, std::vector<std::string> command) {
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
    for (const std::string& name : made_) (void)down(name);
  }
  std::string make(const std::string& what, double rate_bytes_per_s, int hosts = 2) {
    const std::string name = lab_name(what);
    const auto made = up({.name = name, .hosts = hosts, .wire = {.rate_bytes_per_s = rate_bytes_per_s}});
    if (!made)
      ADD_FAILURE() << to_string(made.error());
    else
      made_.push_back(name);
    return name;
  }
  std::vector<std::string> made_;
};

}  // namespace ww::lab
