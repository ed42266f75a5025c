#include "render/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "render/diagnostics.hpp"
#include "render/explanation.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

std::string interval(const Prediction& p) {
  if (!p.has_interval) return "none, as asked for";
  return fmt::format("{} to {}", show_time(p.predicted_low_s), show_time(p.predicted_high_s));
}

std::string show_interval(const Gain& gain) {
  if (!std::isfinite(gain.low)) return "none, as asked for";
  return gain.high > 0 ? fmt::format("{:.2f}x to {:.2f}x", gain.low, gain.high)
                       : fmt::format("{:.2f}x and more", gain.low);
}

// In lines of a terminal, each ended, all but the first indented.
std::string in_lines(const std::string& text) {
  constexpr std::size_t columns = 98;
  std::string out;
  std::size_t room = columns;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end - at > room) out += "\n  ", room = columns - 2;
    out += text.substr(at, end - at) + " ";
    room -= std::min(room, end - at + 1);
    at = end + 1;
  }
  out.back() = '\n';
  return out;
}

}  // namespace

std::string show(const Gain& gain) {
  if (!gain.withheld.empty()) return "withheld";
  return fmt::format("{:.2f}x", gain.value) +
         (std::isfinite(gain.low) ? "   95%: " + show_interval(gain) : "");
}

std::string in_csv(const Gain& gain) {
  std::string text = "," + csv_number(gain.against_s);
  for (const double value : {gain.value, gain.low, gain.high})
    text += "," + (gain.withheld.empty() && value > 0 ? csv_number(value) : "");
  return text;
}

std::string show(const Prediction& p, const simulate::Program& program) {
  const double worst_s = [&] {
    double blocked_s = 0;
    for (const SimulatedRank& rank : p.simulated.ranks) blocked_s = std::max(blocked_s, rank.blocked_s);
    return blocked_s;
  }();
  std::string text = fmt::format("{}\n", p.what_if.empty() ? "on the machine as it is" : p.what_if);
  text += fmt::format("  predicted    {:>9}   95%: {}\n", show_time(p.predicted_s), interval(p));
  if (const std::string why = in_words(p.doubts, p.predicted_s); !why.empty())
    text += in_lines("  uncertain    " + why);
  if (const Gain gain = gain_of(p); gain.withheld.empty())
    text += fmt::format("  speed-up     {:>9}   95%: {}   gain against the replayed time, {}\n",
                        fmt::format("{:.2f}x", gain.value), show_interval(gain), show_time(gain.against_s));
  else
    text += fmt::format("  speed-up      withheld   see the self-check\n");
  text += fmt::format("  blocked      {:>9}   of the rank that is blocked longest\n", show_time(worst_s));
  if (!p.simulated.network.counts.empty()) {
    text += fmt::format("  network      {}:", p.simulated.network.name);
    const char* between = " ";
    for (const auto& [name, count] : p.simulated.network.counts) {
      text += fmt::format("{}{} {:.6g}", between, name, count);
      between = ", ";
    }
    text += fmt::format("\n");
  }
  if (std::isfinite(p.latency_s_per_s))
    text +=
        fmt::format("  one more microsecond a message: latency {}, software {} in all\n",
                    show_difference(p.latency_s_per_s * 1e-6), show_difference(p.overhead_s_per_s * 1e-6));
  if (!p.not_explained.empty()) text += "  without contention: " + p.not_explained + "\n";
  return p.explained ? text + show(*p.explained, program) : text;
}

std::string show_self_check(const Prediction& first) {
  if (!first.recorded)
    return fmt::format("as it is       {:>9}   the schedule on the machine\n", show_time(first.replayed_s));
  std::string text =
      fmt::format("recorded       {:>9}\nself-check     {:>9}   replayed on the recording machine: {}\n",
                  show_time(first.recorded_s), show_time(first.replayed_s),
                  signed_percent(first.recorded_s > 0 ? first.replayed_s / first.recorded_s - 1 : 0.0));
  if (const std::string off = self_check_off(first.recorded_s, first.replayed_s); !off.empty())
    text += in_lines("speed-ups are withheld: " + off) + in_lines("what to do: " + remedy_of_withheld());
  return text;
}

std::string show_assumptions(const std::vector<SaidOf>& all) {
  std::string text = "assuming:\n";
  std::set<std::string> said;
  for (const SaidOf& one : all) {
    std::string more;
    for (const std::string& assumption : *one.assumptions)
      if (said.insert(assumption).second) more += "  " + assumption + "\n";
    if (&one != &all.front() && !more.empty())
      text += fmt::format("and {}:\n", one.what_if.empty() ? "on the machine as it is" : "of " + one.what_if);
    text += more;
  }
  return text;
}

std::string show_assumptions(const std::vector<Prediction>& predictions) {
  std::vector<SaidOf> all;
  for (const Prediction& p : predictions) all.push_back({p.what_if, &p.assumptions});
  return show_assumptions(all) + show_each_on_a_line(predictions.front().diagnostics);
}

std::string show_assumptions(const Prediction& first) {
  return show_assumptions(std::vector<SaidOf>{{first.what_if, &first.assumptions}}) +
         show_each_on_a_line(first.diagnostics);
}

std::string prediction_csv(const std::vector<Prediction>& predictions) {
  std::string text = fmt::format("what_if,predicted_s,predicted_low_s,predicted_high_s{}\n", gain_columns);
  for (const Prediction& p : predictions)
    text += fmt::format("{},{},{},{}{}\n", csv_field(p.what_if), csv_number(p.predicted_s),
                        csv_number(p.predicted_low_s), csv_number(p.predicted_high_s), in_csv(gain_of(p)));
  return text;
}

}  // namespace ww
