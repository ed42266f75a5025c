// A window of time and ranks as a query names it.
#pragma once
#include "view/query.hpp"

namespace ww::view {

struct AskedWindow {
  std::optional<std::int64_t> from_ns, to_ns;  // since the begin of the program, below 0 before it
  std::vector<NumberRange> ranks;              // empty: all
  std::size_t limit = 0;
};

// Of from_ns, to_ns, ranks and limit. Errors (usage): no instants, no ranges, the window is empty.
inline Result<AskedWindow> window_of(const Query& query, std::int64_t limit_otherwise) {
  constexpr std::int64_t most = 1'000'000;
  AskedWindow window;
  WW_TRY(window.from_ns, query.instant_ns("from_ns"));
  WW_TRY(window.to_ns, query.instant_ns("to_ns"));
  if (window.from_ns && window.to_ns && *window.from_ns >= *window.to_ns)
    return wrong_usage("the window is empty", "to_ns", "let to_ns be later than from_ns");
  if (query.has("ranks")) {
    WW_TRY(window.ranks, parse_numbers(query.text("ranks")));
  }
  WW_TRY(const std::int64_t limit, query.integer("limit", 0, most, limit_otherwise));
  window.limit = static_cast<std::size_t>(limit);
  return window;
}

}  // namespace ww::view
