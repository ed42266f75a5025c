#include "simulate/schedule/maxplus.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "simulate/schedule/frozen.hpp"
#include "simulate/schedule/stuck.hpp"

namespace ww::schedule {
namespace {

// Times of messages are kept one tick later, so that what the kernel gives, zeros, are unknown ones.
constexpr Ticks unknown = 0, later_by = 1;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// What the start of an operation waited for last.
enum class Cause : std::uint8_t {
  processor,  // the operation before it on its processor
  card,       // ... on its card
  message,    // the receive's message
  data        // of a large message, which had to have left
};

// What a time is the end of.
enum class Part : std::uint8_t {
  start,      // of the operation
  processor,  // its time on its processor
  card,       // ... on its card
  message,    // the flight of the receive's message
  request,    // ... of the large send's request
  data        // the large send's data have left
};

struct Origin {
  std::uint32_t op = no_op;
  Part part = Part::start;
};

// A time, and what led to it for who walks the longest chain back.
struct Told {
  Ticks at = 0;
  Origin from = {};

  void raise(const Told& other) {
    if (other.at > at) *this = other;
  }
};

struct Walked {
  Ticks processor = 0, sending_card = 0, receiving_card = 0;
  std::uint32_t at = 0;             // position in the order
  std::uint32_t waits_for = no_op;  // the operation that it cannot begin yet
};

// What is kept beside times, known at compile time, so that who asks for less pays nothing.
enum class Kept : std::uint8_t { times, causes, services };

// Not plain: several processors, cards or large messages; else one rank's state is all there is.
template <bool Plain, Kept Keeps>
class Evaluator {
  static constexpr bool traced = Keeps == Kept::causes, told = Keeps == Kept::services;

 public:
  Evaluator(const Schedule& schedule, const LogGopsTicks& machine, const Listening& listening)
      : schedule_(schedule),
        ops_(schedule.ops.data()),
        machine_(machine),
        ranks_(schedule.ranks()),
        cancellation_(listening.cancellation),
        there_(static_cast<Ticks*>(std::calloc(schedule.size() + 1, sizeof(Ticks)))) {
    WW_INVARIANT(there_ != nullptr);
    if (traced) cause_.resize(schedule.size());
    if (told) {
      listening.services->assign(schedule.size(), {});
      services_ = listening.services->data();
    }
    if (Plain) return;
    processors_.resize(std::size_t{schedule.ranks()} * schedule.cpus);
    sending_.resize(std::size_t{schedule.ranks()} * schedule.nics);
    receiving_.resize(std::size_t{schedule.ranks()} * schedule.nics);
    data_left_.resize(schedule.ranks());
    posts_.resize(schedule.size());
    for (std::uint64_t i = 0; i < schedule.size(); ++i) posts_[i].left = ops_[i].predecessors;
  }

  Result<Evaluated> evaluate() {
    if (!Plain)
      for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
        for (std::uint64_t i = schedule_.first_op[rank]; i < schedule_.first_op[rank + 1]; ++i)
          if (ops_[i].kind == GoalKind::receive && posts_[i].left == 0) grant(static_cast<std::uint32_t>(i));
    WW_CHECK(ranks_.run([&](std::uint32_t rank) { go_on(rank); }, cancellation_));
    Evaluated out;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      const std::uint64_t first = schedule_.first_op[rank];
      if (first + ranks_[rank].at < schedule_.first_op[rank + 1])
        return deadlock(schedule_, [&](std::uint64_t op) { return is_done(op); });
      out.rank_finish.push_back(finish_of(rank));
      out.finish = std::max(out.finish, out.rank_finish.back());
    }
    return out;
  }

