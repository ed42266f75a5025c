#include "simulate/events/graph_player.hpp"

#include <algorithm>
#include <utility>

#include "simulate/schedule/stuck.hpp"

namespace ww::simulate {

GraphPlayer::GraphPlayer(const Graph& graph, const ReplayCosts& costs, double compute_factor,
                         std::vector<RankState>& ranks, std::vector<MessageState>& messages,
                         Transfers& transfers)
    : schedule_(graph.schedule),
      graph_(graph),
      costs_(costs),
      compute_factor_(compute_factor),
      ranks_(ranks),
      messages_(messages),
      transfers_(transfers),
      processors_(ranks.size()),
      waits_for_(schedule_.size()),
      done_(schedule_.size()),
      received_(schedule_.size(), none) {
  for (std::size_t op = 0; op < waits_for_.size(); ++op) waits_for_[op] = schedule_.ops[op].predecessors;
  // of the end of any operation somebody wants to know
  for (MessageState& message : messages_) message.waited[0] = message.waited[1] = true;
}

void GraphPlayer::begin(std::uint32_t number) {
  const std::uint64_t first = schedule_.first_op[number], last = schedule_.first_op[number + 1];
  processors_[number].begun = true;
  processors_[number].left = last - first;
  transfers_.enter_library(ranks_[number]);
  ranks_[number].ended = first == last;
  // what becomes ready by one of these waits behind all of them
  std::vector<std::uint32_t> free;
  for (std::uint64_t op = first; op < last; ++op)
    if (schedule_.ops[op].predecessors == 0) free.push_back(static_cast<std::uint32_t>(op));
  std::stable_sort(free.begin(), free.end(), [&](std::uint32_t a, std::uint32_t b) {
    return schedule_.ops[a].kind < schedule_.ops[b].kind;
  });
  for (const std::uint32_t op : free) make_ready(number, op, ranks_[number].now_s);
}

void GraphPlayer::make_ready(std::uint32_t number, std::uint32_t op, double now_s) {
  Processor& processor = processors_[number];
  if (schedule_.ops[op].kind != schedule::GoalKind::receive) {
    processor.ready.push_back({op, Work::operate});
    return;
  }
  const std::uint32_t message = graph_.message_of[op];
  read_for(number, op);
  if (costs_.of(message).accept_s > 0) processor.ready.push_back({op, Work::accept});
  transfers_.post_receive(message, now_s);
  if (messages_[message].complete[0]) processor.ready.push_back({op, Work::unformat});
  free_successors(number, op, true, now_s);
}

void GraphPlayer::free_successors(std::uint32_t number, std::uint32_t op, bool on_start, double now_s) {
  const auto base = static_cast<std::uint32_t>(schedule_.first_op[number]);
  for (std::uint32_t i = schedule_.ops[op].first_successor; i < schedule_.ops[op + 1].first_successor; ++i) {
    const std::uint32_t successor = schedule_.successors[i];
    if (((successor & schedule::on_start) != 0) != on_start) continue;
    const std::uint32_t freed = base + (successor & ~schedule::on_start);
    if (!on_start && schedule_.ops[op].kind == schedule::GoalKind::receive)
      received_[freed] = graph_.message_of[op];
    if (--waits_for_[freed] == 0) make_ready(number, freed, now_s);
  }
}

// A program of calls waits for what it received before it goes on, and reads what else has come.
void GraphPlayer::read_for(std::uint32_t number, std::uint32_t op) {
  if (received_[op] != none && messages_[received_[op]].unread) transfers_.look(ranks_[number]);
}

void GraphPlayer::finish(std::uint32_t number, std::uint32_t op, double now_s) {
  done_[op] = true;
  free_successors(number, op, false, now_s);
  ranks_[number].ended = --processors_[number].left == 0;
}

// The next thing, if nothing is being done.
void GraphPlayer::serve(std::uint32_t number) {
  Processor& processor = processors_[number];
  RankState& rank = ranks_[number];
  if (processor.serving.op != schedule::no_op) return;
  if (processor.ready.empty()) {
    rank.taken_s = 0;  // an idle processor has time for interrupts
    if (!rank.blocked && !rank.ended) {
      rank.blocked = true;
      rank.blocked_since_s = rank.now_s;
      transfers_.look(rank);
    }
    return;
  }
  processor.serving = processor.ready.front();
  processor.ready.pop_front();
  start(number, processor.serving);
  transfers_.resume_at(static_cast<std::int32_t>(number), rank.now_s);
}

void GraphPlayer::start(std::uint32_t number, const Item& item) {
  RankState& rank = ranks_[number];
  const schedule::Op& op = schedule_.ops[item.op];
  rank.entered_s = rank.now_s;
  if (item.work != Work::operate) {
    const MessageCost& cost = costs_.of(graph_.message_of[item.op]);
    transfers_.spend_library(rank, item.work == Work::accept ? cost.accept_s : cost.unformat_s);
    return;
  }
  const double started_s = rank.now_s;
  read_for(number, item.op);
  if (op.kind == schedule::GoalKind::compute) {
    const double seconds = static_cast<double>(op.amount) * 1e-9 / compute_factor_;
    rank.inside = false;
    rank.compute_s += seconds;
    rank.now_s += seconds;
  } else {
    transfers_.dispatch_send(rank, graph_.message_of[item.op]);
  }
  if (op.starts_others) free_successors(number, item.op, true, started_s);
}

void GraphPlayer::end(std::uint32_t number, const Item& item) {
  RankState& rank = ranks_[number];
  if (item.work == Work::accept) return;
  if (schedule_.ops[item.op].kind == schedule::GoalKind::send) {
    transfers_.begin_send(graph_.message_of[item.op], rank.now_s);
    return;
  }
  if (item.work == Work::operate) transfers_.enter_library(rank);
  finish(number, item.op, rank.now_s);
}

void GraphPlayer::resume(std::int32_t rank, double now_s) {
  const auto number = static_cast<std::uint32_t>(rank);
  ranks_[number].now_s = now_s;
  Processor& processor = processors_[number];
  if (!processor.begun) {
    begin(number);
  } else {
    end(number, std::exchange(processor.serving, Item{}));
  }
  serve(number);
}

void GraphPlayer::completed(EndNumber end, double now_s) {
  const std::uint32_t message = message_of(end);
  const std::uint32_t send = graph_.send_of[message];
  const bool sent = is_send_end(end);
  const std::uint32_t op = sent ? send : schedule_.ops[send].partner;
  // an arrival before its receive is seen when that is posted
  if (!sent && !messages_[message].posted) return;
  const std::uint32_t number =
      sent ? schedule_.ops[schedule_.ops[op].partner].peer : schedule_.ops[send].peer;
  RankState& rank = ranks_[number];
  if (rank.blocked) transfers_.unblock(rank, now_s, end);
  if (sent) {
    finish(number, op, now_s);
  } else {
    processors_[number].ready.push_back({op, Work::unformat});
  }
  serve(number);
}

Error GraphPlayer::why_stuck() const {
  return schedule::deadlock(schedule_, [&](std::uint64_t op) { return done_[op]; }).value();
}

}  // namespace ww::simulate
