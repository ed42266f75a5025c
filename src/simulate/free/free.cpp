#include "simulate/free/free.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "simulate/schedule/frozen.hpp"

namespace ww::simulate {
namespace {

constexpr std::uint32_t nothing = 0xffffffffu;
constexpr Picoseconds latest = Picoseconds{1} << 62;

Picoseconds picoseconds(double s) {
  const double time = s * picoseconds_per_s;
  return time < static_cast<double>(latest) ? static_cast<Picoseconds>(std::llround(time)) : latest;
}

// A time with what is in it, and the last step of the chain that led to it.
struct Value {
  Picoseconds at = 0;
  schedule::Parameters slopes;
  std::uint32_t step = nothing;
};

const Value& later(const Value& a, const Value& b) {
  return b.at > a.at ? b : a;
}

enum class Kind : std::uint8_t { compute, call, under_way };
struct Step {
  std::uint32_t before = nothing;
  std::int32_t rank = 0;
  std::uint32_t region = 0, message = nothing;
  Kind kind = Kind::compute;
  Picoseconds took = 0;
};

struct MessageTimes {
  Value sent;                 // eager: its head at the receiver; large: its request there; then its head
  std::optional<Value> left;  // large: its data have left
  Value posted;
  bool begun = false, is_posted = false, granted = false;
};

struct RankTimes {
  Value now;
  std::size_t next = 0;
  std::uint32_t region = 0;
  Value entered;
  Value port;                         // of what it has sent
  std::uint32_t waits_for = nothing;  // the message that its wait lacks
  std::uint32_t known = 0;            // of the wait's ends, from the first on
  std::vector<std::uint32_t> begun;   // syncs that go on when the rank is inside the library again
};

struct SyncTimes {
  std::uint32_t entered = 0;
  Value last;
  std::uint32_t inside_again = 0;
  Value inside;  // the last of the members again
  std::vector<std::uint32_t> waiting;
};

// Where a replay is observed: when the calls were entered that began the two ends of a message.
struct Begun {
  Picoseconds send = 0, receive = 0;
};

template <bool observed>
class Replay {
 public:
  Replay(const Program& program, const ReplayCosts& costs, const FreeOptions& options)
      : program_(program),
        costs_(costs),
        options_(options),
        ranks_(program.ranks.size()),
        messages_(program.messages.size()),
        syncs_(program.syncs.size()),
        begun_(observed ? program.messages.size() : 0),
        last_entered_(observed ? program.syncs.size() : 0) {}

