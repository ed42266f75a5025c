#include "render/alpha_beta_text.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

void add(Table& table, const AlphaBeta& row, const char* as, int digits) {
  const auto number = [&](double value) {
    if (value == 0) return std::string("-");
    return digits < 5 && value >= 1e4 ? fmt::format("{:.0f}", value) : fmt::format("{:.{}g}", value, digits);
  };
  table.add({fmt::format("  {}{}", row.between == Place::inter ? "between hosts" : "within a host", as),
             number(row.t_s * 1e6), number(row.t_c_s_per_byte * 1e9), number(row.alpha_cycles),
             number(row.beta_cycles_per_byte), number(row.inverse_beta_bytes_per_cycle),
             number(row.alpha_operations), number(row.beta_operations_per_byte)});
}

std::string fitted_on(const LinkAlphaBeta& link) {
  return fmt::format("{} sizes from {} to {}, {} of them measured", link.sizes, show_bytes(link.from_bytes),
                     show_bytes(link.to_bytes), link.measured_sizes);
}

}  // namespace

std::string alpha_beta_table(const MachineModel& model) {
  const std::vector<LinkAlphaBeta> links = alpha_beta_of(model);
  if (links.empty()) return "";
  Table table({"alpha and beta", "t_s us", "t_c ns/B", "alpha cycles", "beta cycles/B", "1/beta B/cycle",
               "alpha ops", "beta ops/B"},
              1);
  for (const LinkAlphaBeta& link : links) add(table, link.row, "", 4);
  for (const AlphaBeta& row : model.printed) add(table, row, ", as printed", 10);
  std::string text = table.text() + "  one way; t_c by least squares on " + fitted_on(links.front());
  for (std::size_t i = 1; i < links.size(); ++i)
    if (fitted_on(links[i]) != fitted_on(links.front()))
      text +=
          fmt::format(", {} on {}", links[i].row.between == Place::inter ? "between hosts" : "within a host",
                      fitted_on(links[i]));
  text += fmt::format(
      "; clock {}, operations a cycle {}\n",
      model.clock_hz > 0 ? fmt::format("{:.4g} GHz", model.clock_hz * 1e-9) : "not known (--clock)",
      model.ipc > 0 ? fmt::format("{:g}", model.ipc) : "not known (--ipc)");
  return text;
}

}  // namespace ww
