#include "simulate/schedule/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ww::schedule {

Builder::Builder(std::uint32_t ranks) : ranks_(ranks) {}

std::uint32_t Builder::call(const std::string& name) {
  const auto known = static_cast<std::size_t>(std::find(calls_.begin(), calls_.end(), name) - calls_.begin());
  if (known == calls_.size()) calls_.push_back(name);
  return static_cast<std::uint32_t>(known);
}

void Builder::begin_rank() {
  if (!out_->first_op.empty()) end_rank();
  WW_INVARIANT(out_->first_op.size() < ranks_);
  out_->first_op.push_back(out_->ops.size());
}

std::uint32_t Builder::add(Op op, std::uint32_t tag) {
  WW_INVARIANT(!out_->first_op.empty());
  cpus_ = std::max(cpus_, op.cpu + 1u);
  nics_ = std::max(nics_, op.nic + 1u);
  std::uint64_t& most = op.kind == GoalKind::compute ? longest_ns_ : largest_bytes_;
  most = std::max(most, op.amount);
  messages_ += op.kind == GoalKind::send;
  out_->ops.push_back(op);
  tags_.push_back(tag);
  return static_cast<std::uint32_t>(out_->ops.size() - 1 - out_->first_op.back());
}

std::uint32_t Builder::compute(std::uint64_t duration_ns, std::uint32_t call, std::uint8_t cpu) {
  return add({.amount = duration_ns, .call = call, .kind = GoalKind::compute, .cpu = cpu}, 0);
}

std::uint32_t Builder::send(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag, std::uint32_t call,
                            std::uint8_t cpu, std::uint8_t nic) {
  return add({.amount = bytes, .peer = to, .call = call, .kind = GoalKind::send, .cpu = cpu, .nic = nic},
             tag);
}

std::uint32_t Builder::receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag, std::uint32_t call,
                               std::uint8_t cpu, std::uint8_t nic) {
  if (from == any_source || tag == any_tag) ++wildcards_;
  return add({.amount = bytes, .peer = from, .call = call, .kind = GoalKind::receive, .cpu = cpu, .nic = nic},
             tag);
}

void Builder::require(std::uint32_t op, std::uint32_t before, bool only_started) {
  edges_.push_back({before | (only_started ? on_start : 0), op});
}

// The rank's successors, by what they follow; of one operation the sends first, then receives, then
// computation, each kind as it was given (LogGOPSim's order of what becomes ready at once).
void Builder::end_rank() {
  const std::uint64_t first = out_->first_op.back();
  const auto count = static_cast<std::uint32_t>(out_->ops.size() - first);
  const std::span<Op> ops(out_->ops.data() + first, count);
  for (const Edge& edge : edges_) {
    ++ops[edge.before & ~on_start].first_successor;
    if (edge.before & on_start) ops[edge.before & ~on_start].starts_others = 1;
    ++ops[edge.op].predecessors;
  }
  auto at = static_cast<std::uint32_t>(out_->successors.size());
  for (Op& op : ops) {
    const std::uint32_t mine = op.first_successor;
    op.first_successor = at;
    at += mine;
  }
  out_->successors.resize(at);
  // first_successor serves as the place to write, and is put back behind
  for (const Edge& edge : edges_)
    out_->successors[ops[edge.before & ~on_start].first_successor++] = edge.op | (edge.before & on_start);
  for (std::size_t i = ops.size(); i-- > 1;) ops[i].first_successor = ops[i - 1].first_successor;
  if (count > 0) ops[0].first_successor = static_cast<std::uint32_t>(out_->successors.size() - edges_.size());
  const auto kind = [&](std::uint32_t successor) { return ops[successor & ~on_start].kind; };
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto from = out_->successors.begin() + ops[i].first_successor;
    const auto to =
        i + 1 < count ? out_->successors.begin() + ops[i + 1].first_successor : out_->successors.end();
    if (to - from > 1)
      std::stable_sort(from, to, [&](std::uint32_t a, std::uint32_t b) { return kind(a) < kind(b); });
  }
  put_in_order(first, count);
  edges_.clear();
}