  // For who walks the chain back.
  Cause cause(std::uint32_t op) const { return cause_[op]; }
  Origin data_left(std::uint32_t op) const { return posts_[op].data_left.from; }
  // When the sender of a large message knows that its receive is posted.
  Told granted(std::uint32_t receive) const {
    const std::uint32_t send = ops_[receive].partner;
    Told last{there_[send] - later_by + machine_.control(), {send, Part::request}};
    last.raise(posts_[receive].posted);
    return {last.at + machine_.control(), last.from};
  }
  Origin last(std::uint32_t rank) const {
    const Ticks finish = finish_of(rank);
    std::uint32_t position = ranks_[rank].at;
    if (Plain) return {op_at(rank, position - 1), Part::processor};
    while (position-- > 0) {
      const std::uint32_t i = op_at(rank, position);
      if (processors_[std::size_t{rank} * schedule_.cpus + ops_[i].cpu] == finish)
        return {i, Part::processor};
    }
    return data_left_[rank].from;
  }
  std::uint32_t op_at(std::uint32_t rank, std::uint32_t position) const {
    const std::uint64_t first = schedule_.first_op[rank];
    return static_cast<std::uint32_t>(
        first + (schedule_.order.empty() ? position : schedule_.order[first + position]));
  }

 private:
  Ticks& processor(std::uint32_t rank, const Op& op) {
    return Plain ? ranks_[rank].processor : processors_[std::size_t{rank} * schedule_.cpus + op.cpu];
  }
  Ticks& sending_card(std::uint32_t rank, const Op& op) {
    return Plain ? ranks_[rank].sending_card : sending_[std::size_t{rank} * schedule_.nics + op.nic];
  }
  Ticks& receiving_card(std::uint32_t rank, const Op& op) {
    return Plain ? ranks_[rank].receiving_card : receiving_[std::size_t{rank} * schedule_.nics + op.nic];
  }

  Ticks finish_of(std::uint32_t rank) const {
    if (Plain) return ranks_[rank].processor;
    const auto first = processors_.begin() + static_cast<std::ptrdiff_t>(std::size_t{rank} * schedule_.cpus);
    return std::max(data_left_[rank].at, *std::max_element(first, first + schedule_.cpus));
  }

  bool is_done(std::uint64_t op) const {
    const auto after = std::upper_bound(schedule_.first_op.begin(), schedule_.first_op.end(), op);
    const auto rank = static_cast<std::uint32_t>(after - schedule_.first_op.begin() - 1);
    for (std::uint32_t position = 0; position < ranks_[rank].at; ++position)
      if (op_at(rank, position) == op) return true;
    return false;
  }

  void go_on(std::uint32_t number) {
    Walked& rank = ranks_[number];
    const std::uint64_t first = schedule_.first_op[number];
    const auto count = static_cast<std::uint32_t>(schedule_.first_op[number + 1] - first);
    for (; rank.at < count; ++rank.at) {
      const std::uint32_t i = op_at(number, rank.at);
      if (!begin(number, i)) {
        rank.waits_for = i;
        // By the time it goes on, hundreds of other ranks have been here.
        for (std::uint32_t ahead = 1; ahead < 8; ahead += 2) __builtin_prefetch(ops_ + i + ahead);
        __builtin_prefetch(there_.get() + i + 8, 1);
        return;
      }
    }
  }

  // False: it has to wait for something that is not known yet.
  bool begin(std::uint32_t number, std::uint32_t i) {
    const Op& op = ops_[i];
    Ticks start = processor(number, op);
    Cause cause = Cause::processor;
    const auto later = [&](Ticks time, Cause why) {
      if (time <= start) return;
      start = time;
      cause = why;
    };
    if (!Plain) {
      if (posts_[i].outstanding > 0) return false;
      later(posts_[i].data_left.at, Cause::data);
    }
    switch (op.kind) {
      case GoalKind::compute:
        processor(number, op) = start + machine_.compute(op.amount);
        break;
      case GoalKind::send: {
        later(sending_card(number, op), Cause::card);
        const bool large = !Plain && machine_.rendezvous(op.amount);
        const std::uint64_t bytes = large ? 1 : op.amount;
        processor(number, op) = start + machine_.send_processor(bytes);
        sending_card(number, op) = start + machine_.card(bytes);
        if (large) {
          there_[i] = start + later_by;
          if (traced) cause_[i] = cause;
          if (told) services_[i].begun = start;
          hold(number, i);
          started(number, i, start, start);
          grant(op.partner);
          return true;
        }
        there_[op.partner] = start + machine_.first_byte() + later_by;
        ranks_.wake(op.peer, op.partner);
        break;
      }
      case GoalKind::receive:
        if (there_[i] == unknown) return false;
        later(receiving_card(number, op), Cause::card);
        later(there_[i] - later_by, Cause::message);
        processor(number, op) = start + machine_.receive_processor(op.amount);
        receiving_card(number, op) = start + machine_.card(op.amount);
        break;
    }
    if (traced) cause_[i] = cause;
    if (told) services_[i] = {start, processor(number, op)};
    if (!Plain) started(number, i, start, processor(number, op));
    return true;
  }

