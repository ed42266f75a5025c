// Programs on a hypercube of nodes that cost what S1's six terms say (Krumme, Greenfield 1988): read this
// first, then channels.hpp (what a message takes on its way), processor.hpp, memory.hpp (contention),
// ecube.hpp. Deterministic. Plain values in and out; knows nothing of measurement or of traces.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/model.hpp"
#include "simulate/hypercube/memory.hpp"

namespace ww::simulate::hypercube {

struct Machine {
  int dimensions = 6;
  ::ww::Costs costs;
  Memory memory;
  double clock_tick_s = 0, clock_call_s = 0;  // a clock reads whole ticks; asking for it takes this
};

// All six terms of the model, and what it says of its nodes (MachineModel::hypercube) or six dimensions and
// no contention. Errors: a term is missing.
Result<Machine> machine_of(const MachineModel& model);

enum class NodeAction : std::uint8_t { compute, send, receive, read_clock, await_tick, go_to };

struct Step {
  NodeAction action = NodeAction::compute;
  double seconds = 0;    // compute: of the processor at full speed
  int peer = 0;          // send: to; receive: from
  double bytes = 0;      // send: of the message; receive: asked for, which its A follows
  std::size_t step = 0;  // go_to
};

// What the process of a node does. A send takes F and leaves; a receive takes A, waits for the next message
// from there, and takes U.
class NodeProgram {
 public:
  NodeProgram& compute(double seconds) { return add({NodeAction::compute, seconds}); }
  NodeProgram& send(int to, double bytes) { return add({NodeAction::send, 0, to, bytes}); }
  NodeProgram& receive(int from, double bytes) { return add({NodeAction::receive, 0, from, bytes}); }
  NodeProgram& read_clock() { return add({NodeAction::read_clock}); }
  // Asks the clock until it ticks.
  NodeProgram& await_tick() { return add({NodeAction::await_tick}); }
  NodeProgram& go_to(std::size_t step) {
    return add({NodeAction::go_to, 0, 0, 0, step});
  }  // an earlier one, for ever
  std::size_t here() const { return steps_.size(); }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  NodeProgram& add(const Step& step) {
    steps_.push_back(step);
    return *this;
  }
  std::vector<Step> steps_;
};

struct NodeRun {
  std::vector<double> clock_s;  // what its clock said, in the order of its program
  double interrupts_s = 0;      // spent in them
  double memory_full_s = 0;     // beyond what the contention model is made for
  std::uint64_t forwarded = 0;  // messages
};

struct Run {
  std::map<int, NodeRun> nodes;  // that have a program
  double end_s = 0;
  std::uint64_t events = 0;
};

// Runs until the program of `until` is at its end. Nodes without a program forward. Errors: a node or a peer
// that the cube does not have, a message to oneself, nodes that wait for messages which nobody will send.
Result<Run> run(const Machine& machine, const std::map<int, NodeProgram>& programs, int until);

}  // namespace ww::simulate::hypercube
