#include "view/answers/messages_window.hpp"
#include "view/resources/resources.hpp"
#include "view/resources/window.hpp"
#include "view/selected.hpp"

namespace ww::view {
namespace {

Result<Response> answer_messages(const Inquiry& inquiry) {
  WW_TRY(const AskedWindow window, window_of(inquiry.query, 20'000));
  Selection selection;
  selection.ranks = window.ranks;
  WW_TRY(const SelectedPart selected, view::selected(*inquiry.trace, selection));
  // Without an end: all that there is.
  constexpr std::int64_t far_ns = std::int64_t{1} << 60;
  const MessagesWindow messages = messages_in_window(selected.part, window.from_ns.value_or(-far_ns),
                                                     window.to_ns.value_or(far_ns), window.limit);
  return binary_response(messages_bytes(messages), true);
}

}  // namespace

const Resource messages_resource = {
    .name = "messages", .parameters = "from_ns to_ns ranks limit", .answer = answer_messages};

}  // namespace ww::view
