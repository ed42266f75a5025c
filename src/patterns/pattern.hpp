// What the algorithms of collectives are written with: they hand their messages, one after the other, to whoever
// plays them, which is the replay (simulate/collectives) and the recorder's virtual clock
// (interpose/core/collective_play.hpp). Nothing here allocates or throws, and nothing is included but this
// stage: the recorder is loaded into other people's programs.
//
// Members are 0 to size - 1, as the communicator has them; sizes are bytes. Messages come in an order in which
// they can be played: what a member does before a message has come before it.
#pragma once
#include <stdint.h>

namespace ww::patterns {

// A callable that its caller keeps for as long as this is used.
template <class Signature>
class Called;
template <class Result, class... Arguments>
class Called<Result(Arguments...)> {
 public:
  Called() = default;
  template <class Callable>
  Called(const Callable& callable)
      : of_(&callable), call_([](const void* of, Arguments... arguments) -> Result {
          return (*static_cast<const Callable*>(of))(arguments...);
        }) {}
  Result operator()(Arguments... arguments) const { return call_(of_, arguments...); }
  explicit operator bool() const { return call_ != nullptr; }

 private:
  const void* of_ = nullptr;
  Result (*call_)(const void*, Arguments...) = nullptr;
};

struct PatternMessage {
  int from = 0, to = 0;
  uint64_t bytes = 0;
  bool reduced = false;  // the receiver combines it with what it has
};
using Take = Called<void(const PatternMessage&)>;
// Hands over the messages of a round, the same ones in the same order each time.
using Round = Called<void(const Take&)>;
using Between = Called<void()>;

// Who plays the messages.
struct Messages {
  void* of;
  // A blocking send and a blocking receive; `synchronous`: the send lasts until the receive was matched.
  void (*transfer)(void* of, const PatternMessage& transfer, bool synchronous);
  // Every member posts its receives, in the order of the round, then `between` takes place, then every member
  // begins its sends, in that order too, then waits for all of them.
  void (*round)(void* of, const Round& round, const Between& between);
};

// The members among whom a collective takes place: all of them, or as a library has it that works by levels, a
// part, whose member i is members[i] of the whole; counted from any of them on.
class Group {
 public:
  Group(const Messages& messages, int size) : messages_(&messages), size_(size) {}

  int size() const { return size_; }
  Group part(const int* members, int size) const {  // of the whole; `members` stays the caller's
    Group out(*messages_, size);
    out.members_ = members;
    return out;
  }
  Group counted_from(int first) const {
    Group out = *this;
    out.first_ = (first_ + first) % size_;
    return out;
  }

  void transfer(const PatternMessage& transfer, bool synchronous = false) const {
    messages_->transfer(messages_->of, of_whole(transfer), synchronous);
  }
  void round(const Round& round, const Between& between = {}) const {
    if (members_ == nullptr && first_ == 0) return messages_->round(messages_->of, round, between);
    const auto whole = [&](const Take& take) {
      const auto taken = [&](const PatternMessage& transfer) { take(of_whole(transfer)); };
      round(taken);
    };
    messages_->round(messages_->of, whole, between);
  }

 private:
  int of_whole(int member) const {
    const int place = first_ == 0 ? member : (member + first_) % size_;
    return members_ == nullptr ? place : members_[place];
  }
  PatternMessage of_whole(const PatternMessage& t) const {
    return {of_whole(t.from), of_whole(t.to), t.bytes, t.reduced};
  }

  const Messages* messages_;
  const int* members_ = nullptr;
  int size_, first_ = 0;
};

// What each member contributes or gets, as sums, so that what several of them have is one subtraction.
struct Blocks {
  Called<uint64_t(int)> before;  // of members 0 to i - 1 together, i at most the number of members
  int members = 0;

  uint64_t of(int member) const { return before(member + 1) - before(member); }
  uint64_t all() const { return before(members); }
  // Of `count` members, at most all, from `first` on and around.
  uint64_t of(int first, int count) const {
    const int end = first + count;
    if (end <= members) return before(end) - before(first);
    return before(members) - before(first) + before(end - members);
  }
};

// The operations that have algorithms, in the order of the trace's.
enum class Operation : uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  allreduce,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan
};
inline constexpr int operations = static_cast<int>(Operation::exscan) + 1;
// "MPI_Ibcast", "MPI_Bcast_init" and the like: bcast; barrier where the name tells nothing.
Operation operation_of_call(const char* name);

// What is asked of an algorithm; each looks at what its operation has.
struct Asked {
  Operation operation = Operation::barrier;
  int root = 0;
  uint64_t bytes = 0;        // the vector, or the largest block
  uint64_t rule_bytes = 0;   // what Open MPI's choice goes by
  bool nonblocking = false;  // begun by one call and waited for in another
  Blocks blocks = {};
  const uint64_t* pairs =
      nullptr;  // of an alltoall, [from * size + to]; nullptr: each sends its block to each

  uint64_t pair(int from, int to, int size) const {
    return pairs == nullptr
               ? blocks.of(from)
               : pairs[static_cast<uint64_t>(from) * static_cast<uint64_t>(size) + static_cast<uint64_t>(to)];
  }
  bool skips_empty() const {  // where nothing is to be sent no message is (coll_base_alltoallv.c)
    return operation == Operation::alltoallv || operation == Operation::alltoallw;
  }
};

// One file each in algorithms/ (algorithms.hpp).
struct Algorithm {
  const char* title;  // for people
  void (*write)(const Group& group, const Asked& asked);
};

constexpr bool power_of_two(int n) {
  return (n & (n - 1)) == 0;
}
constexpr int largest_power_in(int n) {  // of two, n at least 1
  int power = 1;
  while (power <= n / 2) power *= 2;
  return power;
}
constexpr int smallest_power_above(int n) {  // or equal
  int power = 1;
  while (power < n) power *= 2;
  return power;
}
template <class Number>
constexpr Number least(Number a, Number b) {
  return b < a ? b : a;
}

}  // namespace ww::patterns
