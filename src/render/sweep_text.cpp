#include "render/sweep_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "render/prediction.hpp"
#include "render/table.hpp"

namespace ww {

std::string sweep_csv(const Prediction& first, const std::vector<Prediction>& others, const Grid& grid,
                      const std::vector<SweepCell>& cells) {
  std::string head = "what_if,predicted_s,predicted_low_s,predicted_high_s";
  for (const SweepAxis& axis : grid.axes) head += "," + axis.part;
  std::string text = head + gain_columns + "\n";
  const auto line = [&](const std::string& what_if, double s, double low_s, double high_s) {
    text +=
        fmt::format("{},{},{},{}", csv_field(what_if), csv_number(s), csv_number(low_s), csv_number(high_s));
  };
  for (const Prediction& p : others) {
    line(p.what_if, p.predicted_s, p.predicted_low_s, p.predicted_high_s);
    text += fmt::format("{}{}\n", std::string(grid.axes.size(), ','), in_csv(gain_of(p)));
  }
  for (const SweepCell& cell : cells) {
    line(cell.what_if, cell.predicted_s, cell.low_s, cell.high_s);
    const auto at = grid.places(cell.cell);
    for (std::size_t a = 0; a < grid.axes.size(); ++a) {
      const SweepAxis& axis = grid.axes[a];
      text += fmt::format(",{}", axis.kind == SweepAxis::Kind::name ? csv_field(axis.values[at[a]])
                                                                    : csv_number(axis.numbers[at[a]]));
    }
    text += fmt::format("{}\n", in_csv(gain_of(first, grid, cell)));
  }
  return text;
}

std::string show_sweep(const Prediction& first, const Grid& grid, const std::vector<SweepCell>& cells) {
  std::vector<std::string> head;
  for (const SweepAxis& axis : grid.axes) head.push_back(axis.part);
  head.insert(head.end(), {"predicted", "95%", "speed-up", "blocked", "service"});
  Table table(head, grid.axes.size());
  const std::string rows = limited(table, cells, "cells", [&](const SweepCell& cell) {
    const auto at = grid.places(cell.cell);
    std::vector<std::string> row;
    for (std::size_t a = 0; a < at.size(); ++a) row.push_back(shortened(grid.axes[a].values[at[a]], 30));
    row.push_back(show_time(cell.predicted_s));
    row.push_back(fmt::format("{} to {}", show_time(cell.low_s), show_time(cell.high_s)));
    const Gain gain = gain_of(first, grid, cell);
    row.push_back(gain.withheld.empty() ? fmt::format("{:.2f}x", gain.value) : "-");
    row.push_back(show_time(cell.blocked_s));
    row.push_back(show_time(cell.service_s));
    table.add(std::move(row));
  });
  return show_self_check(first) + rows + show_assumptions(first);
}

}  // namespace ww