  // What follows a large send may not begin before it has left.
  void hold(std::uint32_t number, std::uint32_t send) {
    each_successor(number, send, [&](std::uint32_t op, bool only_started) {
      if (!only_started) ++posts_[op].outstanding;
    });
  }

  template <class What>
  void each_successor(std::uint32_t number, std::uint32_t i, What what) {
    const auto base = static_cast<std::uint32_t>(schedule_.first_op[number]);
    for (std::uint32_t s = ops_[i].first_successor; s < ops_[i + 1].first_successor; ++s)
      what(base + (schedule_.successors[s] & ~on_start), (schedule_.successors[s] & on_start) != 0);
  }

  // Tells the receives behind `i` when they may take their messages. A large send's end is told by grant().
  void started(std::uint32_t number, std::uint32_t i, Ticks start, Ticks end) {
    const bool large = ops_[i].kind == GoalKind::send && machine_.rendezvous(ops_[i].amount);
    each_successor(number, i, [&](std::uint32_t op, bool only_started) {
      if (only_started)
        post_after(op, {start, {i, Part::start}});
      else if (!large)
        post_after(op, {end, {i, Part::processor}});
    });
  }

  void post_after(std::uint32_t op, const Told& before) {
    Post& post = posts_[op];
    post.posted.raise(before);
    if (--post.left == 0 && ops_[op].kind == GoalKind::receive) grant(op);
  }

  // Once a large message's send has begun and its receive is posted: request, reply, data.
  void grant(std::uint32_t receive) {
    const std::uint32_t send = ops_[receive].partner;
    if (!machine_.rendezvous(ops_[receive].amount) || there_[send] == unknown || posts_[receive].left > 0)
      return;
    const Ticks at = granted(receive).at;
    there_[receive] = at + machine_.first_byte() + later_by;
    const Told left{at + machine_.send_processor(ops_[send].amount), {send, Part::data}};
    if (told) services_[send].ended = left.at;
    const std::uint32_t sender = ops_[receive].peer;
    data_left_[sender].raise(left);
    each_successor(sender, send, [&](std::uint32_t op, bool only_started) {
      if (only_started) return;
      posts_[op].data_left.raise(left);
      post_after(op, left);
      if (--posts_[op].outstanding == 0) ranks_.wake(sender, op);
    });
    ranks_.wake(ops_[send].peer, receive);
  }

  const Schedule& schedule_;
  const Op* ops_;
  const LogGopsTicks machine_;
  FrozenOrder<Walked> ranks_;
  const Cancellation* const cancellation_;
  Service* services_ = nullptr;           // where told
  std::unique_ptr<Ticks[], Free> there_;  // receives: their message's first byte; large sends: their start
  std::vector<Cause> cause_;
  std::vector<Ticks> processors_, sending_, receiving_;
  struct Post {
    Told posted{-1};                // from when on the receive may take its message
    Told data_left;                 // of the large sends that the operation follows, of the last
    std::uint32_t left = 0;         // how many operations it still waits for
    std::uint32_t outstanding = 0;  // large sends that have to leave before it may begin
  };
  std::vector<Post> posts_;
  std::vector<Told> data_left_;  // of a rank's large messages
};

// Walks the longest chain back from its end.
template <bool Plain>
class Walk {
 public:
  Walk(const Schedule& schedule, const LogGopsTicks& machine, const Evaluator<Plain, Kept::causes>& evaluator)
      : schedule_(schedule), machine_(machine), evaluator_(evaluator) {
    out_.blame.by_rank.resize(schedule.ranks());
    out_.blame.by_call.resize(schedule.calls.size());
    position_.resize(schedule.order.size());
    for (std::uint32_t rank = 0; rank < schedule.ranks() && !schedule.order.empty(); ++rank)
      for (std::uint64_t first = schedule.first_op[rank], i = first; i < schedule.first_op[rank + 1]; ++i)
        position_[first + schedule.order[i]] = static_cast<std::uint32_t>(i - first);
  }

