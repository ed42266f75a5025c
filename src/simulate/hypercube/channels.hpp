// The channels between the nodes of a hypercube, and what each message takes from the processors that it
// passes.
//
// A message goes from node to node (store and forward) by e-cube routing. Each directed channel carries one
// message at a time, first come first served, for E(n). E has two parts. The first, E(0), is the exchange of
// a request and a reply between the two nodes (S1, section 6), made by interrupt service on both: the S of
// the sending and the R of the receiving processor, apart from what of them grows with size where memory is
// contended. If a processor is busy with other interrupts, or slow, the exchange lasts longer by that. In the
// second part the channel moves the bytes by itself, as quickly as the sending node's memory gives them.
//
// Buffers are not limited. Knows nothing of processes: a network for whatever produces messages.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "machine/model.hpp"
#include "simulate/hypercube/processor.hpp"

namespace ww::simulate::hypercube {

struct NodeMessage {
  int from = 0, to = 0;  // differ
  double bytes = 0;
  std::uint64_t number = 0;  // the caller's
};

class Channels {
 public:
  using Arrived = std::function<void(const NodeMessage&)>;  // its last byte is in a system buffer of `to`
  Channels(Agenda& agenda, const ::ww::Costs& costs, const Memory& memory, std::vector<Processor>& processors,
           int dimensions, Arrived arrived);

  void start(const NodeMessage& message);  // its first channel is asked for now
  std::uint64_t forwarded(int node) const { return forwarded_[node]; }

 private:
  struct Channel {
    std::deque<NodeMessage> waiting;  // the first one is on its way if busy
    bool busy = false;
  };
  struct Hop {
    int from = 0, to = 0;
    double began_s = 0, late_s = 0;
    int unserved = 2;  // processors that have not yet done their part of the exchange
    bool moving = false;
    double left_s = 0, since_s = 0;  // of moving, at full speed; as of then
    std::uint64_t plan = 0;          // the last; what was planned before it is void
  };
  std::size_t channel_of(int node, int dimension) const;
  void ask(int at, const NodeMessage& message);
  void begin(std::size_t channel);
  void serve(std::size_t channel, int node, double service_s);
  void move(std::size_t channel);
  void end(std::size_t channel);
  // A channel of the hop begins (+1) or ceases (-1) to be active on both of its nodes, which changes the pace
  // of whatever they are sending.
  void activate(const Hop& hop, int more);
  void settle(int node);
  void plan(int node);
  double exchange_s(double bytes) const;

  Agenda& agenda_;
  const ::ww::Costs& costs_;
  const Memory& memory_;
  std::vector<Processor>& processors_;
  int dimensions_;
  Arrived arrived_;
  std::vector<Channel> channels_;  // node * dimensions + dimension
  std::vector<Hop> hops_;          // of each channel, while it is busy
  std::vector<std::uint64_t> forwarded_;
};

}  // namespace ww::simulate::hypercube
