#include "view/report_of.hpp"

namespace ww::view {

Result<AskedPart> part_of(OpenTrace& open, const Selection& selection, const Cancellation& stop) {
  WW_TRY(auto trace, open.trace());
  WW_TRY(auto analysis, open.analysis());
  AskedPart asked{trace, analysis, Part(*trace), std::nullopt};
  if (!selection.any()) return asked;
  auto part = Part::of(*trace, *analysis->parts, selection);
  if (!part) {
    part.error().usage = true;
    return tl::unexpected(std::move(part.error()));
  }
  asked.part = *std::move(part);
  asked.of_part = break_down(asked.part, analysis->breakdown, analysis->waits, &stop);
  if (stop.requested()) return cancelled();
  return asked;
}

}  // namespace ww::view
