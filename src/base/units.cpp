#include "base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/numbers.hpp"

namespace ww {
namespace {

struct NumberAndUnit {
  double number;
  std::string_view unit;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool split(std::string_view text, NumberAndUnit& out) {
  text = trimmed(text);
  auto [end, error] = number_from(text.data(), text.data() + text.size(), out.number);
  if (error != std::errc() || !std::isfinite(out.number)) return false;
  out.unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return true;
}

using Unit = std::pair<std::string_view, double>;

template <std::size_t N>
bool find_unit(std::string_view unit, const std::array<Unit, N>& units, double& factor) {
  for (const auto& [name, value] : units)
    if (name == unit) {
      factor = value;
      return true;
    }
  return false;
}

constexpr std::array<Unit, 6> time_units{
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}}};
constexpr std::array<Unit, 5> frequency_units{
    {{"", 1.0}, {"Hz", 1.0}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
constexpr std::array<Unit, 9> byte_units{{{"", 1.0},
                                          {"B", 1.0},
                                          {"kB", 1e3},
                                          {"MB", 1e6},
                                          {"GB", 1e9},
                                          {"KiB", 1024.0},
                                          {"MiB", 1048576.0},
                                          {"GiB", 1073741824.0},
                                          {"bytes", 1.0}}};

std::string three_digits(double value) {
  const double size = std::fabs(value);
  return fixed(value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

}  // namespace

namespace {

// Beyond these a quantity is a slip, and products of two of them are no numbers any more.
constexpr double most_bytes_per_s = 1e15, most_time_s = 1e9, most_bytes = 1e18, most_factor = 1e12,
                 most_hz = 1e12;

Result<double> up_to(double value, double most, std::string_view text) {
  if (value <= most) return value;
  return wrong_usage(fmt::format("'{}' is too large", text), "", "is the unit right?");
}

}  // namespace

Result<double> parse_share(std::string_view text) {
  NumberAndUnit parsed{};
  const bool understood = split(text, parsed) && (parsed.unit.empty() || parsed.unit == "%");
  const double share = parsed.number / (parsed.unit == "%" ? 100 : 1);
  if (!understood || !(share >= 0 && share <= 1))
    return wrong_usage(fmt::format("'{}' is not a share", text), "", "write it like 0.1% or 0.001");
  return share;
}

Result<double> parse_rate_bytes_per_s(std::string_view text) {
  const auto bad = [&] {
    return wrong_usage(fmt::format("'{}' is not a rate", text), "",
                       "write it like 10Mb/s, 1Gbit/s or 125MB/s");
  };
  NumberAndUnit parts{};
  if (!split(text, parts) || parts.number <= 0) return bad();
  std::string_view unit = parts.unit;
  if (unit.ends_with("/s") || unit.ends_with("ps"))
    unit.remove_suffix(2);
  else if (!unit.ends_with("bit"))  // "10Mbit", as tc writes it
    return bad();
  double scale = 1;
  if (!unit.empty() && std::string_view("kKMGT").find(unit.front()) != std::string_view::npos) {
    scale = unit.front() == 'M' ? 1e6 : unit.front() == 'G' ? 1e9 : unit.front() == 'T' ? 1e12 : 1e3;
    unit.remove_prefix(1);
  }
  if (unit == "b" || unit == "bit" || unit == "bits")
    return up_to(parts.number * scale / 8, most_bytes_per_s, text);
  if (unit == "B" || unit == "byte" || unit == "bytes")
    return up_to(parts.number * scale, most_bytes_per_s, text);
  return bad();
}

Result<double> parse_time_s(std::string_view text) {
  NumberAndUnit parts{};
  double factor = 0;
  if (!split(text, parts) || parts.number < 0 || !find_unit(parts.unit, time_units, factor))
    return wrong_usage(fmt::format("'{}' is not a time", text), "", "write it like 5us, 1.5ms or 2s");
  return up_to(parts.number * factor, most_time_s, text);
}

Result<double> parse_bytes(std::string_view text) {
  NumberAndUnit parts{};
  double factor = 0;
  if (!split(text, parts) || parts.number < 0 || !find_unit(parts.unit, byte_units, factor))
    return wrong_usage(fmt::format("'{}' is not a size", text), "", "write it like 1460, 64KiB or 4MiB");
  return up_to(parts.number * factor, most_bytes, text);
}

Result<double> parse_frequency_hz(std::string_view text) {
  NumberAndUnit parts{};
  double factor = 0;
  if (!split(text, parts) || parts.number <= 0 || !find_unit(parts.unit, frequency_units, factor))
    return wrong_usage(fmt::format("'{}' is not a frequency", text), "", "write it like 2.7GHz or 2700MHz");
  return up_to(parts.number * factor, most_hz, text);
}

Result<double> parse_factor(std::string_view text) {
  NumberAndUnit parts{};
  if (text.empty() || text.front() != 'x' || !split(text.substr(1), parts) || !parts.unit.empty() ||
      parts.number <= 0)
    return wrong_usage(fmt::format("'{}' is not a factor", text), "", "write it like x10 or x0.5");
  if (parts.number < 1 / most_factor)
    return wrong_usage(fmt::format("'{}' is too small", text), "", "write it like x10 or x0.5");
  return up_to(parts.number, most_factor, text);
}

std::string show_time(double seconds) {
  const double size = std::fabs(seconds);
  if (size == 0) return "0 s";
  if (size < 1e-6) return three_digits(seconds * 1e9) + " ns";
  if (size < 1e-3) return three_digits(seconds * 1e6) + " us";
  if (size < 1) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string show_bytes(double bytes) {
  if (bytes < 1024) return fixed(bytes, 0) + " B";
  if (bytes < 1048576) return three_digits(bytes / 1024) + " KiB";
  if (bytes < 1073741824) return three_digits(bytes / 1048576) + " MiB";
  return three_digits(bytes / 1073741824) + " GiB";
}

std::string show_rate(double bytes_per_s) {
  const double bits = bytes_per_s * 8;
  if (bits >= 1e9) return three_digits(bits / 1e9) + " Gb/s";
  if (bits >= 1e6) return three_digits(bits / 1e6) + " Mb/s";
  return three_digits(bits / 1e3) + " kb/s";
}

}  // namespace ww
