// What a trace is, for the page: its ranks, names, communicators, what the program marked, what is wrong with it.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "trace/trace.hpp"
#include "view/index.hpp"

namespace ww::view {

// The parts of data/N/trace that need the trace (docs/design/viewing.md).
nlohmann::json facts_of(const Trace& trace);
// ... and those that need the index: "keys", "names", "span_ns", "index".
void add_index(nlohmann::json& facts, const Index& index);

}  // namespace ww::view
