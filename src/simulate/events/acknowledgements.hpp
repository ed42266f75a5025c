// Of large messages whose data are acknowledged before their receiver is told that they are there (MessageCost::acknowledged): what
// acknowledges goes back behind the data that go there already, and then the receiver is told as much later. Where both directions are
// busy, who is first is held back so, and both end nearer to each other than they began: tcpdump of NPB mg under MPICH at 10 Mb/s.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/costs.hpp"
#include "simulate/events/event_queue.hpp"
#include "simulate/events/state.hpp"
#include "simulate/networks/network.hpp"

namespace ww::simulate {

class Acknowledgements {
 public:
  Acknowledgements(const Program& program, const ReplayCosts& costs, std::vector<MessageState>& messages,
                   EventQueue& events)
      : program_(program), costs_(costs), messages_(messages), events_(events) {}

  // The data have left their port. A crossing for the acknowledgement and one for telling are in the model's head_s; where that has no room
  // for them, nothing holds them back.
  void left(std::uint32_t message, double now_s) {
    const MessageCost& cost = costs_.of(message);
    const ProgramMessage& m = program_.messages[message];
    if (cost.ports && cost.head_s >= 2 * cost.control_s)
      events_.add(now_s + cost.head_s - 2 * cost.control_s, m.destination, EventKind::landed, message);
    else
      events_.add(now_s + std::max(0.0, cost.head_s - cost.control_s), m.source, EventKind::acknowledged,
                  message);
  }
  void landed(std::uint32_t message, Network& network, double now_s) {
    if (network.holds_back(EventKind::acknowledged, message, now_s)) {
      messages_[message].untold = true;
      network.start_control(EventKind::acknowledged, message, now_s);
    } else {
      events_.add(now_s + costs_.of(message).control_s, program_.messages[message].source,
                  EventKind::acknowledged, message);
    }
  }
  // The sender knows.
  void came(std::uint32_t message, double now_s) {
    if (messages_[message].untold)
      events_.add(now_s + costs_.of(message).control_s, program_.messages[message].destination,
                  EventKind::told, message);
  }
  // The data are there. True: their receiver is told later.
  bool keeps_waiting(std::uint32_t message) {
    MessageState& state = messages_[message];
    if (state.untold) state.is_there = true;
    return state.untold;
  }
  // True: they are there, too.
  bool told(std::uint32_t message) {
    messages_[message].untold = false;
    return messages_[message].is_there;
  }

 private:
  const Program& program_;
  const ReplayCosts& costs_;
  std::vector<MessageState>& messages_;
  EventQueue& events_;
};

}  // namespace ww::simulate
