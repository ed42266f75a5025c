// No message waits for another: each arrives when it would alone.
#include "simulate/networks/kinds.hpp"

namespace ww::simulate {
namespace {

class Ideal : public Network {
 public:
  explicit Ideal(const NetworkContext& context)
      : program_(context.program),
        costs_(context.costs),
        events_(context.events),
        listener_(context.listener) {}
  void start(std::uint32_t message, double now_s) override {
    const MessageCost& cost = costs_.of(message);
    events_.add(now_s + cost.port_s, program_.messages[message].destination, EventKind::head, message);
    events_.add(now_s + cost.port_s + cost.head_s, program_.messages[message].destination, EventKind::tail,
                message);
  }
  void start_control(EventKind kind, std::uint32_t message, double now_s) override {
    const ProgramMessage& m = program_.messages[message];
    events_.add(now_s + costs_.of(message).control_s, kind == EventKind::request ? m.destination : m.source,
                kind, message);
  }
  void handle(const Event& event) override {
    if (event.kind == EventKind::head)
      listener_.left(event.target, event.time_s);
    else
      listener_.arrived(event.target, event.time_s);
  }
  std::vector<std::string> assumptions() const override {
    return {"messages do not slow each other down (an ideal network)"};
  }

 private:
  const Program& program_;
  const ReplayCosts& costs_;
  EventQueue& events_;
  Listener& listener_;
};

}  // namespace

const NetworkKind ideal_kind{
    "ideal",
    "no message waits for another",
    {},
    nullptr,
    nullptr,
    [](NetworkKeys&, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      return std::make_unique<Ideal>(context);
    }};

}  // namespace ww::simulate
