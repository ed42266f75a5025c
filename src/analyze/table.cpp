#include "analyze/table.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace ww {

double share(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

std::string percent(double part, double whole) {
  return fixed(share(part, whole), 1) + "%";
}

std::string shortened(const std::string& name, std::size_t most) {
  return name.size() <= most ? name : name.substr(0, most - 1) + "~";
}

std::string counted(std::uint64_t number, const char* thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
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
