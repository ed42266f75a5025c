#include "study/second_recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ww {
namespace {

constexpr double of_half_width = 0.25, of_time = 0.01;
constexpr double quickest_bytes_per_s = 125e6;
constexpr double beyond = 1.5, between = 0.5;  // powers of the ratio that is asked for
constexpr double too_near = 0.10, aside = 1.25;

double half_width_s(const Prediction& p) {
  return std::max(p.predicted_high_s - p.predicted_s, p.predicted_s - p.predicted_low_s);
}

bool is_asked_for(double factor, const std::vector<WhatIf>& what_ifs) {
  return std::any_of(what_ifs.begin(), what_ifs.end(), [&](const WhatIf& what_if) {
    return std::fabs(std::log(factor / what_if.bandwidth)) < too_near;
  });
}

}  // namespace

bool is_computation_in_doubt(const Prediction& p) {
  return p.has_interval && p.computation_doubt_s >= of_half_width * half_width_s(p) &&
         p.computation_doubt_s >= of_time * p.predicted_s;
}

std::string OtherNetwork::in_words() const {
  return shared_memory ? "shared memory"
                       : fmt::format("the lab's wire at {:.3g} times its rate", rate_factor);
}

OtherNetwork other_network(const std::vector<WhatIf>& what_ifs, const std::vector<Prediction>& predictions,
                           const lab::SwitchWire& wire, std::size_t ranks, int cores) {
  const WhatIf* most = nullptr;
  double most_doubt = 0;
  for (std::size_t i = 0; i < what_ifs.size(); ++i) {
    const double doubt = predictions[i].computation_doubt_s / predictions[i].predicted_s;
    if (!is_computation_in_doubt(predictions[i]) || doubt <= most_doubt) continue;
    most = &what_ifs[i];
    most_doubt = doubt;
  }
  OtherNetwork out;
  if (most == nullptr) {
    out.why_not = "no prediction rests on it";
    return out;
  }
  const double asked = most->bandwidth;
  if (asked != 1 && wire.kind == lab::WireKind::switched && wire.rate_bytes_per_s > 0) {
    out.rate_factor = std::pow(asked, asked > 1 ? beyond : between);
    if (asked > 1 && out.rate_factor * wire.rate_bytes_per_s > quickest_bytes_per_s)
      out.rate_factor = std::pow(asked, between);
    // Downwards of a quicker wire, upwards of a slower one: towards the one that there is.
    while (is_asked_for(out.rate_factor, what_ifs)) out.rate_factor *= asked > 1 ? 1 / aside : aside;
    return out;
  }
  if (ranks <= static_cast<std::size_t>(std::max(0, cores)))
    out.shared_memory = true;
  else
    out.why_not = fmt::format(
        "{} ranks in shared memory would share {} cores, and no rate of the wire is asked for", ranks, cores);
  return out;
}

}  // namespace ww
