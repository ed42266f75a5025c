// Plays a program event by event: each rank runs its operations until it has to wait, and is told when what it waits for is there. What
// networks, reading, acknowledging, syncs and cores do to it stands in their own headers; engine.hpp has the rules of progress.
#pragma once
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "simulate/cooling.hpp"
#include "simulate/events/acknowledgements.hpp"
#include "simulate/events/awake.hpp"
#include "simulate/events/cooled.hpp"
#include "simulate/events/cores_of_hosts.hpp"
#include "simulate/events/event_queue.hpp"
#include "simulate/events/graph_player.hpp"
#include "simulate/events/outcome.hpp"
#include "simulate/events/reading.hpp"
#include "simulate/events/seen.hpp"
#include "simulate/events/sent_ahead.hpp"
#include "simulate/events/spare_states.hpp"
#include "simulate/events/state.hpp"
#include "simulate/events/syncs.hpp"
#include "simulate/networks/registry.hpp"
#include "simulate/observer.hpp"

namespace ww::simulate {

// Of how many events one asks whether the replay is still wanted.
inline constexpr std::uint64_t asks_every = 4096;

struct Nobody {};

// Told: who observes it. What notes a run is told without a virtual call.
template <class Told>
class Engine final : public Listener, public Transfers {
  static constexpr bool observed = !std::is_same_v<Told, Nobody>;

 public:
  Engine(const Program& program, const ReplayCosts& costs, const SimulateOptions& options, Told* observer)
      : program_(program),
        costs_(costs),
        compute_factor_(options.compute_factor),
        cooling_(options.cooling),
        observer_(observer),
        cancellation_(options.cancellation),
        reads_in_order_(options.rules.replies_wait && program.progress == Progress::inside_calls),
        read_together_s_(costs.read_together_s() * (options.rules.reads_apart ? reads_apart_share : 1)),
        events_(options.arbitration == Arbitration::higher_rank),
        ranks_(program.ranks.size()),
        messages_(Spare<MessageState>::take(program.messages.size())),
        cores_(program, options.shared_cores),
        syncs_(program, costs),
        sent_ahead_(program, costs),
        acknowledgements_(program, costs, messages_, events_) {
    if (program.graph)
      graph_.emplace(*program.graph, costs, options.compute_factor, ranks_, messages_, *this);
  }

  ~Engine() override { Spare<MessageState>::give(std::move(messages_)); }
  Engine(const Engine&) = delete;

  // Before play().
  Result<void> join_hosts(const SimulateOptions& options) {
    WW_TRY(network_, make_network({program_, costs_, options, events_, *this}));
    takes_blocks_ = network_->takes_blocks();
    runs_ahead_ =
        !cores_.are_shared() && !takes_blocks_ && !network_->takes_time_of_hosts() && !costs_.shakes_hands();
    network_name_ = options.network ? options.network->name : "ports";
    return {};
  }

