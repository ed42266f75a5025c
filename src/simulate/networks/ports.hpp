// A switched network as its hosts see it: each host has a sending and a receiving port, each serves one
// message at a time, first come first served or by another rule (arbitration.hpp). A message occupies both
// for port_s, the receiving port head_s later; it has arrived when the receiving port has served it and its
// last byte, head_s after it left, is there. Behind messages to the same rank that wait for long it shares their frames (WireFacts). While both ports of a host are busy with messages, each works at
// two_way_efficiency of its rate (acknowledgements queue behind the data of the other direction).
#pragma once
#include <unordered_map>
#include <vector>

#include "simulate/costs.hpp"
#include "simulate/networks/network.hpp"
#include "simulate/networks/port_queue.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

class Ports final : public Network {
 public:
  Ports(const Program& program, const ReplayCosts& costs, const TrafficRules& rules, Arbitration arbitration,
        EventQueue& events, Listener& listener);
  void start(std::uint32_t message, double now_s) override;
  void start_control(EventKind kind, std::uint32_t message, double now_s) override;
  void handle(const Event& event) override;

 private:
  struct Control {
    EventKind kind;
    std::uint32_t message;
  };
  struct Port {
    PortWaiting waiting;
    bool busy = false;    // serving `message`
    bool served = false;  // receiving: served, but the last byte is not there yet
    std::uint32_t message = 0;
    double left_s = 0;  // of service at full rate, at since_s
    double since_s = 0;
    double rate = 1;
    double free_s = 0;        // when what has been given to it is served, at full rate
    std::uint32_t stamp = 0;  // of the valid port_done event
  };
  // From a host to another: what replies lie behind; and the end of what was given to the port last, in bytes since the stream
  // of its two ranks was empty.
  struct LastData {
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::uint32_t message = none, streamed = none;
    double stream_bytes = 0;
  };
  // sending port of a host: 2 * host; receiving: 2 * host + 1
  void deliver(const Control& control, double now_s);
  void take_turns(const Control& control, double now_s);
  void join_stream(LastData& last, std::uint32_t message, double now_s);
  double port_s(std::uint32_t message) const;
  std::int32_t host_of(std::int32_t rank) const;
  static std::uint64_t pair_of(std::int32_t from, std::int32_t to);  // of hosts or of ranks
  std::uint32_t sending_port(std::uint32_t message) const;
  std::uint32_t receiving_port(std::uint32_t message) const;
  void enqueue(std::uint32_t port, std::uint32_t message, double now_s);
  void begin(std::uint32_t port, std::uint32_t message, double now_s);
  void release(std::uint32_t port, double now_s);
  void set_rates(std::uint32_t port, double now_s);  // of the port and of its twin
  void promise(std::uint32_t port, double now_s);

  const Program& program_;
  const ReplayCosts& costs_;
  TrafficRules rules_;
  EventQueue& events_;
  Listener& listener_;
  std::vector<Port> ports_;
  std::vector<bool> tail_there_, left_;                    // by message
  std::unordered_map<std::uint64_t, LastData> last_data_;  // by sending and receiving host
  std::unordered_map<std::uint64_t, double> asked_s_;      // so, when it last sent a request
  std::vector<double> joined_s_;                           // by message, if it joined; empty: none did
  std::unordered_map<std::uint32_t, std::vector<Control>> behind_;  // by message
};

}  // namespace ww::simulate
