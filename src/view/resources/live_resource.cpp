#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

Result<Response> answer_live(const Inquiry& inquiry) {
  WW_TRY(const auto live, inquiry.trace->live());
  return json_response(to_json(live));
}

}  // namespace

const Resource live_resource = {
    .name = "live", .parameters = "", .answer = answer_live, .heavy = false, .kept = false};

}  // namespace ww::view