  Result<FreeRun> run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].now.at = picoseconds(program_.ranks[rank].begin_s);
      add(ranks_[rank].now, ranks_[rank].now.at, static_cast<std::int32_t>(rank), Kind::compute, true);
    }
    WW_CHECK(ranks_.run([&](std::uint32_t rank) { go_on(static_cast<std::int32_t>(rank)); },
                        options_.cancellation));
    FreeRun out;
    const Value* last = nullptr;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].next < program_.ranks[rank].size())
        return fail("the replay without contention cannot go on",
                    fmt::format("rank {} in {}", rank, program_.regions[ranks_[rank].region]),
                    "the trace lacks messages or was cut; record the program again");
      if (last == nullptr || ranks_[rank].now.at > last->at) last = &ranks_[rank].now;
    }
    if (last == nullptr) return out;
    if (last->at >= latest)
      return fail("a run that is longer than can be counted",
                  fmt::format("{} s", static_cast<double>(last->at) / picoseconds_per_s));
    out.finish = last->at;
    out.slopes = last->slopes;
    if (options_.blame) out.blame = blame_of(*last);
    return out;
  }

 private:
  static double seconds(Picoseconds time) { return static_cast<double>(time) / picoseconds_per_s; }

  void tell(MessageEvent what, std::uint32_t message, Picoseconds at) {
    if constexpr (observed) options_.observer->message(what, message, seconds(at));
  }

  // The rank was blocked until `to` for so long; by the other end of a message, or by who entered a sync last.
  void tell_blocked(std::int32_t rank, Picoseconds blocked, Picoseconds to, Picoseconds begun,
                    std::int32_t by, std::uint32_t message) {
    if (blocked <= 0) return;
    options_.observer->blocked({rank, seconds(to - blocked), seconds(to),
                                seconds(std::clamp(begun, to - blocked, to)), by, message});
  }

  RankTimes& rank_of(std::int32_t number) { return ranks_[static_cast<std::size_t>(number)]; }

  void wake(std::int32_t rank, std::uint32_t message) {
    ranks_.wake(static_cast<std::uint32_t>(rank), message);
  }

  // Notes a step of `took` that ends at `value` (which has it already, if `counted`).
  void add(Value& value, Picoseconds took, std::int32_t rank, Kind kind, bool counted = false,
           std::uint32_t message = nothing) {
    if (!counted)
      value.at = took < latest - value.at ? value.at + took : latest;  // which is an error at the end
    if (!options_.blame || took == 0) return;
    steps_.push_back({value.step, rank, rank_of(rank).region, message, kind, took});
    value.step = static_cast<std::uint32_t>(steps_.size() - 1);
  }

  bool meant(const ProgramMessage& message) const {
    if (message.source == message.destination) return false;
    const bool between = program_.ranks[static_cast<std::size_t>(message.source)].host !=
                         program_.ranks[static_cast<std::size_t>(message.destination)].host;
    return between == (options_.network == Place::inter);
  }

  std::int64_t wire_bytes(std::uint32_t message) const {
    const MessageCost& cost = costs_.of(message);
    const double each_s = costs_.wire().seconds_per_byte;
    return cost.ports && each_s > 0 ? std::llround(cost.port_s / each_s)
                                    : static_cast<std::int64_t>(program_.messages[message].bytes);
  }

  void cross(Value& value, std::uint32_t message, Picoseconds took) {
    const ProgramMessage& m = program_.messages[message];
    if (meant(m)) {
      took += options_.change.latency;
      if (took >= 0) ++value.slopes.latency;
    }
    add(value, std::max<Picoseconds>(0, took), m.source, Kind::under_way, false, message);
  }

  void occupy(Value& value, std::uint32_t message, std::int32_t rank, double share = 1) {
    const ProgramMessage& m = program_.messages[message];
    Picoseconds took = picoseconds(costs_.of(message).port_s * share);
    if (meant(m)) {
      const std::int64_t bytes = std::llround(static_cast<double>(wire_bytes(message)) * share);
      Picoseconds more = 0;
      if (__builtin_mul_overflow(bytes, options_.change.per_byte, &more)) more = latest;
      took = more < latest - took ? took + more : latest;
      if (took >= 0) value.slopes.per_byte += bytes;
    }
    add(value, std::max<Picoseconds>(0, took), rank, Kind::under_way, false, message);
  }

  void go_on(std::int32_t number) {
    RankTimes& rank = rank_of(number);
    const RankProgram& program = program_.ranks[static_cast<std::size_t>(number)];
    for (; rank.next < program.size(); ++rank.next)
      if (!step(rank, program, number)) return;
    progress_syncs(rank);
  }

  // False: it needs what is not known yet, and is tried again when that may be.
  bool step(RankTimes& rank, const RankProgram& program, std::int32_t number) {
    const std::uint32_t argument = program.argument[rank.next];
    switch (program.kind[rank.next]) {
      case OpKind::compute:
        add(rank.now, picoseconds(program.seconds[argument] / options_.compute_factor), number,
            Kind::compute);
        return true;
      case OpKind::library:
        add(rank.now, picoseconds(program.seconds[argument]), number, Kind::call);
        return true;
      case OpKind::enter:
        rank.region = argument;
        rank.entered = rank.now;
        progress_syncs(rank);
        if constexpr (observed) options_.observer->call_begins(number, argument, seconds(rank.now.at));
        return true;
      case OpKind::leave:
        if constexpr (observed) options_.observer->call_ends(number, seconds(rank.now.at));
        return true;
      case OpKind::send:
        send(rank, argument, number);
        return true;
      case OpKind::receive: {
        MessageTimes& times = messages_[argument];
        times.posted = rank.now;
        times.is_posted = true;
        if constexpr (observed) begun_[argument].receive = rank.entered.at;
        add(rank.now, picoseconds(costs_.of(argument).accept_s), number, Kind::call);
        grant(argument);
        return true;
      }
      case OpKind::wait:
        return wait(rank, program, argument, number);
      case OpKind::sync_begin:
        enter_sync(rank, argument, number);
        return true;
      case OpKind::sync_end: {
        SyncTimes& sync = syncs_[argument];
        const SyncTime& time = costs_.sync(argument);
        progress_syncs(rank);
        if (!end_is_known(argument)) {
          sync.waiting.push_back(static_cast<std::uint32_t>(number));
          return false;
        }
        Value over = sync.last;
        add(over, picoseconds(time.seconds), number, Kind::under_way);
        if (time.rest_s > 0) {
          Value rest = sync.inside;
          add(rest, picoseconds(time.rest_s), number, Kind::under_way);
          over = later(over, rest);
        }
        if constexpr (observed)
          tell_blocked(number, over.at - rank.now.at, over.at, sync.last.at, last_entered_[argument],
                       Blocked::no_message);
        rank.now = later(rank.now, over);
        return true;
      }
    }
    return true;
  }

  void enter_sync(RankTimes& rank, std::uint32_t number, [[maybe_unused]] std::int32_t who) {
    SyncTimes& sync = syncs_[number];
    if (sync.entered == 0 || rank.entered.at > sync.last.at) {
      sync.last = rank.entered;
      if constexpr (observed) last_entered_[number] = who;
    }
    ++sync.entered;
    if (costs_.sync(number).rest_s > 0) rank.begun.push_back(number);
    release(number);
  }

  void progress_syncs(RankTimes& rank) {
    for (const std::uint32_t number : std::exchange(rank.begun, {})) {
      SyncTimes& sync = syncs_[number];
      if (sync.inside_again++ == 0 || rank.now.at > sync.inside.at) sync.inside = rank.now;
      release(number);
    }
  }

  bool end_is_known(std::uint32_t number) const {
    const std::uint32_t members = program_.syncs[number].members;
    return syncs_[number].entered == members &&
           (costs_.sync(number).rest_s == 0 || syncs_[number].inside_again == members);
  }

  void release(std::uint32_t number) {
    if (!end_is_known(number)) return;
    for (const std::uint32_t waiting : syncs_[number].waiting) ranks_.wake(waiting);
    syncs_[number].waiting.clear();
  }

  void send(RankTimes& rank, std::uint32_t message, std::int32_t number) {
    const MessageCost& cost = costs_.of(message);
    MessageTimes& times = messages_[message];
    const Picoseconds all = picoseconds(cost.send_s);
    Picoseconds software =
        cost.protocol == Protocol::eager ? picoseconds(cost.send_s * costs_.kept_share(message)) : all;
    const Picoseconds behind = std::max<Picoseconds>(0, all - software);
    if (meant(program_.messages[message])) {
      software += options_.change.overhead;
      if (software >= 0) ++rank.now.slopes.overhead;
    }
    add(rank.now, std::max<Picoseconds>(0, software), number, Kind::call, false, message);
    times.begun = true;
    times.sent = rank.now;
    if (behind > 0) add(times.sent, behind, number, Kind::under_way);
    if constexpr (observed) begun_[message].send = rank.entered.at;
    tell(MessageEvent::sent, message, rank.now.at);
    if (cost.protocol == Protocol::itself) {
      tell(MessageEvent::left, message, rank.now.at);
      tell(MessageEvent::arrived, message, rank.now.at);
    }
    if (cost.protocol == Protocol::rendezvous) {
      cross(times.sent, message, picoseconds(cost.control_s));
      grant(message);
      return;
    }
    if (cost.protocol == Protocol::eager) {
      if (cost.ports) {
        times.sent = later(times.sent, rank.port);
        rank.port = times.sent;
        occupy(rank.port, message, number);
        tell(MessageEvent::left, message, rank.port.at);
      }
      cross(times.sent, message, picoseconds(cost.head_s));
    }
    times.granted = true;
    wake(program_.messages[message].destination, message);
    grant(message);
  }

  // Once a message that waits for its receive has begun and the receive is posted. Of a large one the data
  // leave then; a synchronous one is complete.
  void grant(std::uint32_t message) {
    MessageTimes& times = messages_[message];
    const ProgramMessage& m = program_.messages[message];
    const MessageCost& cost = costs_.of(message);
    const bool large = cost.protocol == Protocol::rendezvous;
    if (!times.begun || !times.is_posted || times.left || (!large && !m.synchronous)) return;
    Value there = times.sent;
    if (!large && cost.protocol != Protocol::itself) occupy(there, message, m.source);
    Value reply = later(there, times.posted);
    if (cost.protocol != Protocol::itself) cross(reply, message, picoseconds(cost.control_s));
    if (!large) {
      times.left = reply;
      wake(m.source, message);
      return;
    }
    Value head = reply, left = reply;
    cross(head, message, picoseconds(cost.head_s));
    if (!cost.ports) left = head;  // within a host the data have left when they are there
    occupy(left, message, m.source, 1 - costs_.sent_ahead_share(message));
    times.sent = head;
    times.left = left;
    tell(MessageEvent::left, message, cost.ports ? reply.at + picoseconds(cost.port_s) : left.at);
    times.granted = true;
    wake(m.source, message);
    wake(m.destination, message);
  }

  bool wait(RankTimes& rank, const RankProgram& program, std::uint32_t group, std::int32_t number) {
    const std::uint32_t first = program.group_first[group], last = program.group_first[group + 1];
    for (; first + rank.known < last; ++rank.known) {
      const EndNumber end = program.group_end[first + rank.known];
      const std::uint32_t message = message_of(end);
      if (is_send_end(end) ? has_left(message) : messages_[message].granted) continue;
      rank.waits_for = message;
      return false;
    }
    rank.known = 0;
    // Whatever the order in which a rank works on what has come, it is busy with all of it, and with each
    // only once it is there.
    Value worked = rank.now;
    Value last_there = rank.now;
    [[maybe_unused]] EndNumber last_end = 0;
    for (std::uint32_t i = first; i < last; ++i) {
      const EndNumber end = program.group_end[i];
      const std::uint32_t message = message_of(end);
      if (is_send_end(end)) {
        if (messages_[message].left) {
          if (messages_[message].left->at > last_there.at) last_end = end;
          last_there = later(last_there, *messages_[message].left);
        }
        continue;
      }
      const MessageCost& cost = costs_.of(message);
      Value there = messages_[message].sent;
      if (cost.protocol != Protocol::itself) {
        occupy(there, message, number);
        if (cost.protocol == Protocol::eager && !cost.ports) tell(MessageEvent::left, message, there.at);
        tell(MessageEvent::arrived, message, there.at);
      }
      for (Value* value : {&there, &worked})
        add(*value, picoseconds(cost.unformat_s), number, Kind::call, false, message);
      if (there.at > last_there.at) last_end = end;
      last_there = later(last_there, there);
    }
    if constexpr (observed) tell_wait(program, group, number, last_end, last_there.at, worked.at);
    rank.now = later(last_there, worked);
    return true;
  }

  void tell_wait(const RankProgram& program, std::uint32_t group, std::int32_t number, EndNumber last_end,
                 Picoseconds last_there, Picoseconds worked) {
    const std::uint32_t message = message_of(last_end);
    const ProgramMessage& m = program_.messages[message];
    const bool sends = is_send_end(last_end);
    const Picoseconds to = last_there - (sends ? 0 : picoseconds(costs_.of(message).unformat_s));
    tell_blocked(number, last_there - worked, to, sends ? begun_[message].receive : begun_[message].send,
                 sends ? m.destination : m.source, message);
    for (std::uint32_t i = program.group_first[group]; i < program.group_first[group + 1]; ++i)
      if (!is_send_end(program.group_end[i]))
        tell(MessageEvent::received, message_of(program.group_end[i]), std::max(last_there, worked));
  }

  bool has_left(std::uint32_t message) const {
    const MessageTimes& times = messages_[message];
    const bool waits =
        costs_.of(message).protocol == Protocol::rendezvous || program_.messages[message].synchronous;
    return times.begun && (!waits || times.left.has_value());
  }

  schedule::Blame blame_of(const Value& end) const {
    schedule::Blame out;
    out.by_rank.resize(ranks_.size());
    out.by_call.resize(program_.regions.size());
    for (std::uint32_t i = end.step; i != nothing; i = steps_[i].before) {
      const Step& step = steps_[i];
      if (step.kind == Kind::under_way) out.under_way += step.took;
      if (step.kind == Kind::compute) out.compute += step.took;
      if (step.kind != Kind::under_way) out.by_rank[static_cast<std::size_t>(step.rank)] += step.took;
      if (step.kind == Kind::call) out.by_call[step.region] += step.took;
      if (step.message == nothing) continue;
      if (out.messages.empty() || out.messages.back().number != step.message)
        out.messages.push_back({step.message, 0});
      out.messages.back().time += step.took;
    }
    std::stable_sort(out.messages.begin(), out.messages.end(),
                     [](const auto& a, const auto& b) { return a.time > b.time; });
    return out;
  }

  const Program& program_;
  const ReplayCosts& costs_;
  const FreeOptions options_;
  schedule::FrozenOrder<RankTimes> ranks_;
  std::vector<MessageTimes> messages_;
  std::vector<SyncTimes> syncs_;
  std::vector<Begun> begun_;                // where observed
  std::vector<std::int32_t> last_entered_;  // likewise, by sync
  std::vector<Step> steps_;
};

}  // namespace

Result<FreeRun> replay_free(const Program& program, const ReplayCosts& costs, const FreeOptions& options) {
  return options.observer != nullptr ? Replay<true>(program, costs, options).run()
                                     : Replay<false>(program, costs, options).run();
}

schedule::Growing growing(const Program& program, const ReplayCosts& costs, const FreeOptions& options) {
  return [=, &program, &costs](const schedule::Parameters& added, bool) -> Result<schedule::Grown> {
    FreeOptions changed = options;
    changed.change = changed.change + added;
    WW_TRY(const FreeRun run, replay_free(program, costs, changed));
    return schedule::Grown{run.finish, run.slopes};
  };
}

}  // namespace ww::simulate
