#include "base/numbers.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>

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

#ifdef __cpp_lib_to_chars
std::from_chars_result number_from(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}
#else
// Decimal numbers, as far as they reach: what strtod takes beyond them is no number here either. Both round to the nearest.
std::from_chars_result number_from(const char* first, const char* last, double& value) {
  const char* at = first;
  const auto digits = [&] {
    const char* const from = at;
    while (at != last && std::isdigit(static_cast<unsigned char>(*at)) != 0) ++at;
    return at - from;
  };
  if (at != last && *at == '-') ++at;
  auto any = digits();
  if (at != last && *at == '.') {
    ++at;
    any += digits();
  }
  if (any == 0) return {first, std::errc::invalid_argument};
  if (at != last && (*at == 'e' || *at == 'E')) {
    const char* const without = at++;
    if (at != last && (*at == '-' || *at == '+')) ++at;
    if (digits() == 0) at = without;
  }
  const double read = std::strtod(std::string(first, at).c_str(), nullptr);
  if (!std::isfinite(read)) return {at, std::errc::result_out_of_range};
  value = read;
  return {at, std::errc()};
}
#endif

}  // namespace ww
