// For tests: the index of a trace in memory.
#pragma once
#include "view/index_build.hpp"
#include "view/trace_source.hpp"

namespace ww::view {

// `calls_a_tile`: a small one has many tiles stored.
inline std::shared_ptr<const Index> index_of(const Trace& trace, std::uint64_t calls_a_tile = 1u << 20,
                                             std::size_t threads = 1) {
  const std::vector<Breakdown::CallSplit> splits = split_calls(trace, nullptr);
  Building building;
  building.calls_a_tile = calls_a_tile;
  building.threads = threads;
  return build_index(TraceSource(trace, splits), building).value();
}

}  // namespace ww::view
