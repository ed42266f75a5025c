// Hosts that share cores, as those of a lab do on a machine with fewer: the first host is on the first core, and so on in turn
// (src/lab/agent.cpp). What messages take of a host's software is done on its core, one after another and not before another's is done; computation is not
// held up, since what was recorded of it has what it waited. An upper bound, nearly: software of a host that finds a core free is not always that
// of the core that it shares.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/simulate.hpp"

namespace ww::simulate {

class CoresOfHosts {
 public:
  explicit CoresOfHosts(const SharedCores& shared) : free_s_(static_cast<std::size_t>(shared.cores), 0) {}
  bool are_shared() const { return !free_s_.empty(); }

  // Software of a rank on that host that could begin now: how long it waits for its core.
  double wait_s(std::int32_t host, double now_s, double seconds) {
    if (free_s_.empty() || seconds <= 0) return 0;
    double& free_s = free_s_[static_cast<std::size_t>(host) % free_s_.size()];
    const double begin_s = std::max(now_s, free_s);
    free_s = begin_s + seconds;
    return begin_s - now_s;
  }

 private:
  std::vector<double> free_s_;
};

}  // namespace ww::simulate
