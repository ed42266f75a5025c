#include "render/table.hpp"

#include <algorithm>
#include <cmath>

#include "base/units.hpp"

namespace ww {

std::string shortened(const std::string& name, std::size_t most) {
  if (name.size() <= most) return name;
  const auto is_inside = [&](std::size_t at) {  // of a character of several bytes
    return at < name.size() && (static_cast<unsigned char>(name[at]) & 0xc0) == 0x80;
  };
  std::size_t head = (most - 1) * 3 / 5, tail = name.size() - (most - 1 - head);
  while (head > 0 && is_inside(head)) --head;
  while (is_inside(tail)) ++tail;
  return name.substr(0, head) + "~" + name.substr(tail);
}

std::string counted(std::uint64_t number, const char* thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string show_difference(double seconds) {
  return (seconds < 0 ? "-" : "+") + show_time(std::fabs(seconds));
}

std::string sparkline(const std::vector<double>& values, double most) {
  constexpr char levels[] = " .:-=+*#%@";
  std::string line;
  for (const double value : values) {
    const double part = most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0;
    line += levels[static_cast<std::size_t>(std::lround(part * 9))];
  }
  return line;
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c < text_columns_ ? fmt::format("{:<{}}  ", row[c], widths[c])
                                : fmt::format("{:>{}}  ", row[c], widths[c]);
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace ww
