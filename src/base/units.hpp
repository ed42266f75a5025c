// Quantities as users write and read them. Inside the program a quantity is a double in SI units whose name
// carries the unit (_s, _bytes, _bytes_per_s) or an integer in nanoseconds (_ns).
#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ww {

// "10Mb/s", "1.5 Gbit/s", "100MB/s", "9600b/s": decimal prefixes; b or bit is a bit, B is a byte. Bytes per
// second.
Result<double> parse_rate_bytes_per_s(std::string_view text);
// "5us", "1.5ms", "2s", "30 min", "250ns". Seconds, not negative.
Result<double> parse_time_s(std::string_view text);
// "1460", "64KiB", "4MiB", "1kB". Bytes, not negative.
Result<double> parse_bytes(std::string_view text);
// "2.7GHz", "2700 MHz", "2.7e9". Cycles a second, above zero.
Result<double> parse_frequency_hz(std::string_view text);
// "x10" or "x0.5": a factor above zero.
Result<double> parse_factor(std::string_view text);
// "0.1%" or "0.001": a share, 0 to 1.
Result<double> parse_share(std::string_view text);

// Three significant digits and a fitting prefix: "12.3 us", "1.05 MiB", "94.2 Mb/s".
std::string show_time(double seconds);
std::string show_bytes(double bytes);
std::string show_rate(double bytes_per_s);

}  // namespace ww
