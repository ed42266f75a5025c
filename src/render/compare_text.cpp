#include "render/compare_text.hpp"

#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

std::string change(double a, double b) {
  if (a <= 0) return b > 0 ? "new" : "";
  return signed_percent(b / a - 1);
}

}  // namespace

std::string show(const Comparison& c, const std::string& name_a, const std::string& name_b) {
  std::string text =
      fmt::format("A {}: {}, {}\nB {}: {}, {}\n", name_a, show_time(c.a_s), counted(c.a.ranks, "rank"),
                  name_b, show_time(c.b_s), counted(c.b.ranks, "rank"));
  if (c.speed_up) text += fmt::format("speed-up {:.3f} (A / B)", *c.speed_up);
  if (c.efficiency) text += fmt::format(", {:.1f}% of what the ranks could give", 100 * *c.efficiency);
  Table parts({"mean of a rank", "A", "B", "B - A", "change"}, 1);
  const auto row = [&](const char* name, double a, double b) {
    parts.add({name, show_time(a), show_time(b), show_difference(b - a), change(a, b)});
  };
  row("elapsed", c.a.elapsed_s, c.b.elapsed_s);
  row("  computation", c.a.compute_s, c.b.compute_s);
  row("  library", c.a.library_s, c.b.library_s);
  row("  blocked, algorithm", c.a.algorithmic_s, c.b.algorithmic_s);
  row("  blocked, service", c.a.service_s, c.b.service_s);
  text += "\n\n" + parts.text() +
          fmt::format("messages sent {:.4g} and {:.4g}, bytes {} and {}\n", c.a.messages_sent,
                      c.b.messages_sent, show_bytes(c.a.bytes_sent), show_bytes(c.b.bytes_sent));
  Table classes(
      {"to / from", "ranks", "compute A", "B", "library A", "B", "algorithm A", "B", "service A", "B"}, 1);
  text += "\nBy class of ranks (how many they send to and receive from)\n" +
          limited(classes, c.classes, "classes", [&](const ClassChange& one) {
            const auto of = [](const std::optional<Parts>& side, double Parts::*member) {
              return side ? show_time((*side).*member) : std::string("-");
            };
            classes.add({fmt::format("{} / {}", one.sends_to, one.receives_from),
                         fmt::format("{}, {}", one.a ? one.a->ranks : 0, one.b ? one.b->ranks : 0),
                         of(one.a, &Parts::compute_s), of(one.b, &Parts::compute_s),
                         of(one.a, &Parts::library_s), of(one.b, &Parts::library_s),
                         of(one.a, &Parts::algorithmic_s), of(one.b, &Parts::algorithmic_s),
                         of(one.a, &Parts::service_s), of(one.b, &Parts::service_s)});
          });
  Table calls({"call", "count A", "B", "time A", "B", "B - A", "change"}, 1);
  text += "\nBy call, what changed most first (time: mean of a rank)\n" +
          limited(calls, c.calls, "calls", [&](const CallChange& one) {
            calls.add({shortened(one.name, 28), fmt::format("{}", one.a.count),
                       fmt::format("{}", one.b.count), show_time(one.a_each_rank_s),
                       show_time(one.b_each_rank_s), show_difference(one.b_each_rank_s - one.a_each_rank_s),
                       change(one.a_each_rank_s, one.b_each_rank_s)});
          });
  return text;
}

std::string show(const std::vector<WhatIfChange>& what_ifs) {
  if (what_ifs.empty()) return "";
  Table table({"what if", "A", "B", "speed-up"}, 1);
  for (const WhatIfChange& one : what_ifs)
    table.add({one.spec, show_time(one.a_s), show_time(one.b_s), fmt::format("{:.3f}", one.speed_up())});
  return "\nPredicted by simulation\n" + table.text();
}

}  // namespace ww
