// A part of an open trace for answers that need no analysis of it.
#pragma once
#include "view/open_trace.hpp"

namespace ww::view {

// It keeps what the part looks at.
struct SelectedPart {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const TraceIndex> parts;
  Part part;
};

// Also of nothing selected: a part with an index. Errors: those of OpenTrace and of Part::of (usage).
inline Result<SelectedPart> selected(OpenTrace& open, const Selection& selection) {
  WW_TRY(auto trace, open.trace());
  WW_TRY(auto parts, open.parts());
  auto part = Part::of(*trace, *parts, selection);
  if (!part) {
    part.error().usage = true;
    return tl::unexpected(std::move(part.error()));
  }
  return SelectedPart{std::move(trace), std::move(parts), *std::move(part)};
}

}  // namespace ww::view
