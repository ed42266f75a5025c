#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

Result<Response> answer_picture(const Inquiry& inquiry) {
  WW_TRY(const auto picture, inquiry.trace->picture(inquiry.traces.number_of(inquiry.trace)));
  WW_TRY(const auto index, picture->index());
  return json_response({{"trace", inquiry.traces.add_picture(index->calls(), picture)}});
}

}  // namespace

const Resource picture_resource = {
    .name = "picture", .parameters = "", .answer = answer_picture, .kept = false};

}  // namespace ww::view
