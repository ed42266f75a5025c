// `report` of a part of an open trace: what the command line says of it with --json.
#pragma once
#include <optional>

#include "view/open_trace.hpp"

namespace ww::view {

// All that an answer about a part rests on. It keeps what it points to.
struct AskedPart {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Analysis> analysis;
  Part part;
  std::optional<Breakdown> of_part;  // where it is not the whole

  const Breakdown& breakdown() const { return of_part ? *of_part : analysis->breakdown; }
};

// Errors: those of OpenTrace and of Part::of, which are the question's (usage); stopped.
Result<AskedPart> part_of(OpenTrace& trace, const Selection& selection, const Cancellation& stop);

}  // namespace ww::view
