// Programs for tests to look at.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/subprocess.hpp"

namespace ww {

inline void compile(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), CC);
  const auto finished = run({.arguments = arguments});
  ASSERT_TRUE(finished) << to_string(finished.error());
  ASSERT_EQ(finished->exit_code, 0) << shell_quoted(arguments);
}

}  // namespace ww
