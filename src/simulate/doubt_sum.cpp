#include "simulate/doubt_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

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

DoubtSum::Part& DoubtSum::of(std::string_view source) {
  for (Part& part : parts_)
    if (part.source == source) return part;
  return parts_.emplace_back(Part{source});
}

void DoubtSum::add(std::string_view source, double below_s, double above_s) {
  Part& part = of(source);
  part.below += below_s * below_s;
  part.above += above_s * above_s;
}

void DoubtSum::hold(std::string_view source, double moved_s, double below_s, double above_s) {
  Part& part = of(source);
  part.less_s = std::max(part.less_s, -moved_s);
  part.more_s = std::max(part.more_s, moved_s);
  held_below_s_ = std::max(held_below_s_, below_s - moved_s);
  held_above_s_ = std::max(held_above_s_, above_s + moved_s);
}

double DoubtSum::below_s() const {
  double squares = 0;
  for (const Part& part : parts_) squares += part.below;
  return std::max(std::sqrt(squares), held_below_s_);
}

double DoubtSum::above_s() const {
  double squares = 0;
  for (const Part& part : parts_) squares += part.above;
  return std::max(std::sqrt(squares), held_above_s_);
}

std::vector<SourceOfDoubt> DoubtSum::by_width() const {
  std::vector<SourceOfDoubt> all;
  for (const Part& part : parts_)
    all.push_back({std::string(part.source), std::max(std::sqrt(part.below), part.less_s),
                   std::max(std::sqrt(part.above), part.more_s)});
  return ww::by_width(std::move(all));
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
