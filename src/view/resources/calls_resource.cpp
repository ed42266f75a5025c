#include "view/answers/calls_window.hpp"
#include "view/resources/resources.hpp"
#include "view/resources/window.hpp"

namespace ww::view {
namespace {

Result<Response> answer_calls(const Inquiry& inquiry) {
  WW_TRY(const AskedWindow window, window_of(inquiry.query, 65'536));
  WW_TRY(std::string bytes, inquiry.trace->of_index([&](const Index& index) -> Result<std::string> {
    WW_TRY(const auto ranks, ranks_of(window.ranks, index.ranks()));
    WW_TRY(const CallsWindow calls, calls_in_window(index, ranks, window.from_ns.value_or(index.from_ns()),
                                                    window.to_ns.value_or(index.to_ns() + 1), window.limit));
    return calls_bytes(calls);
  }));
  return binary_response(std::move(bytes), true);
}

}  // namespace

const Resource calls_resource = {
    .name = "calls", .parameters = "from_ns to_ns ranks limit", .answer = answer_calls, .of_calls = true};

}  // namespace ww::view
