#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/numbers.hpp"
#include "dilate/dilate.hpp"

namespace ww {
namespace {

constexpr double tolerated_error = 0.05;

}  // namespace

std::vector<SelfTest> self_test(Dilation& dilation) {
  std::vector<SelfTest> out;
  for (const SpeedUp& s : dilation.speedup) {
    if (s.factor == 1) continue;
    out.push_back({s.factor, 1 / s.value - 1, 1 / s.high - 1, 1 / s.low - 1});
    const SelfTest& test = out.back();
    if (test.low > tolerated_error || test.high < -tolerated_error)
      dilation.diagnostics.add(
          "self-test-off",
          fmt::format("dilated by {:g} with everything held back the program takes {} of its time more; "
                      "measure the machine again without other load, or trust what simulation says",
                      test.factor, signed_percent(test.error)));
  }
  return out;
}

nlohmann::json to_json(const std::vector<SelfTest>& tests) {
  nlohmann::json out = nlohmann::json::array();
  for (const SelfTest& test : tests)
    out.push_back({{"D", test.factor}, {"error", test.error}, {"low", test.low}, {"high", test.high}});
  return out;
}

}  // namespace ww