  Explained from(Evaluated evaluated) {
    out_.evaluated = std::move(evaluated);
    const auto& finishes = out_.evaluated.rank_finish;
    rank_ = static_cast<std::uint32_t>(std::max_element(finishes.begin(), finishes.end()) - finishes.begin());
    if (out_.evaluated.finish > 0)
      for (Origin at = evaluator_.last(rank_); at.op != no_op;) at = before(at);
    std::sort(out_.blame.messages.begin(), out_.blame.messages.end(), [](const auto& a, const auto& b) {
      return a.time != b.time ? a.time > b.time : a.number < b.number;
    });
    out_.blame.compute = out_.chain.compute;
    WW_INVARIANT(out_.chain.time(machine_) == out_.evaluated.finish);
    return std::move(out_);
  }

 private:
  // Counts what `at` is the end of, and tells what that waited for.
  Origin before(Origin at) {
    const Op& op = schedule_.ops[at.op];
    Chain& chain = out_.chain;
    const bool large = !Plain && op.kind != GoalKind::compute && machine_.rendezvous(op.amount);
    const std::uint64_t bytes = large && op.kind == GoalKind::send ? 1 : op.amount;
    switch (at.part) {
      case Part::start:
      case Part::request:
        break;
      case Part::processor:
        ++chain.operations;
        if (op.kind == GoalKind::compute) {
          chain.compute += machine_.compute(op.amount);
          blame(op, machine_.compute(op.amount));
          break;
        }
        ++chain.o;
        (op.kind == GoalKind::receive && machine_.G >= machine_.O ? chain.G : chain.O) += more(bytes);
        blame(op,
              op.kind == GoalKind::send ? machine_.send_processor(bytes) : machine_.receive_processor(bytes));
        break;
      case Part::card:
        ++chain.operations;
        ++chain.g;
        chain.G += more(bytes);
        blame(op, machine_.card(bytes));
        break;
      case Part::message: {
        ++chain.messages;
        Ticks time = fly(machine_.first_byte(), 1);
        Origin from;
        if (large) {
          from = handshake(at.op, time);
        } else {
          rank_ = op.peer;
          from = started(op.partner);
        }
        out_.blame.messages.push_back({op.partner, time});
        return from;
      }
      case Part::data: {
        ++chain.operations;
        ++chain.o;
        chain.O += more(op.amount);
        blame(op, machine_.send_processor(op.amount));
        rank_ = op.peer;
        Ticks untold = 0;
        return handshake(op.partner, untold);
      }
    }
    return started(at.op);
  }

  // What the start of an operation of rank_ waited for.
  Origin started(std::uint32_t i) const {
    const Op& op = schedule_.ops[i];
    const Cause cause = evaluator_.cause(i);
    if (cause == Cause::message) return {i, Part::message};
    if (cause == Cause::data) return evaluator_.data_left(i);
    const std::uint64_t first = schedule_.first_op[rank_];
    auto at = schedule_.order.empty() ? static_cast<std::uint32_t>(i - first) : position_[i];
    while (at-- > 0) {
      const Op& before = schedule_.ops[evaluator_.op_at(rank_, at)];
      if (cause == Cause::processor ? before.cpu == op.cpu : before.kind == op.kind && before.nic == op.nic)
        return {evaluator_.op_at(rank_, at), cause == Cause::card ? Part::card : Part::processor};
    }
    return {};
  }

