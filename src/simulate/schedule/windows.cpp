#include "simulate/schedule/windows.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include "simulate/schedule/barrier.hpp"
#include "simulate/schedule/stuck.hpp"
#include "simulate/schedule/wakes.hpp"

namespace ww::schedule {
namespace {

constexpr std::uint32_t no_node = 0xffffffffu;

// In place of a part's next window: it has seen that the replay is to end early.
constexpr std::int64_t to_end = -2;
// After so many operations a part looks whether it is.
constexpr std::uint64_t looks_after = 65536;

// What Windows::left_ holds of an operation beside how many it still waits for.
constexpr std::uint32_t posted = 1u << 28;   // a receive that may take its message
constexpr std::uint32_t arrived = 1u << 29;  // ... whose message (or request) was served before it was posted
constexpr std::uint32_t answered = 1u << 30;  // the request of a large message has had its reply
constexpr std::uint32_t done = 1u << 31;
constexpr std::uint32_t count_mask = posted - 1;

// Something that waits to be served.
struct Node {
  Ticks ready = 0;    // from when on it may be
  Ticks created = 0;  // when it came into being, by whom, as that one's how manieth
  std::uint32_t creator = 0, serial = 0;
  std::uint32_t op = 0;  // messages: the operation it is for, at the rank where it arrives
  std::uint32_t next = no_node;
};
static_assert(sizeof(Node) == 32);

enum Lane : std::uint8_t { sends, posts, computations, messages, lanes };

// Each lane is a ring of nodes, of which the last is known; all of a lane need the same processor and card,
// and stand in the order in which they became ready.
struct alignas(64) Rank {
  Ticks processor = 0, sending_card = 0, receiving_card = 0;
  std::int64_t wake = -1;  // the window in which it goes on by itself
  std::array<std::uint32_t, lanes> last{no_node, no_node, no_node, no_node};
  std::uint32_t inbox = no_node;  // messages of this window, in no order
  std::uint32_t serial = 0;
  Lane next = lanes;  // what comes first, if no message comes before it; lanes: not known
};
static_assert(sizeof(Rank) == 64);

// What all ranks have, of which each part of them touches its own.
struct State {
  State(const Schedule& schedule, const LogGopsTicks& on)
      : machine(on),
        width(std::max<Ticks>(1, on.first_byte())),
        ranks(schedule.ranks()),
        left(std::make_unique_for_overwrite<std::uint32_t[]>(schedule.size())) {}
  const LogGopsTicks machine;
  const Ticks width;
  std::vector<Rank> ranks;
  std::unique_ptr<std::uint32_t[]> left;  // by operation; Windows::begin() fills it
};

// Some of the ranks, one after the other, window by window. Whether services are told is known at compile time,
// so that who asks for none pays nothing.
template <bool told>
class alignas(64) Windows {
 public:
  // A message to a rank of another part.
  struct Letter {
    Node node;
    std::uint32_t to = 0;
  };

  // The ranks from `first` to before `last`. parts: how many there are.
  Windows(const Schedule& schedule, State& state, Rule rule, std::uint32_t first, std::uint32_t last,
          std::size_t parts, Service* services)
      : schedule_(schedule),
        ops_(schedule.ops.data()),
        machine_(state.machine),
        rule_(rule),
        width_(state.width),
        ranks_(state.ranks.data()),
        left_(state.left.get()),
        first_(first),
        count_(last - first),
        parts_(parts),
        services_(services) {}

  // Operations that wait for nothing are there before all else, sends first.
  void begin() {
    for (std::uint32_t rank = first_; rank < first_ + count_; ++rank) {
      const std::uint64_t first = schedule_.first_op[rank], last = schedule_.first_op[rank + 1];
      sorted_.clear();
      for (std::uint64_t i = first; i < last; ++i) {
        left_[i] = ops_[i].predecessors;
        if (left_[i] == 0) sorted_.push_back(static_cast<std::uint32_t>(i));
      }
      if (sorted_.empty()) continue;
      std::stable_sort(sorted_.begin(), sorted_.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return ops_[a].kind < ops_[b].kind; });
      for (const std::uint32_t op : sorted_) make_ready(rank, op, -1);
      ranks_[rank].wake = 0;
      wakes_.add(0, 0, rank);
    }
  }

