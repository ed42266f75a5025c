#include "simulate/schedule/taped.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <unordered_map>

#include "base/result.hpp"
#include "simulate/schedule/frozen.hpp"

namespace ww::schedule {
namespace {

constexpr std::uint32_t no_slot = 0xffffffffu;

struct WrittenRank {
  std::uint32_t at = 0;  // position in the order
  std::uint32_t waits_for = no_op;
};

// What an operation waits for where messages are asked for first.
struct WrittenPost {
  std::uint32_t posted = no_slot;     // from when on the receive may take its message
  std::uint32_t data_left = no_slot;  // of the large sends that it follows
  std::uint32_t left = 0;             // how many operations it still waits for
  std::uint32_t outstanding = 0;      // large sends that have to leave before it may begin
};

// Goes through the schedule as maxplus.cpp's evaluator does, and writes down what that computes; of equal
// times the first named is the one that it keeps.
class TapeWriter {
 public:
  TapeWriter(const Schedule& schedule, std::uint64_t S_bytes)
      : schedule_(schedule),
        ops_(schedule.ops.data()),
        ranks_(schedule.ranks()),
        there_(schedule.size(), no_slot),
        large_(schedule.largest_bytes > S_bytes),
        S_bytes_(S_bytes) {
    const std::uint32_t cpus = schedule.ranks() * schedule.cpus, nics = schedule.ranks() * schedule.nics;
    sending_ = cpus;
    receiving_ = cpus + nics;
    out_.tape.slots = cpus + 2 * nics;
    out_.tape.steps.reserve(schedule.size());
    out_.rows.push_back({});  // row 0 adds nothing
    data_left_.resize(schedule.ranks(), no_slot);
    if (!large_) return;
    posts_.resize(schedule.size());
    for (std::uint64_t i = 0; i < schedule.size(); ++i) posts_[i].left = ops_[i].predecessors;
  }

  std::optional<Taped> write() {
    const auto done = ranks_.run([&](std::uint32_t rank) { go_on(rank); });
    WW_INVARIANT(done);
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (schedule_.first_op[rank] + ranks_[rank].at < schedule_.first_op[rank + 1]) return std::nullopt;
      out_.finish_slot.push_back(finish_of(rank));
    }
    return std::move(out_);
  }

 private:
  bool rendezvous(const Op& op) const { return op.amount > S_bytes_; }

  std::uint32_t op_at(std::uint32_t rank, std::uint32_t position) const {
    const std::uint64_t first = schedule_.first_op[rank];
    return static_cast<std::uint32_t>(
        first + (schedule_.order.empty() ? position : schedule_.order[first + position]));
  }

