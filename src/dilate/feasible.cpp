// Which D a what-if needs. Dilation makes everything of a message D times as fast, and injection can only
// add: a part that is to become faster by more than D stays too slow. What a message is too slow by then,
// summed over its parts, must be within the error of a model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "dilate/dilate.hpp"
#include "machine/message_cost.hpp"

namespace ww {
namespace {

constexpr double tolerated = 0.05;  // what the fit itself may be wrong by
constexpr double exactly = 0.001;   // when D is chosen, not only checked
constexpr double tried_bytes = 1 << 24;

struct Costing {
  double bytes = 0;
  std::array<double, 3> now_s{}, then_s{};  // sender's software, flight, receiver's software

  double total_s() const { return now_s[0] + now_s[1] + now_s[2]; }
  double too_slow_s(double factor) const {
    double sum_s = 0;
    for (std::size_t i = 0; i < now_s.size(); ++i) sum_s += std::max(0.0, now_s[i] - factor * then_s[i]);
    return sum_s;
  }
};

std::array<double, 3> parts_of(const MachineModel& model, const Link& link, double bytes) {
  const MessageCost cost = cost_of_message(model, link, bytes, 0);
  return {cost.send_s, cost.flight_s(), cost.unformat_s};
}

std::vector<Costing> parts_of(const MachineModel& real, const MachineModel& target) {
  std::vector<Costing> all;
  for (const Place place : {Place::inter, Place::intra}) {
    const Link* now = real.link(place);
    const Link* then = target.link(place);
    if (now == nullptr || then == nullptr || now->one_way.empty() || then->one_way.empty()) continue;
    for (double bytes = 1; bytes <= tried_bytes; bytes *= 2)
      all.push_back({bytes, parts_of(real, *now, bytes), parts_of(target, *then, bytes)});
  }
  return all;
}

const Costing* worst_of(const std::vector<Costing>& all, double factor, double tolerance) {
  const Costing* worst = nullptr;
  double by = tolerance;
  for (const Costing& parts : all)
    if (const double share = parts.too_slow_s(factor) / parts.total_s(); share > by) {
      by = share;
      worst = &parts;
    }
  return worst;
}

// The least of the factors for which no message is too slow, to 1%; nothing below 10^6 is enough: nullopt.
std::optional<double> least_of(const std::vector<Costing>& all, double tolerance) {
  double low = 1, high = 1e6;
  if (worst_of(all, low, tolerance) == nullptr) return 1;
  if (worst_of(all, high, tolerance) != nullptr) return std::nullopt;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (worst_of(all, middle, tolerance) == nullptr ? high : low) = middle;
  }
  const double unit = std::pow(10, std::floor(std::log10(high)) - 2);  // three digits
  return std::ceil(high / unit) * unit;
}

double least_by_spec(const WhatIf& what_if) {
  return std::max({1.0, what_if.compute, what_if.bandwidth, 1 / what_if.latency, 1 / what_if.software});
}

// The factors of a SPEC say themselves what D they need; a latency in seconds, or a factor on the bytes'
// software, is known against the machine only.
bool says_itself(const WhatIf& what_if) {
  return !what_if.latency_s && what_if.per_byte >= 1;
}

}  // namespace

double least_factor(const WhatIf& what_if, const MachineModel& machine) {
  const double by_spec = least_by_spec(what_if);
  if (says_itself(what_if)) return by_spec;
  const std::vector<Costing> all = parts_of(machine, apply(machine, what_if));
  auto least = least_of(all, exactly);
  // A latency that is nearly all of what was measured leaves nothing of some sizes: then what is_large_enough() lets pass.
  if (!least) least = least_of(all, tolerated);
  return least ? std::max(by_spec, *least) : by_spec;
}

Result<void> is_large_enough(double factor, const WhatIf& what_if, const MachineModel& real) {
  // where the factors say that it is, what is left is the noise of the model
  if (says_itself(what_if) && factor >= least_by_spec(what_if)) return {};
  const MachineModel target = apply(real, what_if);
  const std::vector<Costing> all = parts_of(real, target);
  const Costing* worst = worst_of(all, factor, tolerated);
  if (worst == nullptr) return {};
  const auto least = least_of(all, tolerated);
  return wrong_usage(
      fmt::format(
          "D = {:g} is too small for this what-if: a message of {:.0f} bytes would be {:.0f}% too slow",
          factor, worst->bytes,
          100 * worst->too_slow_s(factor) / (worst->total_s() - worst->too_slow_s(factor))),
      "-D",
      least ? fmt::format("D = {:g} is the least; or leave the choice to whatwire", *least)
            : std::string("no D is large enough: simulate it"));
}

}  // namespace ww