  void play(std::int64_t window) {
    gather(window);
    const Ticks end = (window + 1) * width_;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      if (i + 2 < active_.size()) __builtin_prefetch(&ranks_[active_[i + 2]]);
      play_rank(active_[i], window, end);
    }
  }

  // The next window in which something happens here or because of what was sent from here; -1: none.
  std::int64_t next(std::int64_t window) const {
    return next_messages_.empty() && letters_ == 0 ? wakes_.next(window) : window + 1;
  }

  // What was sent to the part in the last window of the turn. While others read that, the next window's is
  // written into the other box.
  const std::vector<Letter>& letters_to(std::size_t part, std::size_t turn) const {
    return outbox_[turn][part];
  }
  void turn_outbox(std::size_t turn) {
    turn_ = turn;
    for (auto& box : outbox_[turn_]) box.clear();
    letters_ = 0;
  }
  void take(const std::vector<Letter>& letters) {
    for (const Letter& letter : letters) {
      const std::uint32_t node = take_node();
      nodes_[node] = letter.node;
      next_messages_.push_back({node, letter.to});
    }
  }
  bool has(std::uint32_t rank) const { return rank - first_ < count_; }
  void know(const std::vector<Windows>& all) {
    all_ = &all;
    for (auto& outbox : outbox_) outbox.resize(parts_);
  }

  std::uint64_t served() const { return served_; }

 private:
  [[gnu::always_inline]] std::uint32_t take_node() {
    if (free_ == no_node) {
      nodes_.emplace_back();
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t node = free_;
    free_ = nodes_[node].next;
    return node;
  }

  void give_back(std::uint32_t node) {
    nodes_[node].next = free_;
    free_ = node;
  }

  void append(Rank& rank, Lane lane, std::uint32_t node) {
    std::uint32_t& last = rank.last[lane];
    if (last == no_node) {
      nodes_[node].next = node;
    } else {
      nodes_[node].next = nodes_[last].next;
      nodes_[last].next = node;
    }
    last = node;
  }

  void drop_first(Rank& rank, Lane lane) {
    std::uint32_t& last = rank.last[lane];
    const std::uint32_t first = nodes_[last].next;
    if (first == last)
      last = no_node;
    else
      nodes_[last].next = nodes_[first].next;
    give_back(first);
  }

  void add(std::uint32_t number, Lane lane, std::uint32_t op, Ticks ready, Ticks created) {
    Rank& rank = ranks_[number];
    const std::uint32_t node = take_node();
    nodes_[node] = {ready, created, number, rank.serial++, op, no_node};
    append(rank, lane, node);
  }

  void make_ready(std::uint32_t number, std::uint32_t op, Ticks now) {
    const Rank& rank = ranks_[number];
    switch (ops_[op].kind) {
      case GoalKind::send:
        add(number, sends, op, std::max(rank.processor, rank.sending_card), now);
        break;
      case GoalKind::compute:
        add(number, computations, op, rank.processor, now);
        break;
      case GoalKind::receive:
        left_[op] |= posted;
        if ((left_[op] & arrived) || ops_[op].starts_others) add(number, posts, op, rank.processor, now);
        break;
    }
  }

  // What waits for `op`: for its start, its end, or both.
  template <bool Started, bool Done>
  void free_successors(std::uint32_t number, std::uint32_t op, Ticks now) {
    const auto base = static_cast<std::uint32_t>(schedule_.first_op[number]);
    const std::uint32_t* successor = schedule_.successors.data() + ops_[op].first_successor;
    const std::uint32_t* const end = schedule_.successors.data() + ops_[op + 1].first_successor;
    for (; successor != end; ++successor) {
      if (!(Started && Done) && ((*successor & on_start) != 0) != Started) continue;
      const std::uint32_t freed = base + (*successor & ~on_start);
      if ((--left_[freed] & count_mask) == 0) make_ready(number, freed, now);
    }
  }

  template <bool Started>
  void finish(std::uint32_t number, std::uint32_t op, Ticks now) {
    left_[op] |= done;
    ++served_;
    free_successors<Started, true>(number, op, now);
  }

  void send_message(std::uint32_t from, std::uint32_t to, std::uint32_t op, Ticks now) {
    const Node message{now + width_, now, from, ranks_[from].serial++, op, no_node};
    if (!has(to)) {
      std::size_t part = 0;
      while (!(*all_)[part].has(to)) ++part;
      outbox_[turn_][part].push_back({message, to});
      ++letters_;
      return;
    }
    const std::uint32_t node = take_node();
    nodes_[node] = message;
    next_messages_.push_back({node, to});
  }

  void gather(std::int64_t window) {
    active_.clear();
    arriving_.swap(next_messages_);
    next_messages_.clear();
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 0; i < arriving_.size(); ++i) {
      if (i + ahead < arriving_.size()) {
        __builtin_prefetch(&ranks_[arriving_[i + ahead].second], 1);
        __builtin_prefetch(&nodes_[arriving_[i + ahead].first], 1);
      }
      const auto [node, to] = arriving_[i];
      Rank& rank = ranks_[to];
      if (rank.inbox == no_node) active_.push_back(to);
      nodes_[node].next = rank.inbox;
      rank.inbox = node;
    }
    for (const std::uint32_t rank : wakes_.of(window))
      if (ranks_[rank].wake == window) {
        ranks_[rank].wake = -1;
        if (ranks_[rank].inbox == no_node) active_.push_back(rank);
      }
    wakes_.clear(window);
  }

