// What every rank has to do, in the form that is replayed fast: one record an operation, receives bound to
// their sends, dependencies as lists of successors. Made from GOAL text (goal.hpp) or from a trace
// (graph.hpp), kept in a file that is mapped, not read (file.hpp), played by windows.hpp and
// maxplus.hpp.
//
// Times are of no machine here: computation in nanoseconds, messages in bytes.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::schedule {

enum class GoalKind : std::uint8_t { send, receive, compute };  // also the order in which equals become ready

inline constexpr std::uint32_t no_op = 0xffffffffu;

// An array of records and not one array a field: a replay touches all of an operation at once, and 2^20 ranks
// with three operations each would miss the cache once a field (measured: bench/replay).
struct Op {
  std::uint64_t amount = 0;           // nanoseconds, or bytes
  std::uint32_t partner = no_op;      // the other end of the message
  std::uint32_t peer = 0;             // the rank of the other end
  std::uint32_t predecessors = 0;     // how many successor entries name this operation
  std::uint32_t first_successor = 0;  // into Schedule::successors; the last one's is the next record's first
  std::uint32_t call = 0;             // into Schedule::calls: what of the program it belongs to
  GoalKind kind = GoalKind::compute;
  std::uint8_t cpu = 0, nic = 0;
  std::uint8_t starts_others = 0;  // one of its successors waits for its start only
};
static_assert(sizeof(Op) == 32);

// A successor: the operation's number within its rank, and whether it waits only for this one's start.
inline constexpr std::uint32_t on_start = 0x80000000u;

struct Schedule {
  std::span<const Op> ops;                    // all ranks', and one record more that ends the successors
  std::span<const std::uint64_t> first_op;    // ranks + 1 entries
  std::span<const std::uint32_t> successors;  // by (kind, given order)
  // In what order a rank whose processor serves operations one by one does them: by position, the number
  // within the rank; a receive comes right before what needs it. Empty: as they stand.
  std::span<const std::uint32_t> order;
  std::uint32_t cpus = 1, nics = 1;
  std::uint64_t messages = 0;
  std::uint64_t wildcards = 0;  // receives from any source or of any tag, bound when loaded
  std::uint64_t longest_ns = 0, largest_bytes = 0;  // of a computation, of a message
  std::vector<std::string> calls;
  std::shared_ptr<const void> keeps;  // what the spans point into

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(first_op.size() - 1); }
  std::uint64_t size() const { return ops.empty() ? 0 : ops.size() - 1; }
  // LogGOPSim's count: its operations and one event for each message.
  std::uint64_t events() const { return size() + messages; }
  std::uint64_t bytes_of(std::uint64_t op) const { return ops[op].amount; }
};

// Takes operations and dependencies rank by rank, in order, then binds and sorts.
class Builder {
 public:
  explicit Builder(std::uint32_t ranks);
  std::uint32_t call(const std::string& name);  // a number for the name
  void begin_rank();                            // the next one
  // Each returns the operation's number within the rank.
  std::uint32_t compute(std::uint64_t duration_ns, std::uint32_t call = 0, std::uint8_t cpu = 0);
  std::uint32_t send(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag, std::uint32_t call = 0,
                     std::uint8_t cpu = 0, std::uint8_t nic = 0);
  std::uint32_t receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag, std::uint32_t call = 0,
                        std::uint8_t cpu = 0, std::uint8_t nic = 0);  // any_source, any_tag
  // `op` waits until `before` of the same rank is done, or only until it has started.
  void require(std::uint32_t op, std::uint32_t before, bool only_started = false);
  // Errors: an end of a message without the other, operations that wait for each other within a rank, too
  // many operations.
  Result<Schedule> finish();

  static constexpr std::uint32_t any_source = 0xffffffffu, any_tag = 0xffffffffu;

 private:
  struct Edge {
    std::uint32_t before, op;  // before: with on_start
  };
  struct Storage {
    std::vector<Op> ops;
    std::vector<std::uint64_t> first_op;
    std::vector<std::uint32_t> successors, order;
  };
  std::uint32_t add(Op op, std::uint32_t tag);
  void end_rank();
  void put_in_order(std::uint64_t first, std::uint32_t count);
  Result<void> bind();

  std::uint32_t ranks_ = 0;
  std::shared_ptr<Storage> out_ = std::make_shared<Storage>();
  std::vector<std::uint32_t> tags_;  // by operation
  std::vector<Edge> edges_;          // of the current rank
  std::vector<std::string> calls_{""};
  std::uint32_t cpus_ = 1, nics_ = 1;
  std::uint64_t messages_ = 0, wildcards_ = 0, longest_ns_ = 0, largest_bytes_ = 0;
  bool in_order_ = true;  // every rank's operations stand in the order of Schedule::order
  std::uint32_t cyclic_rank_ = no_op, cyclic_op_ = 0;
};

}  // namespace ww::schedule
