#include "simulate/doubt_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ww {
namespace {

double width_s(const SourceOfDoubt& doubt) {
  return std::max(doubt.below_s, doubt.above_s);
}

std::string percent(double part) {
  return part < 0.1 ? fmt::format("{:.2g}%", 100 * part) : fmt::format("{:.0f}%", 100 * part);
}

constexpr double worth_saying = 1.0 / 3;

}  // namespace

std::vector<SourceOfDoubt> by_width(std::vector<SourceOfDoubt> doubts) {
  std::erase_if(doubts, [](const SourceOfDoubt& doubt) { return !(width_s(doubt) > 0); });
  std::stable_sort(doubts.begin(), doubts.end(),
                   [](const SourceOfDoubt& a, const SourceOfDoubt& b) { return width_s(a) > width_s(b); });
  return doubts;
}

namespace simulate {

SourceOfDoubt& DoubtSum::of(std::string_view source) {
  for (SourceOfDoubt& doubt : doubts_)
    if (doubt.source == source) return doubt;
  return doubts_.emplace_back(SourceOfDoubt{std::string(source), 0, 0});
}

void DoubtSum::add(std::string_view source, double below_s, double above_s) {
  SourceOfDoubt& doubt = of(source);
  doubt.below_s = std::hypot(doubt.below_s, below_s);
  doubt.above_s = std::hypot(doubt.above_s, above_s);
  below_s_ = std::hypot(below_s_, below_s);
  above_s_ = std::hypot(above_s_, above_s);
}

void DoubtSum::hold(std::string_view source, double moved_s, double below_s, double above_s) {
  SourceOfDoubt& doubt = of(source);
  doubt.below_s = std::max(doubt.below_s, -moved_s);
  doubt.above_s = std::max(doubt.above_s, moved_s);
  below_s_ = std::max(below_s_, below_s - moved_s);
  above_s_ = std::max(above_s_, above_s + moved_s);
}

}  // namespace simulate

nlohmann::json to_json(const std::vector<SourceOfDoubt>& doubts) {
  nlohmann::json out = nlohmann::json::array();
  for (const SourceOfDoubt& doubt : doubts)
    out.push_back({{"source", doubt.source}, {"below_s", doubt.below_s}, {"above_s", doubt.above_s}});
  return out;
}

std::string in_words(const std::vector<SourceOfDoubt>& doubts, double predicted_s) {
  std::string text;
  if (!(predicted_s > 0)) return text;
  for (const SourceOfDoubt& doubt : doubts)
    if (width_s(doubt) >= worth_saying * width_s(doubts.front()))
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", percent(width_s(doubt) / predicted_s),
                          doubt.source);
  return text;
}

}  // namespace ww
