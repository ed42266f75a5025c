#include "view/answers/series.hpp"
#include "view/resources/resources.hpp"
#include "view/selected.hpp"

namespace ww::view {
namespace {

Result<Response> answer_series(const Inquiry& inquiry) {
  WW_TRY(const std::string text, inquiry.query.needed_text("measure"));
  WW_TRY(const AskedMeasure measure, measure_of(text));
  WW_TRY(const std::int64_t bins, inquiry.query.integer("bins", 1, 16'384, 512));
  WW_TRY(const Selection selection, inquiry.query.selection());
  WW_TRY(const SelectedPart selected, view::selected(*inquiry.trace, selection));
  WW_TRY(const Series series, inquiry.trace->of_index([&](const Index& index) {
    return series_of(index, selected.part, measure, static_cast<std::uint32_t>(bins), &*inquiry.stop);
  }));
  return binary_response(series_bytes(series), true);
}

}  // namespace

const Resource series_resource = {
    .name = "series", .parameters = "measure bins SEL", .answer = answer_series};

}  // namespace ww::view
