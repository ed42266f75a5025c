#include "simulate/events/unhindered.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "simulate/cooling.hpp"
#include "simulate/events/cooled.hpp"
#include "simulate/events/outcome.hpp"
#include "simulate/events/spare_states.hpp"
#include "simulate/events/state.hpp"
#include "simulate/events/syncs.hpp"
#include "simulate/networks/kinds.hpp"

namespace ww::simulate {
namespace {

// Of how many operations one asks whether the replay is still wanted.
constexpr std::uint64_t operations_between_looks = 65536;

bool is_ideal(const SimulateOptions& options) {
  return options.network && options.network->name == std::string_view(ideal_kind.name);
}

// One that is on its way, or not sent yet.
struct Passing {
  static constexpr double not_sent = -1;
  static constexpr std::int32_t nobody = -1;
  double there_s = not_sent;
  double send_s = 0;             // when the call that sent it was entered
  std::int32_t waiter = nobody;  // a rank that can go on only when it is known when it is there
};

class Unhindered {
 public:
  Unhindered(const Program& program, const ReplayCosts& costs, const SimulateOptions& options,
             RunNotes* notes)
      : program_(program),
        costs_(costs),
        options_(options),
        one_host_(program.hosts.size() == 1),
        notes_(notes),
        ranks_(program.ranks.size()),
        messages_(Spare<Passing>::take(program.messages.size())),
        syncs_(program, costs) {}
  ~Unhindered() { Spare<Passing>::give(std::move(messages_)); }
  Unhindered(const Unhindered&) = delete;
  Unhindered& operator=(const Unhindered&) = delete;

  Result<std::optional<Simulated>> play() {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t rank = ranks_.size(); rank-- > 0;) {
      ranks_[rank].now_s = costs_.begin_s(rank);
      ready_.push_back(static_cast<std::int32_t>(rank));
    }
    while (!ready_.empty()) {
      const std::int32_t number = ready_.back();
      ready_.pop_back();
      run(number);
      if (is_cancelled_) return cancelled();
    }
    if (!std::all_of(ranks_.begin(), ranks_.end(), [](const RankState& rank) { return rank.ended; }))
      return std::optional<Simulated>();
    Simulated out = outcome_of(ranks_, costs_);
    out.events = handled_;
    out.evaluate_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::optional(std::move(out));
  }

 private:
  // Until it waits for what is not known yet, or has ended.
  void run(std::int32_t number) {
    RankState& rank = ranks_[static_cast<std::size_t>(number)];
    const RankProgram& program = program_.ranks[static_cast<std::size_t>(number)];
    const OpKind* const kinds = program.kind.data();
    const std::uint32_t* const arguments = program.argument.data();
    const std::size_t from = rank.next, size = program.size();
    std::size_t next = from;
    for (; next < size; ++next) {
      if (next % operations_between_looks == 0 && is_unwanted()) break;
      const std::uint32_t argument = arguments[next];
      switch (kinds[next]) {
        case OpKind::compute:
          compute(rank, program.seconds[argument], number);
          continue;
        case OpKind::library:
          spend_library(rank, program.seconds[argument]);
          continue;
        case OpKind::enter:
          if (notes_ != nullptr) notes_->call_begins(number, argument, rank.now_s);
          rank.entered_s = rank.now_s;
          if (!rank.begun.empty()) progress_syncs(rank);
          continue;
        case OpKind::leave:
          if (notes_ != nullptr) notes_->call_ends(number, rank.now_s);
          continue;
        case OpKind::send:
          send(rank, argument);
          continue;
        case OpKind::receive:
          spend_library(rank, costs_.of(argument).accept_s);
          continue;
        case OpKind::sync_begin:
          begin_sync(rank, argument, number);
          continue;
        case OpKind::wait:
          if (wait(rank, program, argument, number)) continue;
          break;
        case OpKind::sync_end:
          if (end_sync(rank, argument, number)) continue;
          break;
      }
      break;  // it has to wait for what is not known yet; the operation is tried again
    }
    rank.next = next;
    handled_ += next - from;
    if (next < size) return;
    progress_syncs(rank);
    rank.ended = true;
  }

  bool is_unwanted() {
    is_cancelled_ = options_.cancellation != nullptr && options_.cancellation->requested();
    return is_cancelled_;
  }

  void compute(RankState& rank, double recorded_s, std::int32_t number) {
    double seconds = recorded_s / options_.compute_factor;
    if (options_.cooling != nullptr) seconds *= cooled(rank, number, seconds, *options_.cooling);
    rank.compute_s += seconds;
    rank.now_s += seconds;
  }

  static void spend_library(RankState& rank, double seconds) {
    rank.library_s += seconds;
    rank.now_s += seconds;
  }

