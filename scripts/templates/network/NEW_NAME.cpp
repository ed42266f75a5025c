// NEW-NAME: what it is, whose, and the rule by which messages share it (paper and section).
//
// As it stands: one message at a time in the whole network, first come first served, each for as long as its
// port takes it.
#include <algorithm>

#include "simulate/networks/kinds.hpp"

namespace ww::simulate {
namespace {

class NewName : public Network {
 public:
  NewName(const NetworkContext& context, double delay_s)
      : program_(context.program),
        costs_(context.costs),
        events_(context.events),
        listener_(context.listener),
        delay_s_(delay_s) {}
  void start(std::uint32_t message, double now_s) override {
    const MessageCost& cost = costs_.of(message);
    free_s_ = std::max(free_s_, now_s) + cost.port_s;
    const std::int32_t receiver = program_.messages[message].destination;
    events_.add(free_s_, receiver, EventKind::head, message);
    events_.add(free_s_ + cost.head_s + delay_s_, receiver, EventKind::tail, message);
  }
  void start_control(EventKind kind, std::uint32_t message, double now_s) override {
    const ProgramMessage& m = program_.messages[message];
    events_.add(now_s + costs_.of(message).control_s + delay_s_,
                kind == EventKind::request ? m.destination : m.source, kind, message);
  }
  void handle(const Event& event) override {
    if (event.kind == EventKind::head)
      listener_.left(event.target, event.time_s);
    else
      listener_.arrived(event.target, event.time_s);
  }
  std::vector<std::string> assumptions() const override {
    return {"the network carries one message at a time"};
  }

 private:
  const Program& program_;
  const ReplayCosts& costs_;
  EventQueue& events_;
  Listener& listener_;
  double delay_s_, free_s_ = 0;  // free_s_: when the last message has left
};

}  // namespace

const NetworkKind NEW_NAME_kind{
    "NEW-NAME",
    "one message at a time",
    {"delay"},
    nullptr,
    [](NetworkKeys& keys) {
      keys.time_s("delay");
      return keys.check();
    },
    [](NetworkKeys& keys, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      return std::make_unique<NewName>(context, keys.time_s("delay").value_or(0));
    }};

}  // namespace ww::simulate
