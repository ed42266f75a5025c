// The timeline of the HTML report as plain data: what each rank did when, of bounded size whatever the trace.
//
// Every call is listed while there are few. From a big trace only the longest calls are listed one by one,
// and `bins` hold the exact time of all calls, listed or not, in equal spans of time; many ranks are merged
// into rows of neighbouring ranks. How much was merged or left out is part of the data, and the page says it.
//
// {"begin_ns", "end_ns",            of the program proper; all other times count from begin_ns
//  "calls": total number, "listed_calls", "shortest_listed_ns",  (the latter when not all are listed: those
//  at least so
//                                                                long are; calls outside begin..end are not
//                                                                counted)
//  "messages": total number, "listed_messages",                  (when not all: every n-th by time of
//  sending) "names": ["MPI_Send", ...], "rows": [{"first_rank", "last_rank", "host", "begin_ns", "end_ns",
//            "enter":  [ns, first from begin_ns, then from the enter before],    one entry a listed call, in
//            each of: "time":   [ns inside the call], "algorithmic": [ns], "service": [ns],   blocked parts
//            of it "name":   [index into names], "peer":   [world rank; -1 none, -2 several], "sent":
//            [bytes], "received": [bytes]}],
//  "bins": {"width_ns", "rows": [{"library": [ns], "algorithmic": [ns], "service": [ns]}]} or null when all
//  are listed, "arrows": {"source", "send_ns", "destination", "receive_ns", "bytes", "tag"}: columns; send_ns
//  is the entry of the
//            sending call, receive_ns the return of the call in which the message was received}
//  "region_names": [...], and in rows of one rank "regions": {"enter": [ns], "time": [ns], "name": [index
//  into them],
//            "depth": [how many others it lies within]}: those that the program marked on the first thread,
//            of very many the longest
// Of a row that merges ranks, bins are sums over its ranks, and calls are not listed.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "analyze/breakdown.hpp"
#include "trace/trace.hpp"

namespace ww {

struct TimelineLimits {
  std::size_t rows = 256;
  std::size_t calls = 60'000;     // listed one by one, over all ranks
  std::size_t cells = 60'000;     // bins times rows
  std::size_t messages = 20'000;  // listed one by one
  std::size_t regions = 20'000;   // likewise, over all ranks
};

// `breakdown` must be that of `trace` (same ranks and calls): anything else is a broken invariant.
nlohmann::json timeline_json(const Trace& trace, const Breakdown& breakdown,
                             const TimelineLimits& limits = {});

}  // namespace ww
