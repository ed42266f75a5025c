#include "patterns.hpp"

#include <bit>
#include <cstdlib>
#include <vector>

namespace ww::bench {
namespace {

// xorshift: the same computations wherever the program is made.
std::uint64_t jittered_ns(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return 9000 + state % 2001;
}

void halo(std::uint32_t ranks, std::uint32_t rounds, Sink& sink) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    sink.begin_rank();
    std::uint64_t state = 88172645463325252ull + 7919 * rank;
    const std::uint32_t left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    std::vector<std::uint32_t> last;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const std::uint32_t computed = sink.compute(jittered_ns(state));
      for (const std::uint32_t op : last) sink.require(computed, op);
      last = {sink.receive(left, 1024, 2 * round), sink.receive(right, 1024, 2 * round + 1),
              sink.send(right, 1024, 2 * round), sink.send(left, 1024, 2 * round + 1)};
      for (const std::uint32_t op : last) sink.require(op, computed);
    }
  }
}

void dissemination(std::uint32_t ranks, Sink& sink) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    sink.begin_rank();
    std::uint32_t received = schedule::no_op;
    for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
      const std::uint32_t send = sink.send((rank + distance) % ranks, 1, distance);
      const std::uint32_t receive = sink.receive((rank + ranks - distance) % ranks, 1, distance);
      if (received != schedule::no_op) {
        sink.require(send, received);
        sink.require(receive, received);
      }
      received = receive;
    }
  }
}

void binomial(std::uint32_t ranks, Sink& sink) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    sink.begin_rank();
    std::uint32_t received = schedule::no_op;
    if (rank > 0) received = sink.receive(rank - std::bit_floor(rank), 1, 0);
    for (std::uint32_t distance = rank == 0 ? 1 : 2 * std::bit_floor(rank); rank + distance < ranks;
         distance *= 2) {
      const std::uint32_t send = sink.send(rank + distance, 1, 0);
      if (received != schedule::no_op) sink.require(send, received);
    }
  }
}

void ring(std::uint32_t ranks, Sink& sink) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    sink.begin_rank();
    std::uint32_t received = schedule::no_op;
    for (std::uint32_t step = 0; step < 2 * (ranks - 1); ++step) {
      const std::uint32_t send = sink.send((rank + 1) % ranks, 1, step);
      if (received != schedule::no_op) sink.require(send, received);
      received = sink.receive((rank + ranks - 1) % ranks, 1, step);
      sink.require(received, send);
    }
  }
}

void token(std::uint32_t ranks, Sink& sink) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    sink.begin_rank();
    const std::uint32_t first = rank == 0 ? sink.send(1, 8, 0) : sink.receive(rank - 1, 8, 0);
    sink.require(rank == 0 ? sink.receive(ranks - 1, 8, 0) : sink.send((rank + 1) % ranks, 8, 0), first);
  }
}

void ping_pong(std::uint32_t ranks, std::uint32_t rounds, Sink& sink) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    sink.begin_rank();
    std::uint32_t last = schedule::no_op;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const std::uint32_t op =
          round % 2 == rank % 2 ? sink.send(rank ^ 1, 100, round) : sink.receive(rank ^ 1, 100, round);
      if (last != schedule::no_op) sink.require(op, last);
      last = op;
    }
  }
}

void incast(std::uint32_t ranks, Sink& sink) {
  sink.begin_rank();
  for (std::uint32_t rank = 1; rank < ranks; ++rank) sink.receive(rank, 1000, 0);
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    sink.begin_rank();
    sink.send(0, 1000, 0);
  }
}

void all_to_all(std::uint32_t ranks, Sink& sink) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    sink.begin_rank();
    for (std::uint32_t step = 1; step < ranks; ++step) {
      sink.send((rank + step) % ranks, 1, 0);
      sink.receive((rank + ranks - step) % ranks, 1, 0);
    }
  }
}

}  // namespace

void make(const std::string& pattern, std::uint32_t ranks, std::uint32_t rounds, Sink& sink) {
  if (pattern == "halo") return halo(ranks, rounds, sink);
  if (pattern == "dissemination") return dissemination(ranks, sink);
  if (pattern == "binomial") return binomial(ranks, sink);
  if (pattern == "ring") return ring(ranks, sink);
  if (pattern == "token") return token(ranks, sink);
  if (pattern == "ping-pong") return ping_pong(ranks, rounds, sink);
  if (pattern == "incast") return incast(ranks, sink);
  if (pattern == "all-to-all") return all_to_all(ranks, sink);
  std::abort();
}

}  // namespace ww::bench
