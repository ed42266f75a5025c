#include "render/six_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/numbers.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

constexpr const char* terms[] = {"E", "R", "S", "F", "U", "A"};  // in S1's order
constexpr double apart = 2;                                      // deviations

// As S1 prints them from 100 us on, with decimals below.
std::string in_us(double seconds, double as_precise_as_s) {
  const double size = std::fabs(as_precise_as_s) * 1e6;
  return fixed(seconds * 1e6, size >= 99.5 ? 0 : size >= 9.95 ? 1 : size >= 0.995 ? 2 : 3);
}
std::string in_us(double seconds) {
  return in_us(seconds, seconds);
}

int trials_of(const SixLines& lines) {
  int most = 0;
  for (const auto& [term, line] : lines)
    for (const TermPoint& point : line.points) most = std::max(most, point.trials);
  return most;
}

std::string trials_table(const SixLines& lines) {
  std::set<double> sizes;
  for (const auto& [term, line] : lines)
    for (const TermPoint& point : line.points) sizes.insert(point.bytes);
  std::vector<std::string> head{"bytes"};
  for (const double bytes : sizes) head.push_back(fmt::format("{:g}", bytes));
  Table table(head, 1);
  for (const char* term : terms) {
    const auto line = lines.find(term);
    if (line == lines.end()) continue;
    std::vector<std::string> row{term};
    for (const double bytes : sizes) {
      std::string cell;
      for (const TermPoint& point : line->second.points)
        if (point.bytes == bytes && point.trials > 0)
          cell = in_us(point.mean_s) + " +- " + in_us(point.deviation_s, point.mean_s);
      row.push_back(cell);
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string trials_text(const SixLines& lines, const char* over) {
  const int trials = trials_of(lines);
  if (trials == 0) return "";
  return fmt::format("{}, us: mean and deviation of {} trials\n{}\n", over, trials, trials_table(lines));
}

std::string lines_table(const SixLines& integer, const SixLines& floating) {
  std::vector<std::string> head{"", "base", "a byte", "max. error"};
  if (!floating.empty()) head.insert(head.end(), {"floating: base", "a byte", "max. error"});
  Table table(head, 1);
  for (const char* term : terms) {
    std::vector<std::string> row{term};
    bool any = false;
    for (const SixLines* lines : {&integer, &floating}) {
      if (lines == &floating && floating.empty()) continue;
      const auto line = lines->find(term);
      any = any || line != lines->end();
      for (int column = 0; column < 3; ++column)
        row.push_back(line == lines->end() ? ""
                      : column == 0        ? in_us(line->second.base_s)
                      : column == 1        ? fmt::format("{:.4g}", line->second.seconds_per_byte * 1e6)
                                           : in_us(line->second.max_error_s));
    }
    if (any) table.add(std::move(row));
  }
  return table.text();
}

// Of two means of trials, each with its deviation.
std::string difference(const SixLines& integer, const SixLines& floating) {
  int cells = 0, differ = 0;
  std::string where;
  for (const char* term : terms) {
    const auto a = integer.find(term), b = floating.find(term);
    if (a == integer.end() || b == floating.end()) continue;
    for (const TermPoint& one : a->second.points)
      for (const TermPoint& other : b->second.points) {
        if (one.bytes != other.bytes || one.trials == 0 || other.trials == 0) continue;
        ++cells;
        if (std::fabs(one.mean_s - other.mean_s) <= apart * std::hypot(one.deviation_s, other.deviation_s))
          continue;
        ++differ;
        where += fmt::format("{}{} at {:g} bytes by {} us", where.empty() ? ": " : ", ", term, one.bytes,
                             in_us(other.mean_s - one.mean_s));
      }
  }
  if (cells == 0) return "";
  return fmt::format(
      "floating-point and integer operations differ by more than {:g} deviations in {} of {} cells{}\n",
      apart, differ, cells, where);
}

std::string idle_text(const SixLines& busy, const SixLines& idle) {
  const auto with = busy.find("E"), without = idle.find("E");
  if (with == busy.end() || without == idle.end()) return "";
  std::string text;
  for (const TermPoint& point : with->second.points)
    for (const TermPoint& other : without->second.points)
      if (other.bytes == point.bytes)
        text += fmt::format("{}{} us at {:g} bytes", text.empty() ? "" : ", ",
                            in_us(other.median_s - point.median_s), point.bytes);
  return text.empty() ? "" : "with idle processors E is another by " + text + " (S1, 5.1)\n";
}

}  // namespace

Result<std::string> six_tables(const MachineModel& model) {
  const SixLines &integer = model.six_lines, &floating = model.six_lines_floating;
  if (integer.empty())
    return fail("the model has no lines of the six terms", model.name,
                "measure it (without --quick), or take the preset ncube-seven");
  std::string text = trials_text(integer, "over integer operations (S1, Table 1)") +
                     trials_text(floating, "over floating-point operations (S1, Table 2)");
  if (text.empty())
    text = "no trials: the experiments have too few samples, or the model is of an earlier version\n\n";
  text += "lines, us and us a byte (S1, Table 3)\n" + lines_table(integer, floating);
  return text + difference(integer, floating) + idle_text(integer, model.six_lines_idle);
}

}  // namespace ww
