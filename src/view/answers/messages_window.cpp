#include "view/answers/messages_window.hpp"

#include <cmath>

#include "view/bytes_out.hpp"

namespace ww::view {

MessagesWindow messages_in_window(const Part& part, std::int64_t from_ns, std::int64_t to_ns,
                                  std::size_t limit) {
  MessagesWindow out;
  const auto for_each = [&](const auto& take) {
    for_each_message_under_way(part, from_ns, to_ns, [&](const MessageInTime& message) {
      if (message.is_received || message.sent_ns >= from_ns) take(message);
    });
  };
  // Every n-th so far; of these every second when there are too many.
  std::uint64_t step = 1;
  for_each([&](const MessageInTime& message) {
    if (limit > 0 && out.all % step == 0) {
      if (out.messages.size() == limit) {
        for (std::size_t i = 0; 2 * i < limit; ++i) out.messages[i] = out.messages[2 * i];
        out.messages.resize((limit + 1) / 2);
        step *= 2;
      }
      if (out.all % step == 0) out.messages.push_back(message);
    }
    ++out.all;
  });
  return out;
}

std::string messages_bytes(const MessagesWindow& window) {
  BytesOut out("WWM1");
  constexpr std::uint64_t most = 0xffffffff;
  out.value(static_cast<std::uint32_t>(window.messages.size()));
  out.value(static_cast<std::uint32_t>(std::min(window.all, most)));
  out.value(std::uint32_t{0});
  for (const MessageInTime& message : window.messages) out.value(static_cast<double>(message.sent_ns));
  for (const MessageInTime& message : window.messages)
    out.value(message.is_received ? static_cast<double>(message.received_ns) : std::nan(""));
  for (const MessageInTime& message : window.messages) out.value(static_cast<double>(message.bytes));
  for (const MessageInTime& message : window.messages) out.value(static_cast<std::uint32_t>(message.source));
  for (const MessageInTime& message : window.messages)
    out.value(static_cast<std::uint32_t>(message.destination));
  for (const MessageInTime& message : window.messages) out.value(message.number);
  for (const MessageInTime& message : window.messages) out.value(message.tag);
  return out.take();
}

}  // namespace ww::view
