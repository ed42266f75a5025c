#include "base/numbers.hpp"

#include <fmt/format.h>

namespace ww {
namespace {

bool is_zero(const std::string& digits) {
  return digits.find_first_not_of("-0.") == std::string::npos;
}

}  // namespace

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.front() == '-' && is_zero(text)) text.erase(0, 1);
  return text;
}

double share(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

std::string percent(double part, double whole) {
  return fixed(share(part, whole), 1) + "%";
}

std::string signed_percent(double ratio, int decimals) {
  const std::string text = fixed(100 * ratio, decimals);
  return (ratio > 0 && !is_zero(text) ? "+" : "") + text + "%";
}

}  // namespace ww
