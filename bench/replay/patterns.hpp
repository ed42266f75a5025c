// The programs that the replay is measured with, as the schedules of LogGOPSim's own generator have them.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "simulate/schedule/schedule.hpp"

namespace ww::bench {

// What a pattern is made of: given to a Builder, or written as text.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin_rank() = 0;
  virtual std::uint32_t compute(std::uint64_t duration_ns) = 0;
  virtual std::uint32_t send(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag) = 0;
  virtual std::uint32_t receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag) = 0;
  virtual void require(std::uint32_t op, std::uint32_t before) = 0;
};

// halo: per round 10 us of computation within 10% of it, 1 KiB to and from both neighbours of a ring;
// dissemination: 1 byte; all-to-all: 1 byte; binomial: 1 byte; ring: an allreduce of 1 byte in 2 (P - 1)
// steps; token: 8 bytes once around a ring; ping-pong: `rounds` messages of 100 bytes to and fro between 2k
// and 2k + 1; incast: 1000 bytes from everybody to rank 0.
void make(const std::string& pattern, std::uint32_t ranks, std::uint32_t rounds, Sink& sink);

}  // namespace ww::bench
