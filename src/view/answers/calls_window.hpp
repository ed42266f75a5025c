// The calls that reach into a window of time.
#pragma once
#include "analyze/selection.hpp"
#include "view/index.hpp"

namespace ww::view {

// The numbers that the ranges name, in order, each once; without any range all. Error: there is no such rank (usage).
Result<std::vector<std::uint32_t>> ranks_of(const std::vector<NumberRange>& ranges, std::size_t ranks);

struct CallsWindow {
  std::uint64_t all = 0;         // in the window
  std::vector<FoundCall> calls;  // by rank and time; of more than the limit the longest
};

// Calls that reach into [from_ns, to_ns) or begin in it. Errors: the index is damaged.
Result<CallsWindow> calls_in_window(const Index& index, std::span<const std::uint32_t> ranks,
                                    std::int64_t from_ns, std::int64_t to_ns, std::size_t limit);

// "WWC1" (docs/design/viewing.md).
std::string calls_bytes(const CallsWindow& window);

}  // namespace ww::view
