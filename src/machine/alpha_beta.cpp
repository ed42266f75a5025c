#include "machine/alpha_beta.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_check.hpp"
#include "machine/model.hpp"
#include "stats/stats.hpp"

namespace ww {
namespace {

using nlohmann::json;

constexpr double double_bytes = 8;
constexpr int left_out = 12, largest = 22;  // sizes of 2^k doubles
constexpr std::size_t fewest_known = 3;

LinkAlphaBeta of_link(const Link& link, double clock_hz, double ipc) {
  LinkAlphaBeta out;
  std::vector<double> sizes;
  for (int k = left_out; k <= largest; ++k) sizes.push_back(double_bytes * static_cast<double>(1 << k));
  const double last = link.one_way.segments.back().to_bytes;
  const auto known = std::count_if(sizes.begin(), sizes.end(), [&](double bytes) { return bytes <= last; });
  if (static_cast<std::size_t>(known) >= fewest_known) sizes.resize(static_cast<std::size_t>(known));
  std::vector<stats::Point> points;
  for (const double bytes : sizes) {
    const auto measured = std::find_if(link.points.begin(), link.points.end(),
                                       [&](const MeasuredSize& point) { return point.bytes == bytes; });
    if (measured != link.points.end()) ++out.measured_sizes;
    points.push_back({bytes, measured != link.points.end() ? measured->median_s : link.one_way.at(bytes), 1});
  }
  out.sizes = points.size();
  out.from_bytes = sizes.front();
  out.to_bytes = sizes.back();
  out.row = alpha_beta(link.between, link.latency_s, stats::fit_line(points).slope, clock_hz, ipc);
  return out;
}

json known(double value) {
  return value != 0 ? json(value) : json();
}

}  // namespace

AlphaBeta alpha_beta(Place between, double t_s, double t_c_s_per_byte, double clock_hz, double ipc) {
  AlphaBeta out{.between = between,
                .t_s = t_s,
                .t_c_s_per_byte = t_c_s_per_byte,
                .clock_hz = clock_hz,
                .ipc = ipc,
                .alpha_cycles = t_s * clock_hz,
                .beta_cycles_per_byte = t_c_s_per_byte * clock_hz,
                .operations_per_s = clock_hz * ipc};
  if (out.beta_cycles_per_byte > 0) out.inverse_beta_bytes_per_cycle = 1 / out.beta_cycles_per_byte;
  out.alpha_operations = out.alpha_cycles * ipc;
  out.beta_operations_per_byte = out.beta_cycles_per_byte * ipc;
  return out;
}

std::vector<LinkAlphaBeta> alpha_beta_of(const MachineModel& model) {
  std::vector<LinkAlphaBeta> out;
  for (const Link& link : model.links)
    if (!link.one_way.empty()) out.push_back(of_link(link, model.clock_hz, model.ipc));
  return out;
}

json to_json(const AlphaBeta& row) {
  return {{"between", to_string(row.between)},
          {"t_s", row.t_s},
          {"t_c_s_per_byte", row.t_c_s_per_byte},
          {"clock_hz", known(row.clock_hz)},
          {"ipc", known(row.ipc)},
          {"alpha_cycles", known(row.alpha_cycles)},
          {"beta_cycles_per_byte", known(row.beta_cycles_per_byte)},
          {"inverse_beta_bytes_per_cycle", known(row.inverse_beta_bytes_per_cycle)},
          {"operations_per_s", known(row.operations_per_s)},
          {"alpha_operations", known(row.alpha_operations)},
          {"beta_operations_per_byte", known(row.beta_operations_per_byte)}};
}

json to_json(const LinkAlphaBeta& link) {
  json out = to_json(link.row);
  out["fit"] = {{"sizes", link.sizes},
                {"measured_sizes", link.measured_sizes},
                {"from_bytes", link.from_bytes},
                {"to_bytes", link.to_bytes}};
  return out;
}

AlphaBeta alpha_beta_from_json(const json& row) {
  using check::number_of;
  return {.between = check::text_of(row, "between") == "intra" ? Place::intra : Place::inter,
          .t_s = number_of(row, "t_s"),
          .t_c_s_per_byte = number_of(row, "t_c_s_per_byte"),
          .clock_hz = number_of(row, "clock_hz"),
          .ipc = number_of(row, "ipc"),
          .alpha_cycles = number_of(row, "alpha_cycles"),
          .beta_cycles_per_byte = number_of(row, "beta_cycles_per_byte"),
          .inverse_beta_bytes_per_cycle = number_of(row, "inverse_beta_bytes_per_cycle"),
          .operations_per_s = number_of(row, "operations_per_s"),
          .alpha_operations = number_of(row, "alpha_operations"),
          .beta_operations_per_byte = number_of(row, "beta_operations_per_byte")};
}

}  // namespace ww