  bool created_before(const Node& a, const Node& b) const {
    if (a.created != b.created) return a.created < b.created;
    return a.creator != b.creator ? a.creator < b.creator : a.serial < b.serial;
  }

  void take_inbox(Rank& rank) {
    std::uint32_t node = rank.inbox;
    rank.inbox = no_node;
    if (nodes_[node].next == no_node) {
      append(rank, messages, node);
      return;
    }
    sorted_.clear();
    for (; node != no_node; node = nodes_[node].next) sorted_.push_back(node);
    const auto order = [&](std::uint32_t a, std::uint32_t b) { return created_before(nodes_[a], nodes_[b]); };
    if (!std::is_sorted(sorted_.begin(), sorted_.end(), order))
      std::sort(sorted_.begin(), sorted_.end(), order);
    for (const std::uint32_t sorted : sorted_) append(rank, messages, sorted);
  }

  struct Candidate {
    Ticks start = latest;
    const Node* node = nullptr;
    Lane lane = sends;
  };

  bool comes_before(const Candidate& a, const Candidate& b) const {
    if (a.start != b.start) return a.start < b.start;
    switch (rule_) {
      case Rule::created:
        break;
      case Rule::ready:
        if (a.node->ready != b.node->ready) return a.node->ready < b.node->ready;
        break;
      case Rule::sends:
        if ((a.lane == sends) != (b.lane == sends)) return a.lane == sends;
        break;
      case Rule::receives:
        if ((a.lane == messages) != (b.lane == messages)) return a.lane == messages;
        break;
    }
    return created_before(*a.node, *b.node);
  }

  void play_rank(std::uint32_t number, std::int64_t window, Ticks end) {
    Rank& rank = ranks_[number];
    Lane known = rank.next;
    rank.next = lanes;
    if (rank.inbox != no_node) {
      take_inbox(rank);
      known = lanes;
    }
    for (;;) {
      Candidate best;
      const auto consider = [&](Lane lane, Ticks free_from) {
        if (rank.last[lane] == no_node) return;
        const Node& node = nodes_[nodes_[rank.last[lane]].next];
        const Candidate candidate{std::max(node.ready, free_from), &node, lane};
        if (!best.node || comes_before(candidate, best)) best = candidate;
      };
      const Ticks card = known == sends ? rank.sending_card : known == messages ? rank.receiving_card : 0;
      if (known != lanes) {
        consider(known, known == posts ? 0 : std::max(rank.processor, card));
        known = lanes;
      } else {
        consider(messages, std::max(rank.processor, rank.receiving_card));
        consider(sends, std::max(rank.processor, rank.sending_card));
        consider(computations, rank.processor);
        consider(posts, 0);
      }
      if (!best.node) return;
      if (best.start >= end) {
        rank.next = best.lane;
        const std::int64_t next = best.start < end + width_ ? window + 1 : best.start / width_;
        if (next != rank.wake) {
          rank.wake = next;
          wakes_.add(window, next, number);
        }
        __builtin_prefetch(ops_ + best.node->op + 1);
        __builtin_prefetch(ops_ + best.node->op + 3);
        __builtin_prefetch(ops_ + best.node->op + 5);
        __builtin_prefetch(&left_[best.node->op] + 4, 1);
        return;
      }
      const std::uint32_t op = best.node->op;
      const Ticks now = best.start;
      drop_first(rank, best.lane);
      serve(best.lane, number, op, now);
    }
  }

