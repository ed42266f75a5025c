// The ranks of a program that is a graph, for the engine: each processor does one thing at a time, what became
// ready first before the rest; of what becomes ready at once sends, receives, computations, then in the given
// order.
//   computation  while it takes place the rank is outside MPI: what waits for the library waits for its end
//   send         begun when its software is done; done when the buffer is free
//   receive      posted as soon as what it waits for is done, whatever the processor does; its software
//                comes after the arrival
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "simulate/costs.hpp"
#include "simulate/events/state.hpp"
#include "simulate/graph.hpp"

namespace ww::simulate {

// What the engine does for it.
class Transfers {
 public:
  virtual ~Transfers() = default;
  // The software of a send, which moves the rank's clock; then that the message goes its way.
  virtual void dispatch_send(RankState& rank, std::uint32_t message) = 0;
  virtual void begin_send(std::uint32_t message, double now_s) = 0;
  virtual void post_receive(std::uint32_t message, double now_s) = 0;
  virtual void spend_library(RankState& rank, double seconds) = 0;
  virtual void unblock(RankState& rank, double now_s, EndNumber end) = 0;  // which is complete
  virtual void resume_at(std::int32_t rank, double time_s) = 0;
  virtual void enter_library(RankState& rank) = 0;  // it may work on what came in meanwhile
  virtual void look(RankState& rank) = 0;           // ... and on what it finds when it has nothing else to do
};

class GraphPlayer {
 public:
  GraphPlayer(const Graph& graph, const ReplayCosts& costs, double compute_factor,
              std::vector<RankState>& ranks, std::vector<MessageState>& messages, Transfers& transfers);

  void resume(std::int32_t rank, double now_s);  // for the first time, or what it was doing is over
  void completed(EndNumber end, double now_s);
  Error why_stuck() const;

 private:
  enum class Work : std::uint8_t { operate, accept, unformat };
  struct Item {
    std::uint32_t op = schedule::no_op;
    Work work = Work::operate;
  };
  struct Processor {
    std::deque<Item> ready;
    Item serving;  // no_op: nothing
    std::uint64_t left = 0;
    bool begun = false;
  };

  void begin(std::uint32_t number);
  void make_ready(std::uint32_t number, std::uint32_t op, double now_s);
  void free_successors(std::uint32_t number, std::uint32_t op, bool on_start, double now_s);
  void finish(std::uint32_t number, std::uint32_t op, double now_s);
  void read_for(std::uint32_t number, std::uint32_t op);
  void serve(std::uint32_t number);
  void start(std::uint32_t number, const Item& item);
  void end(std::uint32_t number, const Item& item);

  const schedule::Schedule& schedule_;
  const Graph& graph_;
  const ReplayCosts& costs_;
  const double compute_factor_;
  std::vector<RankState>& ranks_;
  std::vector<MessageState>& messages_;
  Transfers& transfers_;
  std::vector<Processor> processors_;
  std::vector<std::uint32_t> waits_for_;  // by operation: how many others
  std::vector<bool> done_;
  std::vector<std::uint32_t>
      received_;  // by operation: the message that it waited for last, which may not have been read; or none
};

}  // namespace ww::simulate
