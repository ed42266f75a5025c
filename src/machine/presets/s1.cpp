#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "machine/presets.hpp"
#include "machine/presets/published.hpp"
#include "stats/segmented.hpp"

namespace ww {
namespace {

constexpr double us = 1e-6, measured_bytes = 2000;  // the sizes that were measured go from 16 to here

Segment line(double base_us, double us_per_byte) {
  const double base_s = base_us * us, slope_s = us_per_byte * us;
  return {0, measured_bytes, base_s, slope_s, {base_s, base_s}, {slope_s, slope_s}};
}

// Table 1 (Q of integers) and Table 2 (Q of floating-point numbers): us, means and deviations of five trials.
constexpr double s1_sizes[] = {16, 500, 1000, 1500, 2000};
struct TermRow {
  const char* term;
  double mean_us[5], deviation_us[5];
};
constexpr TermRow table_1[] = {{"E", {242, 864, 1506, 2149, 2792}, {1, 2, 1, 1, 0}},
                               {"R", {178, 200, 219, 249, 261}, {3, 2, 2, 1, 2}},
                               {"S", {152, 157, 167, 167, 175}, {3, 2, 2, 2, 2}},
                               {"F", {169, 465, 762, 1036, 1372}, {3, 3, 3, 18, 3}},
                               {"U", {137, 429, 748, 1072, 1343}, {2, 4, 4, 18, 3}},
                               {"A", {122, 124, 111, 97, 126}, {5, 4, 3, 18, 2}}};
constexpr TermRow table_2[] = {{"E", {245, 868, 1509, 2154, 2797}, {1, 1, 0, 1, 1}},
                               {"R", {176, 202, 229, 250, 275}, {3, 9, 5, 2, 3}},
                               {"S", {131, 156, 162, 166, 169}, {23, 7, 7, 2, 5}},
                               {"F", {193, 463, 767, 1071, 1377}, {22, 5, 9, 4, 4}},
                               {"U", {112, 428, 734, 1036, 1335}, {21, 9, 11, 5, 6}},
                               {"A", {148, 126, 123, 128, 129}, {21, 8, 9, 2, 6}}};

// Of the first table the lines are those that the document prints, its Table 3; of the second, which has none there, least
// squares as it took them.
nlohmann::json printed_six(const TermRow (&table)[6], const Costs* printed) {
  nlohmann::json out;
  for (const TermRow& row : table) {
    std::vector<stats::Point> fitted;
    nlohmann::json points;
    for (std::size_t i = 0; i < std::size(s1_sizes); ++i) {
      fitted.push_back({s1_sizes[i], row.mean_us[i] * us});
      points.push_back({{"bytes", s1_sizes[i]},
                        {"median_s", row.mean_us[i] * us},
                        {"trials", 5},
                        {"mean_s", row.mean_us[i] * us},
                        {"deviation_s", row.deviation_us[i] * us}});
    }
    stats::FittedLine line = stats::fit_line(fitted);
    if (printed != nullptr)
      for (const auto& [term, curve] :
           {std::pair{'E', &printed->E}, std::pair{'R', &printed->R}, std::pair{'S', &printed->S},
            std::pair{'F', &printed->F}, std::pair{'U', &printed->U}, std::pair{'A', &printed->A}})
        if (row.term[0] == term) {
          line.base = curve->segments[0].base_s;
          line.slope = curve->segments[0].seconds_per_byte;
        }
    double error_s = 0;
    for (const stats::Point& point : fitted)
      error_s = std::max(error_s, std::fabs(line.at(point.x) - point.y));
    out[row.term] = {{"base_s", line.base},
                     {"seconds_per_byte", line.slope},
                     {"max_error_s", error_s},
                     {"points", points}};
  }
  return out;
}

}  // namespace

// Krumme, Greenfield 1988 (S1), Table 3. The lines are those of the document, which miss its own Table 1 by
// more than twice the printed deviation at 8 of 30 cells (model_test.cpp names them). The receive of a
// message that is waited for takes F + E + U from the begin of its send; A runs before the message comes.
MachineModel ncube_seven() {
  MachineModel model;
  model.name = "ncube-seven";
  model.clock_hz = 7e6;
  model.costs = {.F = {{line(160, 0.60)}},
                 .S = {{line(150, 0.01)}},
                 .R = {{line(180, 0.04)}},
                 .A = {{line(120, 0)}},
                 .U = {{line(130, 0.61)}},
                 .E = {{line(220, 1.285)}}};
  Link link;
  link.between = Place::inter;
  const Segment one_way = line(160 + 220 + 130, 0.60 + 1.285 + 0.61);
  link.one_way.segments = {one_way};
  link.latency_s = one_way.base_s + one_way.seconds_per_byte;
  link.latency_ci_s = {link.latency_s, link.latency_s};
  // the channel moves a message in one piece, at a pace that its sender sets
  link.wire = published::wire(1.285 * us, published::in_one_piece, 0);
  model.links = {link};
  Hypercube cube;  // 64 nodes; appendix B: a tick is 1024 periods of the processor's clock
  cube.clock_tick_s = 1024 / model.clock_hz;
  // The document subtracts what a call of the clock costs and does not print it: as its cheapest call, A.
  cube.clock_call_s = 120 * us;
  // The one number of the contention model, such that a node whose three neighbours stream through it
  // computes 3.78 times as long (S1, 5.2); docs/machine-model.md says what follows from it.
  cube.memory_channels = 6.51;
  model.hypercube = cube;
  keep_shown(model, {{"six_lines", printed_six(table_1, &model.costs)},
                     {"six_lines_floating", printed_six(table_2, nullptr)}});
  model.alpha_cycles = one_way.base_s * model.clock_hz;
  model.beta_cycles_per_byte = one_way.seconds_per_byte * model.clock_hz;
  model.flags = {
      "neighbouring nodes of a quiet hypercube; each further hop adds E, and R + S on the node between",
      "measured from 16 to 2000 bytes; beyond, the lines go on"};
  return model;
}
const Preset ncube_seven_preset{"ncube-seven", "NCUBE/seven hypercube at 7 MHz, neighbours: six lines",
                                "Krumme, Greenfield 1988 (S1)", ncube_seven};

}  // namespace ww
