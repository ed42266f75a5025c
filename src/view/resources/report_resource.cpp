#include "view/report_of.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

Result<Response> answer_report(const Inquiry& inquiry) {
  WW_TRY(const Selection selection, inquiry.query.selection());
  WW_TRY(const AskedPart part, part_of(*inquiry.trace, selection, *inquiry.stop));
  return json_response(to_json(part.breakdown(), part.part));
}

}  // namespace

const Resource report_resource = {.name = "report", .parameters = "SEL", .answer = answer_report};

}  // namespace ww::view
