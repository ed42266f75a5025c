#include "simulate/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ww::simulate {
namespace {

using schedule::Builder;

// One rank after the other; what the next operation waits for is kept until it comes.
class Lowering {
 public:
  explicit Lowering(const Program& program)
      : program_(program), builder_(static_cast<std::uint32_t>(program.ranks.size())) {
    for (const std::string& region : program.regions) calls_.push_back(builder_.call(region));
    members_.resize(program.syncs.size());
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
      const RankProgram& operations = program.ranks[rank];
      for (std::size_t i = 0; i < operations.size(); ++i)
        if (operations.kind[i] == OpKind::sync_begin)
          members_[operations.argument[i]].push_back(static_cast<std::uint32_t>(rank));
    }
  }

  Result<Lowered> lower() {
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank)
      lower_rank(static_cast<std::uint32_t>(rank));
    Lowered out;
    WW_TRY(out.schedule, builder_.finish());
    auto& said = out.assumptions = program_.assumptions;
    said.emplace_back(
        "every message costs what LogGOPS says, within a host too, but one of a rank to itself costs "
        "nothing; "
        "the arithmetic of reductions is left out, and no software is calibrated");
    if (!members_.empty())
      said.push_back(fmt::format(
          "{} collectives without a known algorithm are rounds of messages without bytes to ranks 1, 2, 4, "
          "... further on, and then take as long as recorded after their last member's entry",
          members_.size()));
    return out;
  }

 private:
  struct Before {
    std::uint32_t op;
    bool only_started;
  };

  void lower_rank(std::uint32_t number) {
    const RankProgram& rank = program_.ranks[number];
    builder_.begin_rank();
    before_.clear();
    call_ = 0;
    compute(rank.begin_s);
    for (std::size_t i = 0; i < rank.size(); ++i) {
      const std::uint32_t argument = rank.argument[i];
      switch (rank.kind[i]) {
        case OpKind::compute:
        case OpKind::library:
          compute(rank.seconds[argument]);
          break;
        case OpKind::enter:
          call_ = argument < calls_.size() ? calls_[argument] : 0;
          break;
        case OpKind::leave:
          call_ = 0;
          break;
        case OpKind::send:
          if (const ProgramMessage& m = program_.messages[argument]; m.source != m.destination)
            begun(sends_[argument] =
                      builder_.send(static_cast<std::uint32_t>(m.destination), m.bytes, argument, call_));
          break;
        case OpKind::receive:
          if (const ProgramMessage& m = program_.messages[argument]; m.source != m.destination)
            receives_[argument] = post(static_cast<std::uint32_t>(m.source), m.bytes, argument);
          break;
        case OpKind::wait:
          for (std::uint32_t g = rank.group_first[argument]; g < rank.group_first[argument + 1]; ++g)
            wait_for(rank.group_end[g]);
          break;
        case OpKind::sync_begin:
          break;
        case OpKind::sync_end:
          synchronise(number, argument);
          break;
      }
    }
  }

  void wait_for(EndNumber end) {
    const ProgramMessage& m = program_.messages[message_of(end)];
    if (m.source == m.destination) return;
    const auto& begun = is_send_end(end) ? sends_ : receives_;
    before_.push_back({begun[message_of(end)], false});
  }

  void follow(std::uint32_t op) {
    for (const Before& before : before_) builder_.require(op, before.op, before.only_started);
    before_.clear();
  }

  // Of the program's own, or so long in a call: done before what comes next.
  void compute(double seconds) {
    if (seconds <= 0) return;
    const std::uint32_t op = builder_.compute(static_cast<std::uint64_t>(std::llround(seconds * 1e9)), call_);
    follow(op);
    before_.push_back({op, false});
  }

  // Takes no time: what comes next waits for the same, and not for the receive, or evaluators that serve
  // operations in an order would do that one first.
  std::uint32_t post(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag) {
    if (before_.size() > 1) {  // else every receive behind a long wait has as many edges
      const std::uint32_t joint = builder_.compute(0, call_);
      follow(joint);
      before_.push_back({joint, false});
    }
    const std::uint32_t op = builder_.receive(from, bytes, tag, call_);
    for (const Before& before : before_) builder_.require(op, before.op, before.only_started);
    return op;
  }

  void begun(std::uint32_t op) {
    follow(op);
    before_.push_back({op, true});
  }

  // A message without bytes to the members 1, 2, 4, ... further on, and one from those so far before.
  void synchronise(std::uint32_t number, std::uint32_t sync) {
    const std::vector<std::uint32_t>& members = members_[sync];
    const auto me =
        static_cast<std::size_t>(std::find(members.begin(), members.end(), number) - members.begin());
    const std::size_t count = members.size();
    // tags above those of messages, and the same for the rounds of all: a pair's come in their order
    const auto tag = static_cast<std::uint32_t>(program_.messages.size()) + sync;
    for (std::size_t distance = 1; distance < count; distance *= 2) {
      begun(builder_.send(members[(me + distance) % count], 0, tag, call_));
      const std::uint32_t receive = post(members[(me + count - distance) % count], 0, tag);
      before_.push_back({receive, false});
    }
    compute(program_.syncs[sync].seconds);
  }

  const Program& program_;
  Builder builder_;
  std::vector<std::uint32_t> calls_;                 // by region
  std::vector<std::vector<std::uint32_t>> members_;  // by sync
  std::vector<std::uint32_t> sends_ = std::vector<std::uint32_t>(program_.messages.size());
  std::vector<std::uint32_t> receives_ = sends_;  // by message: the operation in its rank
  std::vector<Before> before_;
  std::uint32_t call_ = 0;
};

}  // namespace

Program program_of(schedule::Schedule given, const std::string& source) {
  auto graph = std::make_shared<Graph>();
  graph->schedule = std::move(given);
  const schedule::Schedule& schedule = graph->schedule;
  Program program;
  program.recorded.source = source;
  program.recorded.events = schedule.events();
  program.recorded.network = schedule.ranks() > 1 ? Place::inter : Place::intra;
  program.regions = schedule.calls;
  graph->message_of.assign(schedule.size(), schedule::no_op);
  graph->send_of.reserve(schedule.messages);
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    program.hosts.push_back(fmt::format("node {}", rank));
    program.ranks.emplace_back().host = static_cast<std::int32_t>(rank);
    for (std::uint64_t op = schedule.first_op[rank]; op < schedule.first_op[rank + 1]; ++op) {
      const schedule::Op& send = schedule.ops[op];
      if (send.kind != schedule::GoalKind::send) continue;
      graph->message_of[op] = graph->message_of[send.partner] =
          static_cast<std::uint32_t>(program.messages.size());
      graph->send_of.push_back(static_cast<std::uint32_t>(op));
      program.messages.push_back({.source = static_cast<std::int32_t>(rank),
                                  .destination = static_cast<std::int32_t>(send.peer),
                                  .bytes = send.amount});
    }
  }
  program.assumptions.emplace_back(
      "every rank of the schedule has a host and a processor of its own, which does one thing at a time, "
      "what "
      "became ready first before the rest; a message comes in while it computes and is taken after that");
  if (schedule.wildcards > 0)
    program.assumptions.push_back(fmt::format(
        "{} receives of any source or tag take the first message left over, by rank", schedule.wildcards));
  program.graph = std::move(graph);
  return program;
}

Result<Lowered> schedule_of(const Program& program) {
  if (program.graph) return Lowered{program.graph->schedule, {}};
  return Lowering(program).lower();
}

}  // namespace ww::simulate
