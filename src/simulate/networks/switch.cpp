// A store-and-forward switch whose ports have one rate: a host's sending port serialises its messages frame
// by frame, first come first served; the switch takes a frame when it has it whole, and sends it on through
// the receiver's port behind the frames that came before it, whomever they are from. Its memory has no limit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/units.hpp"
#include "simulate/networks/kinds.hpp"

namespace ww::simulate {
namespace {

class Switch final : public Network {
 public:
  Switch(const NetworkContext& context, double bytes_per_s)
      : program_(context.program),
        costs_(context.costs),
        events_(context.events),
        listener_(context.listener),
        bytes_per_s_(bytes_per_s),
        frame_bytes_(context.costs.wire().frame_payload_bytes + context.costs.wire().frame_overhead_bytes),
        ports_(context.program.hosts.size() * 2) {}

  void start(std::uint32_t message, double now_s) override {
    // The bytes that the model's wire counts, in whole frames and a last one.
    const WireFacts& wire = costs_.wire();
    const double bytes = wire.seconds_per_byte > 0 ? costs_.of(message).port_s / wire.seconds_per_byte : 0;
    const double frames = std::max(1.0, std::ceil(bytes / frame_bytes_ - 1e-9));
    bytes_ += bytes;
    for (double i = 0; i < frames; ++i) {
      const bool last = i + 1 == frames;
      enqueue(port_of(program_.messages[message].source, false),
              {message, (last ? bytes - i * frame_bytes_ : frame_bytes_) / bytes_per_s_, last}, now_s);
    }
  }

  void start_control(EventKind kind, std::uint32_t message, double now_s) override {
    const ProgramMessage& m = program_.messages[message];
    events_.add(now_s + costs_.of(message).control_s, kind == EventKind::request ? m.destination : m.source,
                kind, message);
  }

  void handle(const Event& event) override {
    if (event.kind == EventKind::tail) {
      listener_.arrived(event.target, event.time_s);
      return;
    }
    Port& port = ports_[event.target];
    const Frame frame = port.frames.front();
    port.frames.pop_front();
    if (!port.frames.empty()) serve(event.target, event.time_s);
    ++forwarded_;
    if (event.target % 2 == 0) {
      enqueue(port_of(program_.messages[frame.message].destination, true), frame, event.time_s);
      if (frame.last) listener_.left(frame.message, event.time_s);
    } else if (frame.last) {
      events_.add(event.time_s + latency_s(frame.message), program_.messages[frame.message].destination,
                  EventKind::tail, frame.message);
    }
  }

  std::vector<std::string> assumptions() const override {
    return {fmt::format(
        "the hosts are joined by a store-and-forward switch of {} a port in each direction, frames "
        "of {:g} bytes, first come first served, with room for every frame that waits",
        show_rate(bytes_per_s_), frame_bytes_)};
  }
  std::vector<std::pair<std::string, double>> counts() const override {
    return {{"frames", static_cast<double>(forwarded_ / 2)},
            {"bytes", bytes_},
            {"longest_queue_frames", static_cast<double>(longest_queue_)}};
  }

  std::vector<ChannelUse> channels() const override {
    std::vector<ChannelUse> used;
    for (std::size_t i = 0; i < ports_.size(); ++i)
      if (ports_[i].messages > 0)
        used.push_back({i % 2 == 0 ? fmt::format("host {} to the switch", i / 2)
                                   : fmt::format("the switch to host {}", i / 2),
                        ports_[i].messages, ports_[i].busy_s * bytes_per_s_, ports_[i].busy_s, bytes_per_s_});
    return used;
  }

 private:
  struct Frame {
    std::uint32_t message = 0;
    double seconds = 0;
    bool last = false;
  };
  struct Port {
    std::deque<Frame> frames;  // the first is being sent
    std::uint64_t messages = 0;
    double busy_s = 0;
  };
  std::uint32_t port_of(std::int32_t rank, bool receiving) const {
    return static_cast<std::uint32_t>(program_.ranks[static_cast<std::size_t>(rank)].host) * 2 + receiving;
  }
  // Of the one-way time what the two serialisations are not: the model's network may have stored the first
  // frame already.
  double latency_s(std::uint32_t message) const {
    const WireFacts& wire = costs_.wire();
    const double frame_s = std::min(costs_.of(message).port_s, frame_bytes_ * wire.seconds_per_byte);
    return std::max(0.0, costs_.of(message).head_s - (wire.stages - 1) * frame_s);
  }
  void enqueue(std::uint32_t number, const Frame& frame, double now_s) {
    Port& port = ports_[number];
    port.frames.push_back(frame);
    if (number % 2 == 1) longest_queue_ = std::max(longest_queue_, port.frames.size());
    if (port.frames.size() == 1) serve(number, now_s);
  }
  void serve(std::uint32_t number, double now_s) {
    Port& port = ports_[number];
    const Frame& frame = port.frames.front();
    port.busy_s += frame.seconds;
    port.messages += frame.last ? 1 : 0;
    events_.add(now_s + frame.seconds, program_.messages[frame.message].destination, EventKind::network,
                number);
  }

  const Program& program_;
  const ReplayCosts& costs_;
  EventQueue& events_;
  Listener& listener_;
  double bytes_per_s_, frame_bytes_;
  std::vector<Port> ports_;
  std::uint64_t forwarded_ = 0;
  double bytes_ = 0;
  std::size_t longest_queue_ = 0;
};

}  // namespace

const NetworkKind switch_kind{
    "switch",
    "a store-and-forward switch with ports of one rate",
    {"rate"},
    nullptr,
    [](NetworkKeys& keys) -> Result<void> {
      keys.rate_bytes_per_s("rate");
      return keys.check();
    },
    [](NetworkKeys& keys, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      const double model_s = context.costs.wire().seconds_per_byte;
      const double rate = keys.rate_bytes_per_s("rate").value_or(model_s > 0 ? 1 / model_s : 1e30);
      WW_CHECK(keys.check());
      return std::make_unique<Switch>(context, rate);
    }};

}  // namespace ww::simulate