  std::uint32_t take_slot() {
    if (free_.empty()) return out_.tape.slots++;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void release(std::uint32_t& slot) {
    if (slot != no_slot) free_.push_back(slot);
    slot = no_slot;
  }

  std::uint32_t row(CostKind kind, std::uint64_t bytes = 0) {
    const auto [entry, fresh] = known_[static_cast<std::size_t>(kind)].try_emplace(
        bytes, static_cast<std::uint32_t>(out_.rows.size()));
    if (fresh) out_.rows.push_back({kind, bytes});
    return entry->second;
  }

  struct Written {
    std::uint32_t slot, row;
  };
  void add(std::initializer_list<std::uint32_t> ins, std::initializer_list<Written> outs) {
    TapeStep step;
    for (const std::uint32_t in : ins)
      if (in != no_slot) step.in[step.ins++] = in;
    for (const Written& out : outs) {
      step.out[step.outs] = out.slot;
      step.cost[step.outs++] = out.row;
    }
    out_.tape.steps.push_back(step);
  }
  // `slot`, which may be none yet, is no earlier than `other`.
  void raise(std::uint32_t& slot, std::uint32_t other) {
    const std::uint32_t before = slot;
    if (slot == no_slot) slot = take_slot();
    add({before, other}, {{slot, 0}});
  }

  std::uint32_t finish_of(std::uint32_t rank) {
    if (schedule_.cpus == 1 && data_left_[rank] == no_slot) return rank;
    // Of processors that end at once the one whose last operation stands last.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> last(schedule_.cpus);
    for (std::uint32_t cpu = 0; cpu < schedule_.cpus; ++cpu) last[cpu] = {0, cpu};
    for (std::uint32_t position = 0; position < ranks_[rank].at; ++position)
      last[ops_[op_at(rank, position)].cpu].first = position + 1;
    std::sort(last.begin(), last.end(), std::greater<>());
    std::uint32_t finish = no_slot;
    for (const auto& [position, cpu] : last) raise(finish, rank * schedule_.cpus + cpu);
    if (data_left_[rank] != no_slot) raise(finish, data_left_[rank]);
    return finish;
  }

  void go_on(std::uint32_t number) {
    WrittenRank& rank = ranks_[number];
    const auto count =
        static_cast<std::uint32_t>(schedule_.first_op[number + 1] - schedule_.first_op[number]);
    for (; rank.at < count; ++rank.at) {
      const std::uint32_t i = op_at(number, rank.at);
      if (begin(number, i)) continue;
      rank.waits_for = i;
      return;
    }
  }

  bool begin(std::uint32_t number, std::uint32_t i) {
    const Op& op = ops_[i];
    if (op.kind == GoalKind::receive && there_[i] == no_slot) return false;
    if (large_ && posts_[i].outstanding > 0) return false;
    const std::uint32_t processor = number * schedule_.cpus + op.cpu;
    std::uint32_t start = no_slot;  // where something else than the operation's own steps needs it
    std::uint32_t from = processor;
    if (large_ && (posts_[i].data_left != no_slot || op.starts_others || is_large_send(op))) {
      start = take_slot();
      const std::uint32_t card = op.kind == GoalKind::send ? sending_ + number * schedule_.nics + op.nic
                                 : op.kind == GoalKind::receive
                                     ? receiving_ + number * schedule_.nics + op.nic
                                     : no_slot;
      add({processor, posts_[i].data_left, card}, {{start, 0}});
      release(posts_[i].data_left);
      if (op.kind == GoalKind::receive) raise(start, there_[i]);
      from = start;
    }
    switch (op.kind) {
      case GoalKind::compute: {
        add({from}, {{processor, static_cast<std::uint32_t>(out_.computations_ns.size())}});
        out_.tape.steps.back().timed = true;
        out_.computations_ns.push_back(op.amount);
        out_.computing_rank.push_back(number);
        break;
      }
      case GoalKind::send: {
        const std::uint32_t card = sending_ + number * schedule_.nics + op.nic;
        if (is_large_send(op)) {
          add({from}, {{processor, row(CostKind::send_processor, 1)}, {card, row(CostKind::card, 1)}});
          there_[i] = start;
          hold(number, i);
          started(number, i, start, start);
          grant(op.partner);
          return true;
        }
        there_[op.partner] = take_slot();
        add({from, from == start ? no_slot : card}, {{processor, row(CostKind::send_processor, op.amount)},
                                                     {card, row(CostKind::card, op.amount)},
                                                     {there_[op.partner], row(CostKind::first_byte)}});
        ranks_.wake(op.peer, op.partner);
        break;
      }
      case GoalKind::receive: {
        const std::uint32_t card = receiving_ + number * schedule_.nics + op.nic;
        const bool told = from == start;
        add({from, told ? no_slot : card, told ? no_slot : there_[i]},
            {{processor, row(CostKind::receive_processor, op.amount)},
             {card, row(CostKind::card, op.amount)}});
        free_.push_back(there_[i]);
        break;
      }
    }
    if (large_) started(number, i, start, processor);
    release(start);
    return true;
  }

  bool is_large_send(const Op& op) const { return op.kind == GoalKind::send && rendezvous(op); }

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

  void started(std::uint32_t number, std::uint32_t i, std::uint32_t start, std::uint32_t end) {
    const bool large = is_large_send(ops_[i]);
    each_successor(number, i, [&](std::uint32_t op, bool only_started) {
      if (only_started)
        post_after(op, start);
      else if (!large)
        post_after(op, end);
    });
  }

  void post_after(std::uint32_t op, std::uint32_t before) {
    WrittenPost& post = posts_[op];
    const bool asked_for = ops_[op].kind == GoalKind::receive && rendezvous(ops_[op]);
    if (asked_for) {
      WW_INVARIANT(before != no_slot);
      raise(post.posted, before);
    }
    if (--post.left == 0 && asked_for) grant(op);
  }

  // Once a large message's send has begun and its receive is posted: request, reply, data.
  void grant(std::uint32_t receive) {
    const std::uint32_t send = ops_[receive].partner;
    if (there_[send] == no_slot || posts_[receive].left > 0) return;
    std::uint32_t asked = take_slot(), left = take_slot();
    add({there_[send]}, {{asked, row(CostKind::control)}});
    there_[receive] = take_slot();
    add({asked, posts_[receive].posted}, {{there_[receive], row(CostKind::control_first_byte)},
                                          {left, row(CostKind::control_send_processor, ops_[send].amount)}});
    release(asked);
    release(posts_[receive].posted);
    free_.push_back(there_[send]);
    const std::uint32_t sender = ops_[receive].peer;
    raise(data_left_[sender], left);
    each_successor(sender, send, [&](std::uint32_t op, bool only_started) {
      if (only_started) return;
      raise(posts_[op].data_left, left);
      post_after(op, left);
      if (--posts_[op].outstanding == 0) ranks_.wake(sender, op);
    });
    release(left);
    ranks_.wake(ops_[send].peer, receive);
  }

  const Schedule& schedule_;
  const Op* ops_;
  FrozenOrder<WrittenRank> ranks_;
  std::vector<std::uint32_t>
      there_;  // slots: of receives their message's first byte, of large sends their start
  std::vector<WrittenPost> posts_;
  std::vector<std::uint32_t> data_left_;  // slots by rank: of its large messages
  std::vector<std::uint32_t> free_;
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, 8> known_;
  bool large_ = false;
  std::uint64_t S_bytes_ = 0;
  std::uint32_t sending_ = 0, receiving_ = 0;
  Taped out_;
};

}  // namespace

std::array<Ticks, 4> CostRow::on(const LogGopsTicks& m) const {
  const Ticks more = bytes > 1 ? static_cast<Ticks>(bytes - 1) : 0;
  switch (kind) {
    case CostKind::nothing:
      return {};
    case CostKind::send_processor:
      return {m.send_processor(bytes), 0, 0, 1};
    case CostKind::card:
      return {m.card(bytes), 0, more, 0};
    case CostKind::receive_processor:
      return {m.receive_processor(bytes), 0, m.G >= m.O ? more : 0, 1};
    case CostKind::first_byte:
      return {m.first_byte(), 1, 0, 1};
    case CostKind::control:
      return {m.control(), 1, 0, 2};
    case CostKind::control_first_byte:
      return {m.control() + m.first_byte(), 2, 0, 3};
    case CostKind::control_send_processor:
      return {m.control() + m.send_processor(bytes), 1, 0, 3};
  }
  return {};
}

std::optional<Taped> tape_of(const Schedule& schedule, std::uint64_t S_bytes) {
  return TapeWriter(schedule, S_bytes).write();
}

}  // namespace ww::schedule