// The order of Schedule::order: what is ready first as it stands, receives held back until somebody needs
// them. Depth first from each operation that is no receive (or ends the rank), over what it waits for.
void Builder::put_in_order(std::uint64_t first, std::uint32_t count) {
  const std::span<const Op> ops(out_->ops.data() + first, count);
  std::vector<std::uint32_t> first_before(count + 1, 0), before(edges_.size());
  for (const Edge& edge : edges_) ++first_before[edge.op + 1];
  for (std::uint32_t i = 0; i < count; ++i) first_before[i + 1] += first_before[i];
  // What an operation waits for: receives last, so that what they wait for in other ranks is under way.
  std::vector<std::uint32_t> fill(first_before.begin(), first_before.end() - 1);
  for (const bool receives : {false, true})
    for (const Edge& edge : edges_)
      if (const std::uint32_t needed = edge.before & ~on_start;
          (ops[needed].kind == GoalKind::receive) == receives)
        before[fill[edge.op]++] = needed;
  enum : std::uint8_t { fresh, open, done };
  std::vector<std::uint8_t> state(count, fresh);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path;  // operation, next of what it waits for
  std::vector<std::uint32_t>& order = out_->order;
  const auto visit = [&](std::uint32_t root) {
    path.push_back({root, first_before[root]});
    state[root] = open;
    while (!path.empty()) {
      auto& [op, next] = path.back();
      if (next == first_before[op + 1]) {
        state[op] = done;
        in_order_ = in_order_ && order.size() - first == op;
        order.push_back(op);
        path.pop_back();
        continue;
      }
      const std::uint32_t needed = before[next++];
      if (state[needed] == open) {
        if (cyclic_rank_ == no_op) {
          cyclic_rank_ = static_cast<std::uint32_t>(out_->first_op.size() - 1);
          cyclic_op_ = needed;
        }
        continue;
      }
      if (state[needed] == done) continue;
      state[needed] = open;
      path.push_back({needed, first_before[needed]});
    }
  };
  for (std::uint32_t i = 0; i < count; ++i)
    if (state[i] == fresh && ops[i].kind != GoalKind::receive) visit(i);
  for (std::uint32_t i = 0; i < count; ++i)
    if (state[i] == fresh) visit(i);
}

namespace {

struct EndOfMessage {
  std::uint32_t from, tag, op;
};

bool before(const EndOfMessage& a, const EndOfMessage& b) {
  return a.from != b.from ? a.from < b.from : a.tag != b.tag ? a.tag < b.tag : a.op < b.op;
}

// Where each rank's part of `ops` that `chosen` begins, by `rank_of`; counting sort keeps their order.
template <class Chosen, class RankOf>
std::vector<std::uint64_t> starts(const std::vector<Op>& ops, std::uint32_t ranks, Chosen chosen,
                                  RankOf rank_of) {
  std::vector<std::uint64_t> first(ranks + 1, 0);
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (chosen(ops[i])) ++first[rank_of(i) + 1];
  for (std::uint32_t r = 0; r < ranks; ++r) first[r + 1] += first[r];
  return first;
}

}  // namespace

