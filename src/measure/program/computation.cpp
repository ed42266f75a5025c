#include "measure/program/computation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "measure/program/session.hpp"

namespace ww::measure {
namespace {
// What the loops leave; another unit could read it, so they cannot be left out.
volatile std::uint64_t integer_result = 0;
volatile double floating_result = 0;
}  // namespace

const char* to_string(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::integer ? "integer" : "floating";
}

void compute(Arithmetic arithmetic, std::int64_t turns) {
  if (arithmetic == Arithmetic::integer) {
    std::uint64_t x = integer_result + 1;
    for (std::int64_t i = 0; i < turns; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
    integer_result = x;
  } else {
    double x = floating_result + 0.5;
    for (std::int64_t i = 0; i < turns; ++i) x = x * 0.999999 + 1e-6;
    floating_result = x;
  }
}

std::int64_t turns_for(Arithmetic arithmetic, double seconds) {
  // a turn waits for the one before it, so its time is the processor's and hardly varies
  static std::array<double, 2> turn_s{0, 0};
  double& each_s = turn_s[arithmetic == Arithmetic::integer ? 0 : 1];
  if (each_s == 0) {
    constexpr std::int64_t turns = 100000;
    each_s = 1;
    for (int i = 0; i < 7; ++i) {
      const double begin = now_s();
      compute(arithmetic, turns);
      each_s = std::min(each_s, (now_s() - begin) / static_cast<double>(turns));
    }
  }
  return std::max<std::int64_t>(1, std::llround(seconds / std::max(each_s, 1e-12)));
}

}  // namespace ww::measure
