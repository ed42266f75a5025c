// What an experiment works with: two ranks, of which one leads. The leader sends orders; the follower does
// what the experiment of the moment means by them until it is told to stop. Results leave as lines on
// standard output, which every launcher brings back, line by line so that what was measured before a rank
// died is not lost.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "measure/program/blank_buffer.hpp"

namespace ww::measure {

struct Order {
  std::int64_t kind = 0;  // an experiment's own; < 0: stop
  std::int64_t bytes = 0, back_bytes = 0, count = 0;
};

double now_s();             // CLOCK_MONOTONIC
void spin(double seconds);  // busy, without a call of the library

// What `measure` asks of one launch of the experiments.
struct Terms {
  double budget_s = 40;
  std::int64_t largest_bytes = 4194304;
  int launch = 0;  // 0: the first, which does everything; later ones repeat what differs between launches
  bool quick = false;
  bool stop_at_mean = false;  // S2's rule in the ping-pong (measure.hpp, StopAt)
  bool progress = false;
  std::uint64_t seed = 1;
  // Of "inter", "intra", for later launches: what the first one found and measured, so that every launch
  // measures the same sizes.
  std::map<std::string, std::int64_t> eager_threshold_bytes;
  std::map<std::string, std::vector<std::int64_t>> sizes, checks;
};

class Session {
 public:
  // `pair`: a communicator of two ranks, rank 0 leads. `between`: "inter" or "intra".
  Session(MPI_Comm pair, std::string between, const Terms& terms);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool leads() const { return rank_ == 0; }
  const std::string& between() const { return between_; }
  std::int64_t largest_bytes() const { return terms_.largest_bytes; }
  const Terms& terms() const { return terms_; }
  std::mt19937_64& random() { return random_; }

  void order(const Order& order);        // leader; returns when the follower has it
  void stop() { order({-1, 0, 0, 0}); }  // leader
  std::optional<Order> next_order();  // follower; nothing: stop. Polls, so that the library makes progress.

  void send(std::int64_t bytes);
  void receive(std::int64_t bytes);
  MPI_Request begin_send(std::int64_t bytes);
  MPI_Request begin_receive(std::int64_t bytes);
  MPI_Comm comm() const { return comm_; }
  int partner() const { return 1 - rank_; }

  // Leader: `count` round trips, `bytes` there and `back_bytes` back; seconds of each round trip, or of each
  // block of `block` round trips divided by it. Follower: answer_round_trips does its part.
  std::vector<double> round_trips(std::int64_t bytes, std::int64_t back_bytes, std::int64_t count,
                                  std::int64_t block = 1);
  void answer_round_trips(const Order& order);

  // What is known so far of one-way times, to plan the next steps; a straight line beyond.
  void learn(std::int64_t bytes, double one_way_s) { known_[bytes] = one_way_s; }
  double estimate_s(std::int64_t bytes) const;
  std::optional<std::int64_t> eager_threshold_bytes;

  // A record: {"kind": kind, "between": ..., and the rest}.
  void emit(const std::string& kind, nlohmann::json record) const;
  void progress(const std::string& text) const;

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  std::string between_;
  Terms terms_;
  BlankBuffer out_, in_;
  std::map<std::int64_t, double> known_;
  std::mt19937_64 random_;
};

}  // namespace ww::measure
