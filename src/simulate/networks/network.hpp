// What carries messages between hosts. One network a file, with one line in registry.cpp; the engine gives it
// messages and passes its events on.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simulate/events/event_queue.hpp"
#include "simulate/networks/channel_use.hpp"

namespace ww::simulate {

// Whom a network tells what happened.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void left(std::uint32_t message, double now_s) = 0;     // its last byte has left the sending port
  virtual void arrived(std::uint32_t message, double now_s) = 0;  // its last byte is at the receiver
  virtual void request_comes(std::uint32_t message, double at_s) = 0;  // it will be there then
  // The host's processor is needed for so long, now; what computes or runs the library there waits.
  virtual void interrupted(std::int32_t host, double seconds) = 0;
  virtual bool is_waiting(std::int32_t rank) const = 0;  // inside a call, so that it reads what comes
};

class Network {
 public:
  virtual ~Network() = default;
  virtual void start(std::uint32_t message, double now_s) = 0;
  // A request goes from the message's source to its destination, a reply the other way; the event of that
  // kind is added for when it is there.
  virtual void start_control(EventKind kind, std::uint32_t message, double now_s) = 0;
  // Whether data that go the same way make it later than it is by itself. True: start_control takes an acknowledgement (`acknowledged`), too.
  virtual bool holds_back(EventKind /*kind*/, std::uint32_t /*message*/, double /*now_s*/) { return false; }
  virtual void handle(const Event& event) = 0;  // head, tail, port_done, network
  // A network whose hosts take a message block by block while its sender is still in the call gets every
  // eager message here when its software begins, and not by start(); the blocks come evenly over written_s.
  virtual bool takes_blocks() const { return false; }
  virtual void hand_over(std::uint32_t /*message*/, double /*now_s*/, double /*written_s*/) {}
  // Whether it may call Listener::interrupted.
  virtual bool takes_time_of_hosts() const { return false; }

  // A rank reads what has come for it, as it begins to wait.
  virtual void reads(std::int32_t /*rank*/, double /*now_s*/) {}

  // What it is and what it takes for granted, for the prediction's assumptions.
  virtual std::vector<std::string> assumptions() const { return {}; }
  // What it counted, by name.
  virtual std::vector<std::pair<std::string, double>> counts() const { return {}; }
  // Of each of its channels that carried something; in any order.
  virtual std::vector<ChannelUse> channels() const { return {}; }
};

}  // namespace ww::simulate
