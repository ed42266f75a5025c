// What a path answers: one resource a file, registered in one line of resources.hpp.
#pragma once
#include <span>

#include "view/open_traces.hpp"
#include "view/query.hpp"
#include "view/response.hpp"

namespace ww::view {

struct Inquiry {
  const Query& query;
  OpenTraces& traces;
  OpenTrace* trace = nullptr;  // of data/N/NAME, which it outlives; of data/NAME none
  // What takes long looks at it and ends with cancelled(): nobody waits for the answer any more. Never null.
  std::shared_ptr<Cancellation> stop;
};

struct Resource {
  const char* name;  // data/N/NAME, or data/NAME
  const char*
      parameters;  // words between blanks; SEL: those of a selection. Others are refused before `answer`
  // Errors become refusal(error). Called by many threads at once.
  Result<Response> (*answer)(const Inquiry& inquiry);
  bool of_trace = true;
  bool heavy = true;      // only some of these are worked on at once, others wait
  bool kept = true;       // the same question has the same answer: it may be kept (in bounded memory)
  bool guests = true;     // also with --read-only
  bool of_calls = false;  // also right where nothing but calls is known (OpenTrace::knows_calls_only)
};

std::span<const Resource* const> resources();

}  // namespace ww::view