  void send(RankState& rank, std::uint32_t message) {
    const MessageCost& cost = costs_.of(message);
    const ProgramMessage& m = program_.messages[message];
    messages_[message].send_s = rank.entered_s;
    const double kept = costs_.kept_share(message), seconds = cost.send_s * kept;
    if (!m.inside_collective) rank.send_s += seconds;
    spend_library(rank, seconds);
    ++rank.messages_sent;
    rank.bytes_sent += m.bytes;
    double left_s = rank.now_s, there_s = rank.now_s;
    if (cost.protocol != Protocol::itself) {
      rank.departed_s = std::max(rank.departed_s, rank.now_s + cost.send_s * (1 - kept));
      const double departs_s = std::max(rank.departed_s, rank.now_s);
      there_s = cost.ports ? departs_s + cost.port_s + cost.head_s : departs_s + cost.head_s + cost.port_s;
      left_s = cost.ports ? departs_s + cost.port_s : there_s;
      if (cost.ports || one_host_) {
        const double took_s = there_s - departs_s;
        rank.network_s += took_s;
        rank.queued_s += std::max(0.0, took_s - cost.head_s - cost.port_s);
      }
    }
    if (notes_ != nullptr) {
      notes_->message(MessageEvent::left, message, left_s);
      notes_->message(MessageEvent::arrived, message, there_s);
    }
    Passing& passing = messages_[message];
    passing.there_s = there_s;
    if (passing.waiter == Passing::nobody) return;
    if (--ranks_[static_cast<std::size_t>(passing.waiter)].pending == 0) ready_.push_back(passing.waiter);
  }

  bool wait(RankState& rank, const RankProgram& program, std::uint32_t group, std::int32_t number) {
    const EndNumber* const first = program.group_end.data() + program.group_first[group];
    const EndNumber* const last = program.group_end.data() + program.group_first[group + 1];
    for (const EndNumber* end = first; end != last; ++end) {
      if (is_send_end(*end)) continue;  // of a small message it is complete as soon as it was sent
      Passing& passing = messages_[message_of(*end)];
      if (passing.there_s != Passing::not_sent) continue;
      passing.waiter = number;
      ++rank.pending;
    }
    if (rank.pending > 0) return false;
    const double begun_s = rank.now_s;
    late_.clear();
    for (const EndNumber* end = first; end != last; ++end) {
      if (is_send_end(*end)) continue;
      const std::uint32_t message = message_of(*end);
      if (messages_[message].there_s <= begun_s)
        spend_library(rank, costs_.of(message).unformat_s);
      else
        late_.emplace_back(messages_[message].there_s, message);
    }
    if (late_.size() > 1) std::sort(late_.begin(), late_.end());
    for (const auto& [there_s, message] : late_) {
      if (there_s > rank.now_s)
        block(rank, there_s, messages_[message].send_s, program_.messages[message].source, message, number);
      spend_library(rank, costs_.of(message).unformat_s);
    }
    return true;
  }

  // partner_s: when the other side began its part.
  void block(RankState& rank, double until_s, double partner_s, std::int32_t by, std::uint32_t message,
             std::int32_t number) {
    const double since_s = rank.now_s;
    const double algorithmic_s = std::clamp(partner_s - since_s, 0.0, until_s - since_s);
    rank.algorithmic_s += algorithmic_s;
    rank.service_s += until_s - since_s - algorithmic_s;
    if (notes_ != nullptr) notes_->blocked({number, since_s, until_s, since_s + algorithmic_s, by, message});
    rank.now_s = until_s;
  }

  void begin_sync(RankState& rank, std::uint32_t sync, std::int32_t number) {
    syncs_.enter(sync, number, rank.entered_s);
    if (syncs_.goes_on(sync)) rank.begun.push_back(sync);
    release(sync);
  }

  void progress_syncs(RankState& rank) {
    for (const std::uint32_t sync : std::exchange(rank.begun, {})) {
      syncs_.inside_again(sync, rank.now_s);
      release(sync);
    }
  }

  void release(std::uint32_t sync) {
    const std::vector<std::int32_t> released = syncs_.released(sync);
    ready_.insert(ready_.end(), released.begin(), released.end());
  }

  bool end_sync(RankState& rank, std::uint32_t sync, std::int32_t number) {
    progress_syncs(rank);
    if (!syncs_.end_is_known(sync)) {
      syncs_.await(sync, number);
      return false;
    }
    if (const double over_s = syncs_.end_s(sync); over_s > rank.now_s)
      block(rank, over_s, syncs_.last_s(sync), syncs_.last_rank(sync), Blocked::no_message, number);
    return true;
  }

  const Program& program_;
  const ReplayCosts& costs_;
  const SimulateOptions& options_;
  const bool one_host_;
  RunNotes* notes_;
  std::vector<RankState> ranks_;
  std::vector<Passing> messages_;
  Syncs syncs_;
  std::vector<std::int32_t> ready_;                     // ranks that can go on
  std::vector<std::pair<double, std::uint32_t>> late_;  // of the wait that is being done: when they are there
  bool is_cancelled_ = false;
  std::uint64_t handled_ = 0;  // operations
};

// A network that carries nothing is asked what it takes for granted.
class Deaf final : public Listener {
  void left(std::uint32_t, double) override {}
  void arrived(std::uint32_t, double) override {}
  void request_comes(std::uint32_t, double) override {}
  void interrupted(std::int32_t, double) override {}
  bool is_waiting(std::int32_t) const override { return false; }
};

}  // namespace

bool goes_unhindered(const Program& program, const ReplayCosts& costs, const SimulateOptions& options) {
  return !program.graph && !costs.shakes_hands() && (!costs.uses_ports() || is_ideal(options));
}

Result<std::optional<Simulated>> play_unhindered(const Program& program, const ReplayCosts& costs,
                                                 const SimulateOptions& options, RunNotes* notes) {
  EventQueue none_come;
  Deaf deaf;
  WW_TRY(const std::unique_ptr<Network> network, make_network({program, costs, options, none_come, deaf}));
  WW_TRY(std::optional<Simulated> played, Unhindered(program, costs, options, notes).play());
  if (played) played->network = told_by(*network, options.network ? options.network->name : "ports");
  return played;
}

}  // namespace ww::simulate