  void serve(Lane lane, std::uint32_t number, std::uint32_t op, Ticks now) {
    Rank& rank = ranks_[number];
    const Op& what = ops_[op];
    switch (lane) {
      case computations:
        rank.processor = now + machine_.compute(what.amount);
        if constexpr (told) services_[op] = {now, rank.processor};
        finish<true>(number, op, now);
        break;
      case sends:
        serve_send(rank, number, op, now);
        break;
      case messages:
        serve_message(rank, number, op, now);
        break;
      case posts:
        free_successors<true, false>(number, op, now);
        if ((left_[op] & done) || !(left_[op] & arrived)) break;
        if (machine_.rendezvous(what.amount)) {
          add(number, sends, op, std::max(rank.processor, rank.sending_card), now);
        } else {
          if constexpr (told) services_[op].ended = std::max(services_[op].ended, now);
          finish<false>(number, op, now);
        }
        break;
      case lanes:
        break;
    }
  }

  void serve_send(Rank& rank, std::uint32_t number, std::uint32_t op, Ticks now) {
    const Op& what = ops_[op];
    const bool granted = (left_[op] & answered) != 0;
    const bool small = what.kind == GoalKind::receive || (!granted && machine_.rendezvous(what.amount));
    const std::uint64_t bytes = small ? 1 : what.amount;
    rank.processor = now + machine_.send_processor(bytes);
    rank.sending_card = now + machine_.card(bytes);
    if constexpr (told)
      if (what.kind == GoalKind::send) {
        if (!granted) services_[op].begun = now;
        services_[op].ended = rank.processor;
      }
    send_message(number, what.peer, what.partner, now);
    if (what.kind == GoalKind::receive) {
      left_[op] |= answered;
    } else if (granted) {
      finish<false>(number, op, now);
    } else if (small) {
      free_successors<true, false>(number, op, now);
    } else {
      finish<true>(number, op, now);
    }
  }

  void serve_message(Rank& rank, std::uint32_t number, std::uint32_t op, Ticks now) {
    const Op& what = ops_[op];
    const bool rendezvous = machine_.rendezvous(what.amount);
    const bool small = what.kind == GoalKind::send || (rendezvous && !(left_[op] & answered));
    const std::uint64_t bytes = small ? 1 : what.amount;
    rank.processor = now + machine_.receive_processor(bytes);
    rank.receiving_card = now + machine_.card(bytes);
    if constexpr (told)
      if (!small) services_[op] = {now, rank.processor};
    if (!small && rendezvous) {
      finish<false>(number, op, now);
      return;
    }
    if (what.kind == GoalKind::send) {
      left_[op] |= answered;
    } else if (!(left_[op] & posted)) {
      left_[op] |= arrived;
      return;
    } else if (!rendezvous) {
      finish<false>(number, op, now);
      return;
    }
    add(number, sends, op, std::max(rank.processor, rank.sending_card), now);
  }

  const Schedule& schedule_;
  const Op* ops_;
  const LogGopsTicks machine_;
  const Rule rule_;
  const Ticks width_;
  Rank* const ranks_;
  std::uint32_t* const left_;
  const std::uint32_t first_, count_;
  const std::size_t parts_;
  Service* const services_;  // where told
  const std::vector<Windows>* all_ = nullptr;
  std::vector<std::vector<Letter>> outbox_[2];  // by part
  std::size_t turn_ = 0;
  std::size_t letters_ = 0;
  std::vector<Node> nodes_;
  std::uint32_t free_ = no_node;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> next_messages_, arriving_;  // node, rank
  std::vector<std::uint32_t> active_, sorted_;
  Wakes wakes_;
  std::uint64_t served_ = 0;
};

