#include "render/machine_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers.hpp"
#include "base/units.hpp"
#include "machine/latency.hpp"
#include "render/alpha_beta_text.hpp"

namespace ww {
namespace {

const char* in_words(Place between) {
  return between == Place::inter ? "between hosts" : "within a host";
}

// A wire that moves any message in one piece has a frame that no message fills.
std::string frames_text(const Wire& wire, double largest_bytes) {
  if (wire.frame_payload_bytes < largest_bytes)
    return fmt::format("frames of {:g} + {:g} bytes", wire.frame_payload_bytes, wire.frame_overhead_bytes);
  return wire.frame_overhead_bytes > 0
             ? fmt::format("in one piece with {:g} bytes", wire.frame_overhead_bytes)
             : "in one piece";
}

void print_wire(const Wire& wire, double largest_bytes) {
  fmt::print(
      "  wire        {} ({:.4g} ns a byte), {:g} serialisation(s); {}{}{}\n",
      show_rate(1 / wire.seconds_per_byte), wire.seconds_per_byte * 1e9, wire.stages,
      frames_text(wire, largest_bytes),
      wire.message_overhead_bytes > 0 ? fmt::format(", {:g} bytes a message", wire.message_overhead_bytes)
                                      : "",
      wire.handshake_frames > 0
          ? fmt::format(", {:g} handshake frames of {:g}", wire.handshake_frames, wire.handshake_frame_bytes)
          : "");
  fmt::print("  two-way     each direction at {:.0f}% ({:.0f} to {:.0f}) of its rate alone",
             wire.two_way_efficiency * 100, wire.two_way_efficiency_ci.low * 100,
             wire.two_way_efficiency_ci.high * 100);
  if (wire.two_way_efficiency_eager)
    fmt::print(", eager messages at {:.0f}% ({:.0f} to {:.0f})", *wire.two_way_efficiency_eager * 100,
               wire.two_way_efficiency_eager_ci.low * 100, wire.two_way_efficiency_eager_ci.high * 100);
  fmt::print("\n");
}

void print_link(const Costs& costs, const Link& link) {
  const Latency latency = latency_of(costs, link);
  fmt::print("{}\n", in_words(link.between));
  fmt::print("  latency     {} ({} to {}), one crossing: what latency= sets\n", show_time(latency.s),
             show_time(latency.ci_s.low), show_time(latency.ci_s.high));
  const double smallest_s = latency.s + latency.software_s + latency.serialisation_s;
  fmt::print("  smallest    {} one way for {:g} byte{}: the latency, {} of software{}\n",
             show_time(smallest_s), latency.bytes, latency.bytes == 1 ? "" : "s",
             show_time(latency.software_s),
             latency.serialisation_s > 0
                 ? fmt::format(", {} of bytes on the wire", show_time(latency.serialisation_s))
                 : "");
  fmt::print("  one way    ");
  for (const double bytes : {8.0, 1024.0, 16384.0, 65536.0, 1048576.0})
    fmt::print(" {}: {} ", show_bytes(bytes), show_time(link.one_way.at(bytes)));
  fmt::print("\n  eager       {}\n",
             link.eager_threshold_bytes
                 ? fmt::format("up to {:g} bytes; larger messages {}", *link.eager_threshold_bytes,
                               link.rendezvous_needs_sender ? "wait for their sender to be inside MPI"
                                                            : "are fetched while their sender computes")
                 : "not known");
  if (link.sent_ahead_bytes)
    fmt::print("  ahead       {} of these the sender's system takes before they have left\n",
               show_bytes(*link.sent_ahead_bytes));
  fmt::print("  fit         {}{} segments\n",
             link.points.empty()
                 ? std::string()
                 : fmt::format("mean error {:.2f}%, largest {:.2f}%, ", link.pingpong_fit_error.mean * 100,
                               link.pingpong_fit_error.max * 100),
             link.one_way.segments.size());
  for (const Switch& one : link.switches)
    fmt::print(
        "  switch      above {:g} bytes (between {:g} and {:g}): {}{} ({}), {}{}\n", one.bytes, one.low_bytes,
        one.high_bytes, one.jump_s < 0 ? "-" : "+", show_time(std::fabs(one.jump_s)),
        signed_percent(one.relative, 0), one.cause,
        one.avoid_up_to_bytes > 0 ? fmt::format("; avoid up to {}", show_bytes(one.avoid_up_to_bytes)) : "");
  if (link.wire) print_wire(*link.wire, link.one_way.segments.back().to_bytes);
}

// S1's Table 3.
void print_six_lines(const MachineModel& model) {
  bool first = true;
  for (const char* term : {"E", "R", "S", "F", "U", "A"}) {
    const auto found = model.six_lines.find(term);
    if (found == model.six_lines.end()) continue;
    const TermLine& line = found->second;
    if (first) fmt::print("six terms        base us   us a byte   maximum error us\n");
    first = false;
    fmt::print("  {:<10} {:>11.2f} {:>11.4f} {:>18.2f}\n", term, line.base_s * 1e6,
               line.seconds_per_byte * 1e6, line.max_error_s * 1e6);
  }
}

void print_interference(const MachineModel& model) {
  if (model.streams.empty()) return;
  fmt::print("streams of neighbours through a node that computes\n");
  for (const Stream& one : model.streams)
    fmt::print("  {} neighbour(s), {}: {:.4g} us a message{}, computation {:.2f} times as long{}\n",
               one.neighbours, show_bytes(one.bytes), one.message_s * 1e6,
               one.final_message_s ? fmt::format(" ({:.4g} at the end)", *one.final_message_s * 1e6) : "",
               one.slowdown,
               one.predicted_slowdown
                   ? fmt::format(" ({:.2f} by software costs alone)", *one.predicted_slowdown)
                   : "");
}

// S1's experiment 5 under PVM, beside integer operations; the other computation says the same.
void print_passing(const MachineModel& model) {
  const auto us = [](const std::optional<double>& seconds) {
    return seconds ? fmt::format("{:.1f}", *seconds * 1e6) : std::string("-");
  };
  bool first = true;
  for (const Passing& one : model.passing) {
    if (one.computation != "integer") continue;
    if (first)
      fmt::print(
          "messages through the host of a computation, {}\n      bytes   it loses us   daemon ran   task ran "
          "  echo us     idle\n",
          one.direct ? "from task to task and passed on by one"
                     : "by the daemons and a task that passes them on");
    first = false;
    fmt::print("  {:>9} {:>13.1f} {:>12} {:>10} {:>9.0f} {:>8.0f}\n", one.bytes, one.loss_s * 1e6,
               us(one.daemon_s), us(one.task_s), one.echo_s * 1e6, one.idle_echo_s * 1e6);
  }
}

// Of the closed loop the worst, since its entries are many.
void print_closed_loop(const MachineModel& model) {
  double worst = 0;
  std::string where;
  for (const Again& one : model.closed_loop)
    if (std::fabs(one.relative) >= worst) {
      worst = std::fabs(one.relative);
      where = fmt::format("{}, {}", one.experiment, show_bytes(one.bytes));
    }
  if (!where.empty())
    fmt::print("closed loop   {} experiments simulated on the model, at most {:.2f}% off ({})\n",
               model.closed_loop.size(), worst * 100, where);
}

}  // namespace

void print_model(const MachineModel& model) {
  fmt::print("machine {}\n", model.name);
  for (const Link& link : model.links) print_link(model.costs, link);
  if (!model.costs.F.empty())
    fmt::print("software      send call F {} + {:.3g} ns a byte", show_time(model.costs.F.at(1)),
               (model.costs.F.at(8193) - model.costs.F.at(1)) / 8192 * 1e9);
  if (!model.costs.U.empty())
    fmt::print("; receive call A + U {} + {:.3g} ns a byte",
               show_time(model.costs.A.at(1) + model.costs.U.at(1)),
               (model.costs.U.at(8193) - model.costs.U.at(1)) / 8192 * 1e9);
  if (!model.costs.F.empty() || !model.costs.U.empty()) fmt::print("\n");
  if (model.loggops)
    fmt::print("of schedules  L {} (what latency= sets of a GOAL schedule), o {}, g {}, G {:.3g} ns a byte\n",
               show_time(model.loggops->L_s), show_time(model.loggops->o_s), show_time(model.loggops->g_s),
               model.loggops->G_s_per_byte * 1e9);
  if (!model.reduction.empty())
    fmt::print("reductions    {} and {:.3g} ns a byte to add doubles\n", show_time(model.reduction.at(8)),
               (model.reduction.at(65536) - model.reduction.at(8)) / 65528 * 1e9);
  fmt::print("{}", alpha_beta_table(model));
  print_six_lines(model);
  print_interference(model);
  print_passing(model);
  print_closed_loop(model);
  for (const std::string& flag : model.flags) fmt::print("note          {}\n", flag);
}

std::string show(const std::vector<LinkDifference>& links) {
  std::string text;
  for (const LinkDifference& link : links) {
    text +=
        fmt::format("{}\n{:>12} {:>12} {:>12} {:>9}\n", in_words(link.between), "size", "A", "B", "A/B - 1");
    for (const LinkDifference::Size& size : link.sizes)
      text += fmt::format("{:>12} {:>12} {:>12} {:>8.2f}%\n", show_bytes(size.bytes), show_time(size.a_s),
                          show_time(size.b_s), size.relative * 100);
    text += fmt::format("mean difference {:.2f}%, largest {:.2f}%\n", link.mean * 100, link.most * 100);
  }
  return text;
}

}  // namespace ww
