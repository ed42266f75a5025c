#include "view/answers/calls_window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "view/bytes_out.hpp"

namespace ww::view {
namespace {

// Comes first in the list of the longest.
bool is_longer(const FoundCall& a, const FoundCall& b) {
  const std::int64_t a_ns = a.interval.leave_ns - a.interval.enter_ns,
                     b_ns = b.interval.leave_ns - b.interval.enter_ns;
  return std::tuple(-a_ns, a.rank, a.call) < std::tuple(-b_ns, b.rank, b.call);
}

}  // namespace

Result<std::vector<std::uint32_t>> ranks_of(const std::vector<NumberRange>& ranges, std::size_t ranks) {
  std::vector<bool> wanted(ranks, ranges.empty());
  for (const NumberRange& range : ranges) {
    if (range.last >= ranks)
      return wrong_usage(fmt::format("the trace has no rank {}", range.last), "ranks",
                         fmt::format("it has {} of them, numbered from 0", ranks));
    for (std::uint32_t rank = range.first; rank <= range.last; ++rank) wanted[rank] = true;
  }
  std::vector<std::uint32_t> out;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (wanted[rank]) out.push_back(static_cast<std::uint32_t>(rank));
  return out;
}

Result<CallsWindow> calls_in_window(const Index& index, std::span<const std::uint32_t> ranks,
                                    std::int64_t from_ns, std::int64_t to_ns, std::size_t limit) {
  CallsWindow out;
  // While there are more than the limit, a heap with the shortest of them on top.
  const auto take = [&](const FoundCall& call) {
    ++out.all;
    if (out.calls.size() < limit) {
      out.calls.push_back(call);
      if (out.calls.size() == limit) std::make_heap(out.calls.begin(), out.calls.end(), is_longer);
    } else if (limit > 0 && is_longer(call, out.calls.front())) {
      std::pop_heap(out.calls.begin(), out.calls.end(), is_longer);
      out.calls.back() = call;
      std::push_heap(out.calls.begin(), out.calls.end(), is_longer);
    }
  };
  for (const std::uint32_t rank : ranks)
    WW_CHECK(index.calls_in(rank, from_ns, to_ns, [&](std::size_t call, const CallInterval& interval) {
      take({rank, call, interval});
      return true;
    }));
  std::sort(out.calls.begin(), out.calls.end(), [](const FoundCall& a, const FoundCall& b) {
    return std::tuple(a.rank, a.call) < std::tuple(b.rank, b.call);
  });
  return out;
}

std::string calls_bytes(const CallsWindow& window) {
  BytesOut out("WWC1");
  constexpr std::uint64_t most = 0xffffffff;
  out.value(static_cast<std::uint32_t>(window.calls.size()));
  out.value(static_cast<std::uint32_t>(std::min(window.all, most)));
  out.value(std::uint32_t{0});
  const auto times = [&](const auto& of) {
    for (const FoundCall& call : window.calls) out.value(static_cast<double>(of(call.interval)));
  };
  times([](const CallInterval& call) { return call.enter_ns; });
  times([](const CallInterval& call) { return call.leave_ns - call.enter_ns; });
  times([](const CallInterval& call) { return call.algorithmic_ns; });
  times([](const CallInterval& call) { return call.service_ns; });
  for (const FoundCall& call : window.calls) out.value(call.rank);
  for (const FoundCall& call : window.calls) out.value(static_cast<std::uint32_t>(call.call));
  for (const FoundCall& call : window.calls) out.value(call.interval.name);
  return out.take();
}

}  // namespace ww::view
