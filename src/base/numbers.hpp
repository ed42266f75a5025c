// Numbers in text: what rounds to zero is zero, and has no sign.
#pragma once
#include <charconv>
#include <string>

namespace ww {

// With so many decimals: "1.25"; "0.00" and never "-0.00".
std::string fixed(double value, int decimals);
double share(double part, double whole);         // in percent; 0 of nothing
std::string percent(double part, double whole);  // "12.3%"
// A change, 0.0123 as "+1.2%"; "0.0%" where it rounds to none.
std::string signed_percent(double ratio, int decimals = 1);
// As std::from_chars, of which libc++ 19 has none for doubles.
std::from_chars_result number_from(const char* first, const char* last, double& value);

}  // namespace ww
