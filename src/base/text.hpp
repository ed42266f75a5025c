// Text that comes from elsewhere (traces, files, command lines), made fit for where it goes.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ww {

// On one line and without anything that a terminal obeys: control characters (as \n, \x1b), bytes that are no
// UTF-8 (as \xff), characters that turn the direction of writing (as \u202e).
std::string printable(std::string_view text);
// The same, with the line ends kept.
std::string printable_lines(std::string_view text);

// A field of comma-separated values (RFC 4180). A text that a spreadsheet would take for a formula (it begins
// with = + - @, a tab or a carriage return) gets an apostrophe in front.
std::string csv_field(std::string_view text);

// A number of comma-separated values, to nine digits; empty where there is none (not finite).
std::string csv_number(double value);

// Lists of words with spaces or line ends between, as tables in the sources have them.
std::vector<std::string_view> split_words(std::string_view list);
bool lists(std::string_view list, std::string_view word);

// JSON that can always be written: bytes that are no UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& json, int indent = -1);
// All texts in it made printable, keys too; line ends in values stay.
void make_printable(nlohmann::json& json);

}  // namespace ww
