#include "dilate/told_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "interpose/core/environment.hpp"
#include "machine/message_cost.hpp"

namespace ww {
namespace {

constexpr std::size_t parts = 6;
constexpr std::size_t of_one_message = 5;  // the last is what it lasts longer when it meets another
constexpr std::size_t most_pieces = 250;
constexpr double tolerance = 0.005, tolerance_s = 10e-9;
constexpr double largest_bytes = 1 << 30;

using Parts = std::array<double, parts>;

// What a small message's send does not keep its rank for is on its way with it.
Parts parts_of(const MessageCost& cost, double kept_share, double rate_when_meeting) {
  const bool alone = cost.protocol == Protocol::eager && cost.ports;
  const double kept_s = cost.send_s * (alone ? kept_share : 1);
  return {kept_s,          cost.flight_s() + cost.send_s - kept_s,
          cost.unformat_s, cost.port_s,
          cost.reply_s(),  cost.ports ? cost.port_s * (1 / rate_when_meeting - 1) : 0};
}

class Cutter {
 public:
  Cutter(const MachineModel& model, const Link& link, const SoftwareTold& told)
      : model_(model), link_(link), told_(told) {}

  // The sizes from `from` to `last`, both whole bytes and both included.
  void cut(double from, double last) {
    const Parts at_from = at(from), at_last = at(last);
    const double width = last - from;
    Parts slope{};
    for (std::size_t i = 0; i < parts; ++i) slope[i] = width > 0 ? (at_last[i] - at_from[i]) / width : 0;
    if (width > 1 && starts_.size() < most_pieces) {
      for (const double part : {0.25, 0.5, 0.75}) {
        const double middle = std::floor(from + part * width);
        const Parts there = at(middle);
        const double total_s = there[0] + there[1] + there[2];
        for (std::size_t i = 0; i < parts; ++i)
          if (std::abs(at_from[i] + slope[i] * (middle - from) - there[i]) >
              tolerance * total_s + tolerance_s) {
            const double half = std::floor(from + width / 2);
            cut(from, half);
            cut(half + 1, last);
            return;
          }
      }
    }
    starts_.push_back(from);
    for (std::size_t i = 0; i < parts; ++i)
      text_[i] += fmt::format("{}{:.0f}:{:.9g}:{:.9g}", text_[i].empty() ? "" : ",", from,
                              at_from[i] - slope[i] * from, slope[i]);
  }

  std::string text() const {
    std::string all =
        link_.eager_threshold_bytes ? fmt::format("{:.0f}", *link_.eager_threshold_bytes) : "inf";
    for (std::size_t i = 0; i < of_one_message; ++i) all += ";" + text_[i];
    return all;
  }
  const std::string& meeting() const { return text_.back(); }

 private:
  Parts at(double bytes) const {
    return parts_of(cost_of_message(model_, link_, bytes, told_.extra_s), told_.kept_share,
                    rate_when_meeting(link_, bytes));
  }

  const MachineModel& model_;
  const Link& link_;
  SoftwareTold told_;
  std::vector<double> starts_;
  std::array<std::string, parts> text_;
};

}  // namespace

std::string message_costs(const MachineModel& model, Place place, const SoftwareTold& told) {
  const Link* link = model.link(place);
  if (link == nullptr || link->one_way.empty()) return {};
  std::set<double> starts{0};
  for (const Curve* curve : {&link->one_way, &model.costs.F, &model.costs.U})
    for (const Segment& segment : curve->segments) starts.insert(std::ceil(segment.from_bytes));
  // The tolerance is of the time at a size, so that no piece may hold small and large ones.
  for (double power = 1; power < largest_bytes; power *= 2) starts.insert(power);
  if (link->eager_threshold_bytes) starts.insert(std::floor(*link->eager_threshold_bytes) + 1);
  starts.erase(starts.begin(), starts.lower_bound(0));
  starts.erase(starts.lower_bound(largest_bytes), starts.end());
  Cutter cutter(model, *link, told);
  for (auto from = starts.begin(); from != starts.end(); ++from)
    cutter.cut(*from, std::next(from) == starts.end() ? largest_bytes : *std::next(from) - 1);
  if (place != Place::inter) return cutter.text();
  const bool reads_on = link->handshake_crossings > 2;  // as UCX does, whose large messages are acknowledged
  std::string out = cutter.text() + fmt::format(";{:.9g}{}", read_together_s(model, *link, run_softwares),
                                                reads_on ? "" : ":0");
  if (link->wire && link->wire->frame_overhead_bytes > 0)
    out += fmt::format(";{:.9g}:{:.9g}:{:.9g}:{:.9g}", link->wire->frame_payload_bytes,
                       link->wire->frame_overhead_bytes, link->wire->message_overhead_bytes,
                       link->wire->seconds_per_byte);
  if (link->wire) out += ";meeting=" + cutter.meeting();
  if (const double frames = first_window_frames(model, *link); frames > 0)
    out += fmt::format(";window={:.9g}", frames);
  if (link->sent_ahead_bytes.value_or(0) > 0) out += fmt::format(";ahead={:.9g}", *link->sent_ahead_bytes);
  if (link->wire && link->wire->handshake_frame_bytes > 0)
    out += fmt::format(";control={:.9g}", link->wire->handshake_frame_bytes * link->wire->seconds_per_byte);
  if (const double near_s = read_together_s(model, *link); link->wire && near_s > 0)
    out += fmt::format(";near={:.9g}", near_s);
  return out;
}

std::vector<std::pair<std::string, std::string>> costs_environment(const MachineModel& machine,
                                                                   const MachineModel& target,
                                                                   const SoftwareTold& told,
                                                                   const SoftwareTold& told_of_target) {
  std::vector<std::pair<std::string, std::string>> variables;
  const auto add = [&](const char* name, const MachineModel& model, Place place,
                       const SoftwareTold& software) {
    std::string text = message_costs(model, place, software);
    if (!text.empty()) variables.emplace_back(name, std::move(text));
  };
  add(environment::machine_inter, machine, Place::inter, told);
  add(environment::machine_intra, machine, Place::intra, {});
  add(environment::target_inter, target, Place::inter, told_of_target);
  add(environment::target_intra, target, Place::intra, {});
  return variables;
}

}  // namespace ww