// All parts, each on a thread of its own; the first on the caller's. Returns the window after the last, or to_end.
template <class Part>
std::int64_t play_parts(std::vector<Part>& parts, std::int64_t too_late, const Cancellation* cancellation) {
  std::vector<std::array<std::int64_t, 16>> next(parts.size());  // by part and turn, a line each
  Barrier barrier(parts.size());
  std::int64_t last = 0;
  const auto play = [&](std::size_t me) {
    parts[me].begin();
    std::int64_t window = 0;
    std::uint64_t asks_at = 0;
    for (std::size_t turn = 0; window >= 0 && window < too_late; turn = 1 - turn) {
      parts[me].play(window);
      next[me][turn] = parts[me].next(window);
      if (parts[me].served() >= asks_at) {
        asks_at = parts[me].served() + looks_after;
        if (cancellation != nullptr && cancellation->requested()) next[me][turn] = to_end;
      }
      std::int64_t soonest = next[me][turn];
      if (parts.size() > 1) {
        barrier.wait();
        for (std::size_t other = 0; other < parts.size(); ++other)
          if (other != me) {
            const std::int64_t its = next[other][turn];
            if (its == to_end || (soonest != to_end && its >= 0 && (soonest < 0 || its < soonest)))
              soonest = its;
            parts[me].take(parts[other].letters_to(me, turn));
          }
        parts[me].turn_outbox(1 - turn);
      }
      window = soonest;
    }
    if (me == 0) last = window;
  };
  std::vector<std::thread> threads;
  for (std::size_t part = 1; part < parts.size(); ++part) threads.emplace_back(play, part);
  play(0);
  for (std::thread& thread : threads) thread.join();
  return last;
}

template <bool told>
Result<Played> play_in_parts(const Schedule& schedule, const LogGopsTicks& machine, Rule rule,
                             std::size_t count, const Listening& listening) {
  Service* const services = told ? listening.services->data() : nullptr;
  State state(schedule, machine);
  std::vector<Windows<told>> parts;
  // Each with about as many operations.
  std::uint32_t first = 0;
  for (std::size_t part = 1; part <= count; ++part) {
    const auto end = std::lower_bound(schedule.first_op.begin(), schedule.first_op.end() - 1,
                                      schedule.size() / count * part);
    const std::uint32_t last =
        part == count ? schedule.ranks()
                      : std::max(first, static_cast<std::uint32_t>(end - schedule.first_op.begin()));
    parts.emplace_back(schedule, state, rule, first, last, count, services);
    first = last;
  }
  for (Windows<told>& part : parts) part.know(parts);
  const std::int64_t after = play_parts(parts, latest / state.width, listening.cancellation);
  if (after == to_end) return cancelled();
  if (after >= 0)
    return fail("the run is longer than can be counted", "over an hour of the simulated machine",
                "replay a part of it");
  Played out;
  for (const Windows<told>& part : parts) out.served += part.served();
  if (out.served < schedule.size())
    return deadlock(schedule, [&](std::uint64_t op) { return (state.left[op] & done) != 0; });
  for (const Rank& rank : state.ranks) {
    out.rank_finish.push_back(rank.processor);
    out.finish = std::max(out.finish, rank.processor);
  }
  return out;
}

}  // namespace

Result<Played> play_windows(const Schedule& schedule, const LogGopsTicks& machine, Rule rule,
                            unsigned threads, const Listening& listening) {
  WW_CHECK(fits(schedule, machine));
  const std::size_t count = std::clamp<std::size_t>(threads, 1, std::max<std::uint32_t>(1, schedule.ranks()));
  if (listening.services == nullptr) return play_in_parts<false>(schedule, machine, rule, count, listening);
  listening.services->assign(schedule.size(), {});
  return play_in_parts<true>(schedule, machine, rule, count, listening);
}

Result<FinishSpread> play_all_rules(const Schedule& schedule, const LogGopsTicks& machine, unsigned threads,
                                    const Listening& listening) {
  FinishSpread out;
  WW_TRY(out.played, play_windows(schedule, machine, Rule::created, threads, listening));
  out.low = out.high = out.played.finish;
  for (const Rule rule : {Rule::ready, Rule::sends, Rule::receives}) {
    WW_TRY(const Played other,
           play_windows(schedule, machine, rule, threads, {nullptr, listening.cancellation}));
    out.low = std::min(out.low, other.finish);
    out.high = std::max(out.high, other.finish);
  }
  return out;
}

}  // namespace ww::schedule
