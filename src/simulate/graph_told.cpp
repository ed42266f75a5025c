#include "simulate/graph_told.hpp"

#include <algorithm>

#include "base/result.hpp"

namespace ww::simulate {
namespace {

// Goes through a rank's stream beside the operations that graph.cpp made of it.
class Telling {
  using Service = schedule::Service;
  using Ticks = schedule::Ticks;

 public:
  Telling(const Program& program, const schedule::Schedule& lowered, const schedule::LogGopsTicks& machine,
          const std::vector<Service>& services, Observer& observer)
      : program_(program),
        lowered_(lowered),
        machine_(machine),
        services_(services),
        observer_(observer),
        ends_(program.messages.size() * 2),
        syncs_(program.syncs.size()) {}

  // Of a wait is told since when the other had begun: that is looked for first.
  void tell() {
    for (const bool telling : {false, true}) {
      telling_ = telling;
      for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) walk(static_cast<std::int32_t>(rank));
    }
  }

 private:
  struct EndOf {
    std::uint32_t op = schedule::no_op;  // of a message of a rank to itself: none
    Ticks called = 0;                    // when the call that begins it was entered
  };
  struct Entered {
    Ticks last = -1;
    std::int32_t by = 0;
  };

  void walk(std::int32_t number) {
    const RankProgram& rank = program_.ranks[static_cast<std::size_t>(number)];
    rank_ = number;
    op_ = static_cast<std::uint32_t>(lowered_.first_op[static_cast<std::size_t>(number)]);
    now_ = 0;
    compute(rank.begin_s);
    for (std::size_t i = 0; i < rank.size(); ++i) step(rank, rank.kind[i], rank.argument[i]);
    WW_INVARIANT(op_ == lowered_.first_op[static_cast<std::size_t>(number) + 1]);
  }

  void step(const RankProgram& rank, OpKind kind, std::uint32_t argument) {
    switch (kind) {
      case OpKind::compute:
      case OpKind::library:
        compute(rank.seconds[argument]);
        break;
      case OpKind::enter:
        entered_ = now_;
        if (telling_) observer_.call_begins(rank_, argument, schedule::seconds(now_));
        break;
      case OpKind::leave:
        if (telling_) observer_.call_ends(rank_, schedule::seconds(now_));
        break;
      case OpKind::send:
        send(argument);
        break;
      case OpKind::receive:
        ends_[receive_end(argument)].called = entered_;
        if (!to_itself(argument)) ends_[receive_end(argument)].op = next_receive();
        break;
      case OpKind::wait:
        wait({rank.group_end.begin() + rank.group_first[argument],
              rank.group_end.begin() + rank.group_first[argument + 1]});
        break;
      case OpKind::sync_begin:
        if (Entered& sync = syncs_[argument]; !telling_ && entered_ >= sync.last) sync = {entered_, rank_};
        break;
      case OpKind::sync_end:
        synchronise(argument);
        break;
    }
  }

  bool to_itself(std::uint32_t message) const {
    return program_.messages[message].source == program_.messages[message].destination;
  }

  void compute(double duration_s) {
    if (duration_s > 0) now_ = services_[op_++].ended;
  }

  // Before it there may be one that joins what it follows.
  std::uint32_t next_receive() {
    if (lowered_.ops[op_].kind == schedule::GoalKind::compute) ++op_;
    return op_++;
  }

  // Until it is handed over; of a large one the request.
  void hand_over(std::uint32_t op) {
    const std::uint64_t bytes = lowered_.ops[op].amount;
    now_ =
        std::max(now_, services_[op].begun + machine_.send_processor(machine_.rendezvous(bytes) ? 1 : bytes));
  }

  void send(std::uint32_t message) {
    EndOf& end = ends_[send_end(message)];
    end.called = entered_;
    if (to_itself(message)) {
      for (const auto what : {MessageEvent::sent, MessageEvent::left, MessageEvent::arrived})
        tell(what, message, now_);
      return;
    }
    end.op = op_++;
    hand_over(end.op);
    tell(MessageEvent::sent, message, now_);
    const std::uint64_t bytes = lowered_.ops[end.op].amount;
    const Ticks data = data_begun(end.op);
    const Ticks arrived = data + machine_.first_byte() + machine_.more(bytes, machine_.G);
    const Ticks left = std::max(data + machine_.card(bytes), arrived - machine_.L);
    tell(MessageEvent::left, message, std::min(left, arrived));
    tell(MessageEvent::arrived, message, arrived);
  }

  Ticks data_begun(std::uint32_t send) const {
    return services_[send].ended - machine_.send_processor(lowered_.ops[send].amount);
  }

  // In the order in which the processor served them, so that what lies between is waiting.
  void wait(std::vector<EndNumber> group) {
    const auto ended = [&](EndNumber end) {
      return ends_[end].op == schedule::no_op ? Ticks{0} : services_[ends_[end].op].ended;
    };
    std::stable_sort(group.begin(), group.end(),
                     [&](EndNumber a, EndNumber b) { return ended(a) < ended(b); });
    for (const EndNumber end : group) {
      const std::uint32_t message = message_of(end);
      if (const std::uint32_t op = ends_[end].op; op != schedule::no_op) {
        const ProgramMessage& m = program_.messages[message];
        blocked(is_send_end(end) ? data_begun(op) : services_[op].begun, ends_[end ^ 1].called,
                is_send_end(end) ? m.destination : m.source, message);
        now_ = std::max(now_, services_[op].ended);
      }
      if (!is_send_end(end)) tell(MessageEvent::received, message, now_);
    }
  }

  // The rounds of its messages, then the time that was recorded.
  void synchronise(std::uint32_t sync) {
    const std::uint32_t members = program_.syncs[sync].members;
    const Entered& last = syncs_[sync];
    for (std::uint32_t distance = 1; distance < members; distance *= 2) {
      hand_over(op_++);
      const Service& received = services_[next_receive()];
      blocked(received.begun, last.last, last.by, Blocked::no_message);
      now_ = std::max(now_, received.ended);
    }
    compute(program_.syncs[sync].seconds);
  }

  void tell(MessageEvent what, std::uint32_t message, Ticks at) {
    if (telling_) observer_.message(what, message, schedule::seconds(at));
  }

  void blocked(Ticks until, Ticks begun, std::int32_t by, std::uint32_t message) {
    if (until <= now_) return;
    if (telling_)
      observer_.blocked({rank_, schedule::seconds(now_), schedule::seconds(until),
                         schedule::seconds(std::clamp(begun, now_, until)), by, message});
    now_ = until;
  }

  const Program& program_;
  const schedule::Schedule& lowered_;
  const schedule::LogGopsTicks& machine_;
  const std::vector<Service>& services_;
  Observer& observer_;
  std::vector<EndOf> ends_;  // by End
  std::vector<Entered> syncs_;
  bool telling_ = false;
  std::int32_t rank_ = 0;
  std::uint32_t op_ = 0;
  Ticks now_ = 0, entered_ = 0;
};

}  // namespace

void tell(const Program& program, const schedule::Schedule& lowered, const schedule::LogGopsTicks& machine,
          const std::vector<schedule::Service>& services, Observer& observer) {
  Telling(program, lowered, machine, services, observer).tell();
}

}  // namespace ww::simulate
