// A measure of each rank over time.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/selection.hpp"
#include "base/cancellation.hpp"
#include "view/index.hpp"

namespace ww::view {

// What can be measured; `value` is a value of the program's, by its name.
enum class Measure : std::uint8_t {
  compute,
  library,
  blocked,
  algorithmic,
  service,
  bytes_sent,
  bytes_received,
  messages_sent,
  messages_received,
  calls,
  regions,
  queue_messages,
  queue_bytes,
  outgoing_messages,
  outgoing_bytes,
  value
};
// "compute" ... "outgoing_bytes", "value:NAME". Error: there is no such measure (usage).
struct AskedMeasure {
  Measure measure = Measure::compute;
  std::string value;
};
Result<AskedMeasure> measure_of(const std::string& text);

// Row i is of ranks[i]. Bin b is [from_ns + b * bin_ns, ...) of the selected span, since the begin of the program.
struct Series {
  std::vector<std::uint32_t> ranks;
  std::uint32_t bins = 0;
  double from_ns = 0, bin_ns = 0;
  std::vector<float> values;  // by rank, then bin
};

// Shares of the bin (compute to service), bytes and messages begun or completed in it, calls and regions that begin in it, means over
// it of what is sent and not yet received, by its receiver (queue) and by its sender (outgoing), or the last of a value (NaN: none). `part`: of the trace of the index, with an index itself. At
// most so many values are given: with many ranks there are fewer bins. Errors: no such value, the index is damaged, stopped.
inline constexpr std::size_t most_series_values = std::size_t{1} << 22;
Result<Series> series_of(const Index& index, const Part& part, const AskedMeasure& measure,
                         std::uint32_t bins, const Cancellation* stop = nullptr);

// "WWS1" (docs/design/viewing.md), with the ranks of its rows.
std::string series_bytes(const Series& series);

}  // namespace ww::view
