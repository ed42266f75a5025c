// Hosts that share cores, as those of a lab do on a machine with fewer: the first host is on the first core, and so on in turn
// (src/lab/agent.cpp). What messages take of a host's software is done on its core, one after another and not before another's is done, and
// the lab's switch works there for messages that come and go; computation is not held up, since what was recorded of it has what it waited.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/program.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

class CoresOfHosts {
 public:
  CoresOfHosts(const Program& program, const SharedCores& shared)
      : program_(program),
        shared_(shared),
        cores_(static_cast<std::size_t>(shared.cores)),
        sent_(shared.lab_s_of_piece > 0 ? program.messages.size() : 0) {}
  bool are_shared() const { return !cores_.empty(); }

  // Software of a rank that could begin now: how long it waits for its core.
  double wait_s(std::size_t rank, double now_s, double seconds) {
    if (cores_.empty() || seconds <= 0) return 0;
    Core& core = of(rank);
    const double begin_s = std::max(now_s, core.free_s);
    core.free_s = begin_s + seconds;
    core.busy_s += seconds;
    return begin_s - now_s;
  }

  // A message is under way from now on.
  void sent(std::uint32_t message, double now_s) {
    if (sent_.empty() || !between_hosts(message)) return;
    const ProgramMessage& m = program_.messages[message];
    sent_[message] = {now_s, of(m.source).busy_s, of(m.destination).busy_s};
  }
  // It is there, and is read. The switch has worked for it on both hosts' cores meanwhile, half on either, as far as these had nothing
  // else to do, and does the rest before anything else.
  void came(std::uint32_t message, double now_s) {
    if (sent_.empty() || !between_hosts(message)) return;
    const ProgramMessage& m = program_.messages[message];
    const double work_s = shared_.lab_s_of_piece * shared_.pieces(m.bytes) / 2;
    const Sent& at = sent_[message];
    take(of(m.source), work_s, at.now_s, at.busy_source_s, now_s);
    take(of(m.destination), work_s, at.now_s, at.busy_destination_s, now_s);
  }

 private:
  struct Core {
    double free_s = 0, busy_s = 0;  // when its work is done; all of that so far
  };
  struct Sent {
    double now_s = 0, busy_source_s = 0, busy_destination_s = 0;
  };
  std::int32_t host(std::size_t rank) const { return program_.ranks[rank].host; }
  bool between_hosts(std::uint32_t message) const {
    const ProgramMessage& m = program_.messages[message];
    return host(m.source) != host(m.destination);
  }
  Core& of(std::size_t rank) { return cores_[static_cast<std::size_t>(host(rank)) % cores_.size()]; }
  static void take(Core& core, double work_s, double since_s, double busy_then_s, double now_s) {
    const double ahead_s = std::max(0.0, core.free_s - now_s);
    const double worked_s = std::max(0.0, core.busy_s - busy_then_s - ahead_s);
    const double idle_s = std::max(0.0, now_s - since_s - worked_s);
    core.busy_s += work_s;
    if (work_s > idle_s) core.free_s = std::max(core.free_s, now_s) + work_s - idle_s;
  }

  const Program& program_;
  SharedCores shared_;
  std::vector<Core> cores_;
  std::vector<Sent> sent_;  // by message, if the switch works here
};

}  // namespace ww::simulate
