#include "render/raw_listing_text.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

std::string us(double seconds) {
  return fmt::format("{:.2f}", seconds * 1e6);
}

}  // namespace

std::string show(const measure::RawListing& listing) {
  std::string text;
  // S1's counts ticks of 146 us: there they tell more than microseconds.
  const bool ticks = listing.clock_resolution_s > 1e-6;
  if (listing.clock_resolution_s > 0)
    text += fmt::format("clock: a call takes {}, a step is {}\n\n", show_time(listing.clock_call_s),
                        show_time(listing.clock_resolution_s));

  std::vector<std::string> head{"between", "over",    "experiment", "measures", "hops",
                                "bytes",   "samples", "average us", "min",      "max"};
  if (ticks) head.emplace_back("average ticks");
  Table table(head, 4);
  for (const auto& one : listing.observations) {
    std::vector<std::string> row{one.between,
                                 one.computation,
                                 one.experiment == 0 ? "call" : fmt::format("{}", one.experiment),
                                 one.measures,
                                 fmt::format("{}", one.hops),
                                 fmt::format("{:g}", one.bytes),
                                 fmt::format("{}", one.count),
                                 us(one.mean_s),
                                 us(one.shortest_s),
                                 us(one.longest_s)};
    if (ticks) row.push_back(fmt::format("{:.3f}", one.mean_s / listing.clock_resolution_s));
    table.add(std::move(row));
  }
  text += table.text();

  if (!listing.differences.empty()) {
    Table between({"between", "over", "bytes", "hops", "difference us", "half"}, 2);
    for (const auto& one : listing.differences)
      between.add({one.between, one.computation, fmt::format("{:g}", one.bytes),
                   fmt::format("{}/{}", one.from_hops, one.from_hops + 1), us(one.seconds),
                   us(one.seconds / 2)});
    text += "\nechoes over one hop more\n" + between.text();
  }
  if (!listing.lines.empty()) {
    Table lines({"between", "over", "sum", "base us", "us a byte", "max. error us"}, 3);
    for (const auto& one : listing.lines)
      lines.add({one.between, one.computation, one.measures, us(one.base_s),
                 fmt::format("{:.4g}", one.seconds_per_byte * 1e6), us(one.max_error_s)});
    text += "\nlines through the averages\n" + lines.text();
  }
  return text;
}

}  // namespace ww