// The n-th send to a rank with a tag goes to the n-th receive that names them. What asks for any source or
// tag takes, in the order of the receives, the first message left (of the lowest rank).
Result<void> Builder::bind() {
  std::vector<Op>& ops = out_->ops;
  const auto is_send = [](const Op& op) { return op.kind == GoalKind::send; };
  const auto to = starts(ops, ranks_, is_send, [&](std::size_t i) { return ops[i].peer; });
  std::vector<EndOfMessage> sent(to.back());
  {
    std::vector<std::uint64_t> fill(to.begin(), to.end() - 1);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      for (std::uint64_t i = out_->first_op[rank]; i < out_->first_op[rank + 1]; ++i)
        if (is_send(ops[i])) sent[fill[ops[i].peer]++] = {rank, tags_[i], static_cast<std::uint32_t>(i)};
  }
  std::vector<EndOfMessage> received, any;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    const auto first = sent.begin() + static_cast<std::ptrdiff_t>(to[rank]);
    const auto last = sent.begin() + static_cast<std::ptrdiff_t>(to[rank + 1]);
    received.clear();
    any.clear();
    for (std::uint64_t i = out_->first_op[rank]; i < out_->first_op[rank + 1]; ++i)
      if (ops[i].kind == GoalKind::receive) {
        const bool open = ops[i].peer == any_source || tags_[i] == any_tag;
        (open ? any : received).push_back({ops[i].peer, tags_[i], static_cast<std::uint32_t>(i)});
      }
    if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
    if (!std::is_sorted(received.begin(), received.end(), before))
      std::sort(received.begin(), received.end(), before);
    auto send = first;
    const auto join = [&](const EndOfMessage& s, const EndOfMessage& r) {
      ops[s.op].partner = r.op;
      ops[r.op].partner = s.op;
      ops[r.op].peer = s.from;
      ops[r.op].amount = ops[s.op].amount;
    };
    for (const EndOfMessage& receive : received) {
      while (send != last &&
             (send->from < receive.from || (send->from == receive.from && send->tag < receive.tag)))
        ++send;
      if (send == last || send->from != receive.from || send->tag != receive.tag)
        return fail("a receive without its send",
                    fmt::format("rank {} from rank {}, tag {}", rank, receive.from, receive.tag),
                    "the schedule is incomplete");
      join(*send++, receive);
    }
    for (const EndOfMessage& receive : any) {
      const auto found = std::find_if(first, last, [&](const EndOfMessage& s) {
        return ops[s.op].partner == no_op && (receive.from == any_source || s.from == receive.from) &&
               (receive.tag == any_tag || s.tag == receive.tag);
      });
      if (found == last)
        return fail("a receive of any source or tag for which no message is left",
                    fmt::format("rank {}", rank), "the schedule is incomplete");
      join(*found, receive);
    }
    for (auto s = first; s != last; ++s)
      if (ops[s->op].partner == no_op)
        return fail("a send without its receive",
                    fmt::format("rank {} to rank {}, tag {}", s->from, rank, s->tag),
                    "the schedule is incomplete");
  }
  return {};
}

Result<Schedule> Builder::finish() {
  if (ranks_ == 0) return fail("a schedule without ranks");
  while (out_->first_op.size() < ranks_) begin_rank();
  end_rank();
  if (cyclic_rank_ != no_op)
    return fail("operations that wait for each other",
                fmt::format("rank {}, operation {}", cyclic_rank_, cyclic_op_ + 1), "mend the schedule");
  // the halves of 2^32 that are left tell numbers of operations from flags
  if (out_->ops.size() >= on_start || out_->successors.size() >= no_op)
    return fail("more operations than a schedule can number", fmt::format("{} operations", out_->ops.size()),
                "take a part of it");
  out_->first_op.push_back(out_->ops.size());
  WW_CHECK(bind());
  Op end;
  end.first_successor = static_cast<std::uint32_t>(out_->successors.size());
  out_->ops.push_back(end);
  tags_ = {};
  if (in_order_) out_->order = {};
  Schedule schedule;
  schedule.ops = out_->ops;
  schedule.first_op = out_->first_op;
  schedule.successors = out_->successors;
  schedule.order = out_->order;
  schedule.cpus = cpus_;
  schedule.nics = nics_;
  schedule.messages = messages_;
  schedule.wildcards = wildcards_;
  schedule.longest_ns = longest_ns_;
  schedule.largest_bytes = largest_bytes_;
  schedule.calls = std::move(calls_);
  schedule.keeps = out_;
  return schedule;
}

}  // namespace ww::schedule
