// Tables for a terminal, and what their cells share.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ww {

inline constexpr std::size_t most_rows = 40;

// At most so many bytes: what is too long loses its middle, as names differ at their ends as often as at their begins.
std::string shortened(const std::string& name, std::size_t most);
std::string counted(std::uint64_t number, const char* thing);  // "1 message", "2 messages"
std::string show_difference(double seconds);                   // signed: "-12.3 ms"
// A row of characters from low to high, for values between 0 and `most`.
std::string sparkline(const std::vector<double>& values, double most);

// Text columns are aligned left, the others right; a gap of two between them.
class Table {
 public:
  explicit Table(std::vector<std::string> head, std::size_t text_columns) : text_columns_(text_columns) {
    rows_.push_back(std::move(head));
  }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::size_t text_columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Of many rows the first ones are shown, the rest counted.
template <class Rows, class Add>
std::string limited(Table& table, const Rows& rows, const char* what, Add add) {
  std::size_t shown = 0;
  for (const auto& row : rows) {
    if (shown == most_rows) break;
    add(row);
    ++shown;
  }
  std::string text = table.text();
  if (rows.size() > shown)
    text += fmt::format("... and {} more {} (--json has all)\n", rows.size() - shown, what);
  return text;
}

}  // namespace ww
