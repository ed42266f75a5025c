#include "simulate/hypercube/node_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "simulate/hypercube/channels.hpp"

namespace ww::simulate::hypercube {
namespace {

// One process: its program, and the messages that wait for it.
struct Process {
  const NodeProgram* program = nullptr;
  std::size_t step = 0;
  bool finished = false;
  int waits_for = -1;                       // the sender of the message that it waits for
  std::map<int, std::deque<double>> there;  // by sender, the sizes of messages in system buffers
  std::vector<double> clock_s;
};

class Play {
 public:
  Play(const Machine& machine, const std::map<int, NodeProgram>& programs)
      : machine_(machine),
        processors_(std::size_t{1} << machine.dimensions, Processor(agenda_, machine_.memory)),
        channels_(agenda_, machine_.costs, machine_.memory, processors_, machine.dimensions,
                  [this](const NodeMessage& message) { arrive(message); }) {
    for (const auto& [node, program] : programs) processes_[node].program = &program;
  }

  Result<Run> until(int last) {
    for (auto& [node, process] : processes_) go_on(node);
    while (!processes_[last].finished)
      if (!agenda_.step()) return fail(stuck(), "", "a program must receive what is sent and no more");
    Run out;
    out.end_s = agenda_.now_s();
    out.events = agenda_.done();
    for (auto& [node, process] : processes_)
      out.nodes[node] = {std::move(process.clock_s), processors_[node].interrupts_s(),
                         processors_[node].full_s(), channels_.forwarded(node)};
    return out;
  }

 private:
  void go_on(int node) {
    Process& process = processes_[node];
    const auto& steps = process.program->steps();
    while (process.step < steps.size() && steps[process.step].action == NodeAction::go_to)
      process.step = steps[process.step].step;
    if (process.step == steps.size()) {
      process.finished = true;
      return;
    }
    const Step& step = steps[process.step++];
    Processor& processor = processors_[node];
    switch (step.action) {
      case NodeAction::compute:
        processor.work(step.seconds, [this, node] { go_on(node); });
        break;
      case NodeAction::send:
        processor.work(machine_.costs.F.at(step.bytes), [this, node, &step] {
          channels_.start({node, step.peer, step.bytes, 0});
          go_on(node);
        });
        break;
      case NodeAction::receive:
        processor.work(machine_.costs.A.at(step.bytes), [this, node, &step] {
          processes_[node].waits_for = step.peer;
          take(node);
        });
        break;
      case NodeAction::read_clock: {
        const double tick_s = machine_.clock_tick_s, now_s = agenda_.now_s();
        process.clock_s.push_back(tick_s > 0 ? std::floor(now_s / tick_s) * tick_s : now_s);
        processor.work(machine_.clock_call_s, [this, node] { go_on(node); });
        break;
      }
      case NodeAction::await_tick: {
        const double tick_s = machine_.clock_tick_s, now_s = agenda_.now_s();
        const double next_s = tick_s > 0 ? (std::floor(now_s / tick_s) + 1) * tick_s : now_s;
        agenda_.at(next_s, [this, node] { go_on(node); });
        break;
      }
      case NodeAction::go_to:
        break;
    }
  }

  // The message that a process waits for, if it is there.
  void take(int node) {
    Process& process = processes_[node];
    if (process.waits_for < 0) return;
    auto& there = process.there[process.waits_for];
    if (there.empty()) return;
    const double bytes = there.front();
    there.pop_front();
    process.waits_for = -1;
    processors_[node].work(machine_.costs.U.at(bytes), [this, node] { go_on(node); });
  }

  void arrive(const NodeMessage& message) {
    const auto found = processes_.find(message.to);
    if (found == processes_.end()) return;
    found->second.there[message.from].push_back(message.bytes);
    take(message.to);
  }

  std::string stuck() const {
    std::string who;
    for (const auto& [node, process] : processes_)
      if (!process.finished && process.waits_for >= 0)
        who += fmt::format("{}node {} for one from {}", who.empty() ? "" : ", ", node, process.waits_for);
    return fmt::format("the simulated programs wait for messages that nobody sends ({})", who);
  }

  const Machine& machine_;
  Agenda agenda_;
  std::vector<Processor> processors_;
  Channels channels_;
  std::map<int, Process> processes_;
};

}  // namespace

Result<Machine> machine_of(const MachineModel& model) {
  Machine machine;
  machine.costs = model.costs;
  const ::ww::Costs& c = model.costs;
  std::string missing;
  for (const auto& [name, curve] : {std::pair{"F", &c.F}, std::pair{"S", &c.S}, std::pair{"R", &c.R},
                                    std::pair{"A", &c.A}, std::pair{"U", &c.U}, std::pair{"E", &c.E}})
    if (curve->empty()) missing += (missing.empty() ? "" : ", ") + std::string(name);
  if (!missing.empty())
    return fail(fmt::format("the model's costs have no {}", missing), model.name,
                "take a model with all six terms, as the preset ncube-seven");
  if (model.hypercube) {
    const Hypercube& cube = *model.hypercube;
    machine.dimensions = cube.dimensions;
    machine.clock_tick_s = cube.clock_tick_s;
    machine.clock_call_s = cube.clock_call_s;
    machine.memory.full_channels = cube.memory_channels;
  }
  const double moving = c.E.segments.back().seconds_per_byte;
  const auto share = [&](const Curve& load) {
    return moving > 0 ? std::clamp(load.segments.back().seconds_per_byte / moving, 0.0, 0.99) : 0;
  };
  machine.memory.receive_share = share(c.R);
  machine.memory.send_share = share(c.S);
  return machine;
}

Result<Run> run(const Machine& machine, const std::map<int, NodeProgram>& programs, int until) {
  const int nodes = 1 << machine.dimensions;
  const auto wrong = [](int node, const char* what) {
    return fail(what, fmt::format("node {}", node), "name nodes of the cube, and never the sender itself");
  };
  if (!programs.contains(until)) return wrong(until, "a node without a program would never end");
  for (const auto& [node, program] : programs) {
    if (node < 0 || node >= nodes) return wrong(node, "the cube has no such node");
    for (const Step& step : program.steps())
      if ((step.action == NodeAction::send || step.action == NodeAction::receive) &&
          (step.peer < 0 || step.peer >= nodes || step.peer == node))
        return wrong(node, "a message from or to a node that the cube does not have, or oneself");
  }
  return Play(machine, programs).until(until);
}

}  // namespace ww::simulate::hypercube