  // From when a large message may leave back to the start of its send, or to what its receive was posted
  // behind. Its time is added to `time`.
  Origin handshake(std::uint32_t receive, Ticks& time) {
    time += fly(machine_.control(), 2);
    const Origin from = evaluator_.granted(receive).from;
    if (from.part != Part::request) return from;
    time += fly(machine_.control(), 2);
    rank_ = schedule_.ops[receive].peer;
    return started(from.op);
  }

  void blame(const Op& op, Ticks time) {
    out_.blame.by_rank[rank_] += time;
    out_.blame.by_call[op.call] += time;
  }

  Ticks fly(Ticks time, std::int64_t overheads) {
    ++out_.chain.L;
    out_.chain.o += overheads;
    out_.blame.under_way += time;
    return time;
  }

  static std::int64_t more(std::uint64_t bytes) {
    return bytes > 1 ? static_cast<std::int64_t>(bytes - 1) : 0;
  }

  const Schedule& schedule_;
  const LogGopsTicks& machine_;
  const Evaluator<Plain, Kept::causes>& evaluator_;
  std::vector<std::uint32_t> position_;  // in the order
  std::uint32_t rank_ = 0;
  Explained out_;
};

bool plain(const Schedule& schedule, const LogGopsTicks& machine) {
  return schedule.cpus == 1 && schedule.nics == 1 && !machine.rendezvous(schedule.largest_bytes);
}

template <Kept Keeps>
Result<Evaluated> evaluate_as(const Schedule& schedule, const LogGopsTicks& machine,
                              const Listening& listening) {
  return plain(schedule, machine) ? Evaluator<true, Keeps>(schedule, machine, listening).evaluate()
                                  : Evaluator<false, Keeps>(schedule, machine, listening).evaluate();
}

template <bool Plain>
Result<Explained> explain_as(const Schedule& schedule, const LogGopsTicks& machine,
                             const Cancellation* cancellation) {
  Evaluator<Plain, Kept::causes> evaluator(schedule, machine, {nullptr, cancellation});
  WW_TRY(Evaluated evaluated, evaluator.evaluate());
  return Walk<Plain>(schedule, machine, evaluator).from(std::move(evaluated));
}

}  // namespace

Result<Evaluated> evaluate(const Schedule& schedule, const LogGopsTicks& machine,
                           const Listening& listening) {
  WW_CHECK(fits(schedule, machine));
  return listening.services == nullptr ? evaluate_as<Kept::times>(schedule, machine, listening)
                                       : evaluate_as<Kept::services>(schedule, machine, listening);
}

Result<Explained> explain(const Schedule& schedule, const LogGopsTicks& machine,
                          const Cancellation* cancellation) {
  WW_CHECK(fits(schedule, machine));
  return plain(schedule, machine) ? explain_as<true>(schedule, machine, cancellation)
                                  : explain_as<false>(schedule, machine, cancellation);
}

const char* letter_of(Parameter parameter) {
  return parameter == Parameter::latency ? "L" : parameter == Parameter::per_byte ? "G" : "o";
}

Parameters parameters_of(const LogGopsTicks& machine) {
  return {machine.L, machine.G, machine.o};
}

Growing growing(const Schedule& schedule, const LogGopsTicks& machine, const Cancellation* cancellation) {
  return [&schedule, machine, cancellation](const Parameters& at, bool slopes) -> Result<Grown> {
    LogGopsTicks changed = machine;
    changed.L = at.latency;
    changed.G = at.per_byte;
    changed.o = at.overhead;
    if (!slopes) {
      WW_TRY(const Evaluated evaluated, evaluate(schedule, changed, {nullptr, cancellation}));
      return Grown{evaluated.finish, {}};
    }
    WW_TRY(const Explained explained, explain(schedule, changed, cancellation));
    const Chain& chain = explained.chain;
    return Grown{explained.evaluated.finish, {chain.L, chain.G, chain.o}};
  };
}

}  // namespace ww::schedule