  Result<Simulated> play() {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].now_s = costs_.begin_s(rank);
      resume_at(static_cast<std::int32_t>(rank), ranks_[rank].now_s);
    }
    while (!events_.empty()) {
      const Event event = events_.take();
      if (++handled_ % asks_every == 0 && cancellation_ != nullptr && cancellation_->requested())
        return cancelled();
      handle(event);
    }
    for (const RankState& rank : ranks_)
      if (!rank.ended)
        return tl::unexpected(graph_ ? graph_->why_stuck() : why_stuck(program_, ranks_, messages_));
    Simulated out = outcome_of(ranks_, costs_);
    out.events = handled_;
    out.network = told_by(*network_, network_name_);
    out.evaluate_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
  }

  void left(std::uint32_t message, double now_s) override {
    tell(MessageEvent::left, message, now_s);
    const MessageCost& cost = costs_.of(message);
    if (cost.protocol != Protocol::rendezvous) return;
    sent_ahead_.left(message, send_is_done(now_s));
    if (cost.acknowledged)
      acknowledgements_.left(message, now_s);
    else
      complete(send_end(message), now_s);
  }

  void request_comes(std::uint32_t message, double at_s) override {
    if (reads_in_order_) will_come(rank_of(receive_end(message)), at_s, read_together_s_);
  }

  void interrupted(std::int32_t host, double seconds) override {
    RankState* const rank = awake_.of(host, program_, ranks_);
    if (rank == nullptr) return;
    if (rank == running_)
      spend_library(*rank, seconds);
    else
      rank->taken_s += seconds;
  }

  bool is_waiting(std::int32_t rank) const override { return ranks_[static_cast<std::size_t>(rank)].blocked; }
  void arrived(std::uint32_t message, double now_s) override {
    if (acknowledgements_.keeps_waiting(message)) return;
    tell(MessageEvent::arrived, message, now_s);
    if (const MessageCost& cost = costs_.of(message); cost.ports || program_.hosts.size() == 1) {
      const double took_s = now_s - messages_[message].transmitted_s;
      RankState& sender = ranks_[static_cast<std::size_t>(program_.messages[message].source)];
      sender.network_s += took_s;
      sender.queued_s += std::max(0.0, took_s - cost.head_s - cost.port_s);
    }
    MessageState& state = messages_[message];
    const EndNumber end = receive_end(message);
    state.requested = true;
    if (RankState& rank = rank_of(end);
        reads_in_order_ && !program_.messages[message].synchronous && stays_unread(rank, now_s))
      leave_unread(rank, state, end);
    complete(end, now_s);
    progress(end, now_s);
  }

 private:
  void tell(MessageEvent what, std::uint32_t message, double at_s) {
    if constexpr (observed) observer_->message(what, message, at_s);
  }

  std::int32_t number_of(const RankState& rank) const {
    return static_cast<std::int32_t>(&rank - ranks_.data());
  }

  RankState& rank_of(EndNumber end) {
    const ProgramMessage& message = program_.messages[message_of(end)];
    return ranks_[static_cast<std::size_t>(is_send_end(end) ? message.source : message.destination)];
  }
  void resume_at(std::int32_t rank, double time_s) override {
    events_.add(time_s, rank, EventKind::resume, static_cast<std::uint32_t>(rank));
  }

  void resume(std::int32_t number, double now_s) {
    RankState& rank = ranks_[static_cast<std::size_t>(number)];
    if (rank.taken_s > 0) {
      spend_library(rank, std::exchange(rank.taken_s, 0));
      resume_at(number, rank.now_s);
    } else if (graph_) {
      graph_->resume(number, now_s);
    } else {
      running_ = &rank;
      run(number);
      running_ = nullptr;
    }
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case EventKind::resume:
        resume(static_cast<std::int32_t>(event.target), event.time_s);
        break;
      case EventKind::arrives:
        left(event.target, event.time_s);
        arrived(event.target, event.time_s);
        break;
      case EventKind::request:
        requested(event.target, event.time_s);
        break;
      case EventKind::reply:
        messages_[event.target].replied = true;
        progress(send_end(event.target), event.time_s);
        break;
      case EventKind::landed:
        acknowledgements_.landed(event.target, *network_, event.time_s);
        break;
      case EventKind::acknowledged:
        complete(send_end(event.target), event.time_s);
        acknowledgements_.came(event.target, event.time_s);
        break;
      case EventKind::told:
        if (acknowledgements_.told(event.target)) arrived(event.target, event.time_s);
        break;
      case EventKind::departs:
        transmit(event.target, event.time_s);
        break;
      case EventKind::data:
        --ranks_[static_cast<std::size_t>(event.rank)].writing;
        transmit(event.target, event.time_s);
        break;
      case EventKind::head:
      case EventKind::tail:
      case EventKind::port_done:
      case EventKind::network:
        network_->handle(event);
        break;
    }
  }

  void requested(std::uint32_t message, double now_s) {
    MessageState& state = messages_[message];
    state.requested = true;
    const EndNumber end = receive_end(message);
    RankState& rank = rank_of(end);
    if (reads_in_order_ && rank.writing > 0)
      events_.add(rank.writes_until_s, number_of(rank), EventKind::request, message);
    else if (reads_in_order_ && stays_unread(rank, now_s))
      leave_unread(rank, state, end);
    else
      progress(end, now_s);
  }
  void look(RankState& rank) override {
    if (rank.unread.empty()) return;
    for (const EndNumber end : std::exchange(rank.unread, {})) {
      messages_[message_of(end)].unread = false;
      progress(end, rank.now_s);
    }
  }

  // What the library does about a message by itself, as soon as its rank is in one of its calls, or, where it
  // always can or the receiver fetches the data, without that.
  void progress(EndNumber end, double now_s) {
    const std::uint32_t message = message_of(end);
    const MessageCost& cost = costs_.of(message);
    const bool synchronous = program_.messages[message].synchronous;
    if (cost.protocol != Protocol::rendezvous && !synchronous) return;
    MessageState& state = messages_[message];
    RankState& rank = rank_of(end);
    if (!is_send_end(end)) {
      if (!state.requested || state.unread || !state.posted || state.matched) return;
    } else if (!state.replied || state.started) {
      return;
    }
    const bool by_itself = is_send_end(end) && cost.protocol == Protocol::rendezvous && !cost.needs_sender;
    if (!rank.inside && !by_itself && program_.progress == Progress::inside_calls) {
      rank.for_progress.push_back(end);
      return;
    }
    if (!is_send_end(end)) {
      state.matched = true;
      control(EventKind::reply, message, now_s);
      return;
    }
    state.started = true;
    if (cost.protocol == Protocol::rendezvous) {
      // It writes the data before it reads on.
      rank.writes_until_s = std::max(now_s, rank.writes_until_s) + std::max(0.0, cost.send_s - cost.ask_s);
      ++rank.writing;
      events_.add(rank.writes_until_s, number_of(rank), EventKind::data, message);
    } else
      complete(end, now_s);
  }

  void control(EventKind kind, std::uint32_t message, double now_s) {
    const MessageCost& cost = costs_.of(message);
    const ProgramMessage& m = program_.messages[message];
    if (cost.ports)
      network_->start_control(kind, message, now_s);
    else
      events_.add(now_s + cost.control_s, kind == EventKind::request ? m.destination : m.source, kind,
                  message);
  }

  auto send_is_done(double now_s) {
    return [this, now_s](std::uint32_t message, double after_s) {
      events_.add(now_s + after_s, program_.messages[message].source, EventKind::acknowledged, message);
    };
  }

  // Of one rank none overtakes another.
  void depart(RankState& sender, std::uint32_t message, double now_s) {
    const double behind_s = costs_.of(message).send_s * (1 - costs_.kept_share(message));
    sender.departed_s = std::max(sender.departed_s, now_s + behind_s);
    if (sender.departed_s <= now_s) return transmit(message, now_s);
    events_.add(sender.departed_s, number_of(sender), EventKind::departs, message);
  }

  void transmit(std::uint32_t message, double now_s) {
    const MessageCost& cost = costs_.of(message);
    messages_[message].transmitted_s = now_s;
    sent_ahead_.begins(message, send_is_done(now_s));
    if (cost.ports)
      network_->start(message, now_s);
    else
      events_.add(now_s + cost.head_s + cost.port_s, program_.messages[message].destination,
                  EventKind::arrives, message);
  }

  void complete(EndNumber end, double now_s) {
    MessageState& state = messages_[message_of(end)];
    if (state.complete[end & 1]) return;
    state.complete[end & 1] = true;
    if (!state.waited[end & 1]) return;
    if (graph_) return graph_->completed(end, now_s);
    RankState& rank = rank_of(end);
    --rank.pending;
    rank.ready.push_back(end);
    if (!rank.blocked) return;
    if (!rank.coming_s.empty()) now_s = with_what_comes(rank, now_s, read_together_s_);
    unblock(rank, now_s, end);
    resume_at(number_of(rank), now_s);
  }

  void unblock(RankState& rank, double now_s, EndNumber end) override {
    const std::uint32_t message = message_of(end);
    const MessageState& state = messages_[message];
    const ProgramMessage& m = program_.messages[message];
    if (is_send_end(end))
      unblock(rank, now_s, state.receive_s, m.destination, message);
    else
      unblock(rank, now_s, state.send_s, m.source, message);
  }

  // partner_s: when the other side began its part; what was waited before is the algorithm's, the rest is
  // service.
  void unblock(RankState& rank, double now_s, double partner_s, std::int32_t by,
               std::uint32_t message = Blocked::no_message) {
    const double algorithmic_s =
        std::clamp(partner_s - rank.blocked_since_s, 0.0, now_s - rank.blocked_since_s);
    rank.algorithmic_s += algorithmic_s;
    rank.service_s += now_s - rank.blocked_since_s - algorithmic_s;
    if constexpr (observed)
      observer_->blocked(
          {number_of(rank), rank.blocked_since_s, now_s, rank.blocked_since_s + algorithmic_s, by, message});
    rank.blocked = false;
    rank.now_s = now_s;
  }

  void spend_library(RankState& rank, double seconds) override {
    const auto number = static_cast<std::size_t>(number_of(rank));
    const double waited_s = cores_.wait_s(number, rank.now_s, seconds);
    rank.library_s += waited_s + seconds;
    rank.now_s += waited_s + seconds;
  }
  void dispatch(RankState& rank, std::uint32_t message, double seconds) {
    if (!program_.messages[message].inside_collective) rank.send_s += seconds;
    spend_library(rank, seconds);
    cores_.sent(message, rank.now_s);
  }

  // Runs operations until the rank has to wait, has ended, or is ahead of what others may still do to it.
  void run(std::int32_t number) {
    RankState& rank = ranks_[static_cast<std::size_t>(number)];
    const RankProgram& program = program_.ranks[static_cast<std::size_t>(number)];
    double seen_s = rank.now_s;
    const auto is_ahead = [&] {
      return rank.now_s > std::exchange(seen_s, rank.now_s) && !events_.empty() &&
             events_.next_time_s() <= rank.now_s;
    };
    const std::size_t size = program.size();
    while (rank.next < size) {
      if (is_seen(rank, program) && is_ahead()) return resume_at(number, rank.now_s);
      if (!step(rank, program, number)) return;
    }
    if (is_ahead()) return resume_at(number, rank.now_s);
    progress_syncs(rank);
    rank.ended = true;
  }

  bool is_seen(const RankState& rank, const RankProgram& program) const {
    const OpKind kind = program.kind[rank.next];
    const bool on_ports = kind == OpKind::send && costs_.of(program.argument[rank.next]).ports;
    return simulate::is_seen(kind, rank.stage, runs_ahead_, on_ports);
  }

  // One stage of one operation; what others see happens at rank.now_s as it is on entry. False: the rank is
  // blocked.
  bool step(RankState& rank, const RankProgram& program, std::int32_t number) {
    const std::uint32_t argument = program.argument[rank.next];
    switch (program.kind[rank.next]) {
      case OpKind::compute: {
        double seconds = program.seconds[argument] / compute_factor_;
        if (cooling_ != nullptr) seconds *= cooled(rank, number, seconds, *cooling_);
        rank.compute_s += seconds;
        rank.now_s += seconds;
        break;
      }
      case OpKind::library:
        spend_library(rank, program.seconds[argument]);
        break;
      case OpKind::enter:
        if constexpr (observed) observer_->call_begins(number, argument, rank.now_s);
        enter(rank, argument);
        break;
      case OpKind::leave:
        if constexpr (observed) observer_->call_ends(number, rank.now_s);
        rank.inside = false;
        break;
      case OpKind::send:
        if (rank.stage == 0) {
          dispatch_send(rank, argument);
          rank.stage = 1;
          return true;
        }
        begin_send(argument, rank.now_s);
        break;
      case OpKind::receive:
        messages_[argument].receive_s = rank.entered_s;
        messages_[argument].posted = true;
        progress(receive_end(argument), rank.now_s);
        spend_library(rank, costs_.of(argument).accept_s);
        break;
      case OpKind::wait:
        if (rank.stage == 0) begin_wait(rank, program, argument);
        if (!continue_wait(rank)) return rank.blocked ? false : true;
        break;
      case OpKind::sync_begin:
        begin_sync(rank, argument);
        break;
      case OpKind::sync_end:
        if (rank.stage == 0 && !end_sync(rank, argument, number)) {
          rank.stage = 1;
          return false;
        }
        break;
    }
    ++rank.next;
    rank.stage = 0;
    return true;
  }

  bool handed_over_in_blocks(std::uint32_t message) const {
    if (!takes_blocks_) return false;
    const MessageCost& cost = costs_.of(message);
    return cost.ports && cost.protocol == Protocol::eager;
  }

  void dispatch_send(RankState& rank, std::uint32_t message) override {
    messages_[message].send_s = rank.entered_s;
    if (handed_over_in_blocks(message)) {
      messages_[message].transmitted_s = rank.now_s;
      network_->hand_over(message, rank.now_s, costs_.of(message).written_s);
      dispatch(rank, message, costs_.of(message).written_s);
    } else {
      const MessageCost& cost = costs_.of(message);
      dispatch(rank, message,
               cost.protocol == Protocol::rendezvous ? cost.ask_s : cost.send_s * costs_.kept_share(message));
    }
  }

  void post_receive(std::uint32_t message, double now_s) override {
    messages_[message].receive_s = now_s;
    messages_[message].posted = true;
    progress(receive_end(message), now_s);
  }

  void enter(RankState& rank, std::uint32_t region) {
    rank.region = region;
    rank.entered_s = rank.now_s;
    enter_library(rank);
  }

  void enter_library(RankState& rank) override {
    rank.inside = true;
    if (!rank.begun.empty()) progress_syncs(rank);
    if (rank.for_progress.empty()) return;
    const std::vector<EndNumber> ends = std::exchange(rank.for_progress, {});
    for (const EndNumber end : ends) progress(end, rank.now_s);
  }

  void begin_send(std::uint32_t message, double now_s) override {
    const MessageCost& cost = costs_.of(message);
    MessageState& state = messages_[message];
    state.sending = true;
    tell(MessageEvent::sent, message, now_s);
    RankState& sender = ranks_[static_cast<std::size_t>(program_.messages[message].source)];
    ++sender.messages_sent;
    sender.bytes_sent += program_.messages[message].bytes;
    if (cost.protocol == Protocol::rendezvous) {
      control(EventKind::request, message, now_s);
      return;
    }
    if (cost.protocol == Protocol::itself) {
      tell(MessageEvent::left, message, now_s);
      tell(MessageEvent::arrived, message, now_s);
      complete(send_end(message), now_s);
      complete(receive_end(message), now_s);
      return;
    }
    if (!program_.messages[message].synchronous) complete(send_end(message), now_s);
    if (!handed_over_in_blocks(message)) depart(sender, message, now_s);
  }

  void begin_wait(RankState& rank, const RankProgram& program, std::uint32_t group) {
    rank.stage = 1;
    network_->reads(number_of(rank), rank.now_s);
    if (program.group_first[group] == program.group_first[group + 1]) look(rank);  // it only asked
    for (std::uint32_t i = program.group_first[group]; i < program.group_first[group + 1]; ++i) {
      const EndNumber end = program.group_end[i];
      MessageState& state = messages_[message_of(end)];
      if (state.complete[end & 1]) {
        if (state.unread) look(rank);
        rank.ready.push_back(end);
      } else {
        state.waited[end & 1] = true;
        ++rank.pending;
      }
    }
  }

  // True: the wait is over. False and not blocked: time was spent on one end, call again at the new time.
  bool continue_wait(RankState& rank) {
    while (rank.worked_on < rank.ready.size()) {
      const EndNumber end = rank.ready[rank.worked_on++];
      if (is_send_end(end)) continue;
      const double work_s = costs_.of(message_of(end)).unformat_s;
      cores_.came(message_of(end), rank.now_s);
      if (work_s > 0) spend_library(rank, work_s);
      tell(MessageEvent::received, message_of(end), rank.now_s);
      if (work_s > 0) return false;
    }
    rank.ready.clear();
    rank.worked_on = 0;
    if (rank.pending == 0) return true;
    rank.blocked = true;
    rank.blocked_since_s = rank.now_s;
    look(rank);
    return false;
  }

  void begin_sync(RankState& rank, std::uint32_t sync) {
    syncs_.enter(sync, number_of(rank), rank.entered_s);
    if (syncs_.goes_on(sync)) rank.begun.push_back(sync);
    release(sync);
  }

  // A member is inside the library again, which goes on with what the member has begun.
  void progress_syncs(RankState& rank) {
    for (const std::uint32_t sync : std::exchange(rank.begun, {})) {
      syncs_.inside_again(sync, rank.now_s);
      release(sync);
    }
  }

  void release(std::uint32_t sync) {
    for (const std::int32_t number : syncs_.released(sync))
      end_wait(ranks_[static_cast<std::size_t>(number)], sync);
  }
  void end_wait(RankState& rank, std::uint32_t sync) {
    const double over_s = syncs_.end_s(sync);
    unblock(rank, over_s, syncs_.last_s(sync), syncs_.last_rank(sync));
    resume_at(number_of(rank), over_s);
  }

  // True: the time of the sync is over already.
  bool end_sync(RankState& rank, std::uint32_t sync, std::int32_t number) {
    progress_syncs(rank);  // it may have been begun in the same call
    const bool known = syncs_.end_is_known(sync);
    if (known && syncs_.end_s(sync) <= rank.now_s) return true;
    network_->reads(number, rank.now_s);
    look(rank);
    rank.blocked = true;
    rank.blocked_since_s = rank.now_s;
    if (known)
      end_wait(rank, sync);
    else
      syncs_.await(sync, number);
    return false;
  }

  const Program& program_;
  const ReplayCosts& costs_;
  double compute_factor_;
  const CoolingInReplay* cooling_;  // null: computation as recorded
  Told* observer_;                  // not null where observed
  const Cancellation* cancellation_;
  const bool reads_in_order_;
  const double read_together_s_;
  EventQueue events_;
  std::vector<RankState> ranks_;
  std::vector<MessageState> messages_;
  CoresOfHosts cores_;
  Syncs syncs_;
  SentAhead sent_ahead_;
  Acknowledgements acknowledgements_;
  std::optional<GraphPlayer> graph_;  // of programs that are one
  std::unique_ptr<Network> network_;
  std::string network_name_;
  bool takes_blocks_ = false, runs_ahead_ = false;  // through what nobody else sees
  AwakeRanks awake_;
  RankState* running_ = nullptr;  // whose operations are being done, of streams
  std::uint64_t handled_ = 0;
};

}  // namespace ww::simulate
