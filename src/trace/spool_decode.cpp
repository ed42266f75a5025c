#include "trace/spool_decode.hpp"

#include <algorithm>
#include <compare>
#include <deque>
#include <limits>

#include "trace/spool_files.hpp"
#include "trace/spool_nesting.hpp"
#include "trace/spool_one_sided.hpp"
#include "trace/spool_regions.hpp"

namespace ww::spool {
namespace {

// An operation that was begun and is not complete.
struct Pending {
  ActionKind begun = ActionKind::isend;
  bool no_message = false;  // MPI_PROC_NULL
  std::uint16_t call = 0;
  std::uint64_t serial = 0;
  std::int32_t peer = -1, tag = 0;
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0;
};

NameDefinition::Use use_of(Kind kind) {
  using Use = NameDefinition::Use;
  switch (kind) {
    case Kind::region_begin:
    case Kind::region_end:
      return Use::region;
    case Kind::value_integer:
      return Use::integer;
    case Kind::value_real:
      return Use::real;
    default:
      return Use::marker;
  }
}

bool begins_thread(const Record& record) {
  return record.call == no_call && static_cast<Kind>(record.kind) == Kind::thread_begins;
}

class Decoder {
 public:
  Decoder(const DecodeContext& context, const std::function<void(const DecodedCall&)>& take,
          const std::function<void(const UserSaying&)>& take_saying)
      : context_(context),
        take_(take),
        take_saying_(take_saying),
        open_regions_(context.spool.threads.size()),
        latest_ticks_(latest_ticks(context.spool)),
        windows_(context.spool.rank, context.windows, context.all_windows, context.all_comms),
        files_(context.files) {}

  Damage run() {
    const auto& threads = context_.spool.threads;
    // Threads are merged by time, so that an operation is begun before another thread completes it.
    std::vector<Next> queue;
    std::vector<Last> last(threads.size());
    for (std::size_t t = 0; t < threads.size(); ++t)
      if (threads[t].size() > 0) queue.push_back({entry_of(t, 0, last[t]), t, 0});
    std::make_heap(queue.begin(), queue.end(), std::greater<>());
    while (!queue.empty()) {
      std::pop_heap(queue.begin(), queue.end(), std::greater<>());
      Next next = queue.back();
      queue.pop_back();
      const Records& records = threads[next.thread];
      bool more = true;
      while (more && (queue.empty() || next < queue.front())) {
        const std::size_t from = next.record;
        next.record = take_call(next.thread, from, last[next.thread]);
        records.passed(from, next.record);
        more = next.record < records.size();
        if (more) next.enter_ticks = entry_of(next.thread, next.record, last[next.thread]);
      }
      if (!more) continue;
      queue.push_back(next);
      std::push_heap(queue.begin(), queue.end(), std::greater<>());
    }
    for (const Records& thread : threads) thread.release();
    for (std::size_t t = 0; t < threads.size(); ++t) end_regions(t, last[t]);
    return damage_;
  }

 private:
  struct Last {
    std::uint64_t leave_ticks = 0;
    std::int64_t leave_ns = std::numeric_limits<std::int64_t>::min();
  };
  // What comes next of a thread; in the order of time, and where that is one, of the threads.
  struct Next {
    std::uint64_t enter_ticks = 0;
    std::size_t thread = 0, record = 0;
    auto operator<=>(const Next&) const = default;
  };

  void end_regions(std::size_t thread, const Last& last) {
    open_regions_[thread].end_all(
        [&](std::uint32_t name) {
          say(thread, {UserEvent::Kind::leave, last.leave_ns, name, 0});
        },
        damage_);
  }

  // Takes the records of one call, from `from`; returns the number of the record after them.
  std::size_t take_call(std::size_t thread, std::size_t from, Last& last) {
    const Records& records = context_.spool.threads[thread];
    const Record first = records[from];
    if (begins_thread(first)) {
      end_regions(thread, last);
      return from + 1;
    }
    if (!makes_sense(first, context_.calls.size(), latest_ticks_) || first.leave_ticks < last.leave_ticks) {
      ++damage_.records;
      return from + 1;
    }
    if (first.enter_ticks < last.leave_ticks) ++damage_.overlapping_calls;
    if ((first.flags & flag_nested) != 0 && !is_saying(first)) return take_nested(thread, from, last);
    last.leave_ticks = first.leave_ticks;
    if (is_saying(first)) {
      last.leave_ns = std::max(last.leave_ns, context_.time.to_ns(context_.map, first.enter_ticks));
      take_said(thread, first, last.leave_ns);
      return from + 1;
    }
    const std::size_t after = take_actions(records, from, first);
    DecodedCall call;
    call.thread = thread;
    call.call = first.call;
    call.enter_ns = std::max(last.leave_ns, context_.time.to_ns(context_.map, first.enter_ticks));
    call.leave_ns = std::max(call.enter_ns, context_.time.to_ns(context_.map, first.leave_ticks));
    last.leave_ns = call.leave_ns;
    call.actions = actions_;
    call.one_sided = one_sided_;
    call.files = file_actions_;
    take_(call);
    return after;
  }

  // Of the call whose records begin there; returns the number of the record after them.
  std::size_t take_actions(const Records& records, std::size_t from, const Record& first) {
    actions_.clear();
    one_sided_.clear();
    file_actions_.clear();
    std::size_t at = from;
    for (bool more = true; more && at < records.size(); ++at) {
      const Record record = records[at];
      if (record.call != first.call || record.enter_ticks != first.enter_ticks) break;
      take_record(record);
      more = (record.flags & flag_continued) != 0;
    }
    return at;
  }
  // When the call that is outermost there was entered.
  std::uint64_t entry_of(std::size_t thread, std::size_t record, const Last& last) {
    const Record first = context_.spool.threads[thread][record];
    if ((first.flags & flag_nested) == 0 || first.call == no_call || first.leave_ticks < last.leave_ticks)
      return first.enter_ticks;
    plant(context_.spool.threads[thread], record, context_.calls.size(), latest_ticks_, forest_);
    std::uint64_t earliest = first.enter_ticks;
    for (const std::size_t tree : forest_.outermost)
      earliest = std::min(earliest, forest_.trees[tree].enter_ticks);
    return earliest;
  }

  std::size_t take_nested(std::size_t thread, std::size_t from, Last& last) {
    const Records& records = context_.spool.threads[thread];
    plant(records, from, context_.calls.size(), latest_ticks_, forest_);
    for (const std::size_t tree : forest_.outermost) {
      const Record first = records[forest_.trees[tree].first_record];
      if (first.enter_ticks < last.leave_ticks) ++damage_.overlapping_calls;
      last.leave_ticks = std::max(last.leave_ticks, first.leave_ticks);
      take_tree(thread, tree, 0, last.leave_ns, std::numeric_limits<std::int64_t>::max());
    }
    return forest_.end_record;
  }

  // Between from_ns, which becomes its end, and to_ns.
  void take_tree(std::size_t thread, std::size_t number, std::size_t depth, std::int64_t& from_ns,
                 std::int64_t to_ns) {
    const Records& records = context_.spool.threads[thread];
    const CallTree& tree = forest_.trees[number];
    const Record first = records[tree.first_record];
    take_actions(records, tree.first_record, first);
    if (depth == kept_.size()) kept_.emplace_back();
    Kept& own = kept_[depth];
    own.actions.swap(actions_);
    own.one_sided.swap(one_sided_);
    own.files.swap(file_actions_);
    DecodedCall call;
    call.thread = thread;
    call.call = first.call;
    call.enter_ns = std::clamp(context_.time.to_ns(context_.map, first.enter_ticks), from_ns, to_ns);
    call.leave_ns = std::clamp(context_.time.to_ns(context_.map, first.leave_ticks), call.enter_ns, to_ns);
    call.actions = own.actions;
    call.one_sided = own.one_sided;
    call.files = own.files;
    from_ns = call.leave_ns;
    const bool too_deep = depth + 1 == most_deep;
    if (too_deep) damage_.records += tree.inner.size();
    if (tree.inner.empty() || too_deep) return take_(call);
    call.part = CallPart::begin;
    take_(call);
    std::int64_t at_ns = call.enter_ns;
    for (auto inner = tree.inner.rbegin(); inner != tree.inner.rend(); ++inner)
      take_tree(thread, *inner, depth + 1, at_ns, call.leave_ns);
    call.part = CallPart::end;
    take_(call);
  }

  void say(std::size_t thread, const UserEvent& event) const {
    if (take_saying_) take_saying_({thread, event});
  }

  void take_said(std::size_t thread, const Record& record, std::int64_t at_ns) {
    const auto kind = static_cast<Kind>(record.kind);
    const auto name = context_.names.find(record.comm);
    if (name == context_.names.end() || name->second.use != use_of(kind)) {
      ++damage_.unknown_names;
      return;
    }
    const std::uint32_t index = name->second.index;
    switch (kind) {
      case Kind::region_begin:
        open_regions_[thread].begin(index);
        return say(thread, {UserEvent::Kind::enter, at_ns, index, 0});
      case Kind::region_end:
        return open_regions_[thread].end(
            index,
            [&](std::uint32_t ended) {
              say(thread, {UserEvent::Kind::leave, at_ns, ended, 0});
            },
            damage_);
      case Kind::marker:
        return say(thread, {UserEvent::Kind::marker, at_ns, index, 0});
      default:
        return say(thread, {UserEvent::Kind::value, at_ns, index, record.bytes});
    }
  }

  void take_record(const Record& record) {
    DecodedAction action;
    action.tag = record.tag;
    action.bytes = record.bytes;
    if (record.flags & flag_synchronous) action.flags |= action_synchronous;
    if (record.flags & flag_in_place) action.flags |= action_in_place;
    const auto kind = static_cast<Kind>(record.kind);
    switch (kind) {
      case Kind::call:
      case Kind::comm_made:
        return;
      case Kind::probe:
        if (record.flags & flag_found) return;
        action.kind = ActionKind::test_failed;
        action.bytes = 0;
        action.tag = 0;
        actions_.push_back(action);
        return;
      case Kind::send:
      case Kind::recv:
        if (record.peer == no_peer) return;
        if (!resolve(record, false, action)) return;
        action.kind = kind == Kind::send ? ActionKind::send : ActionKind::recv;
        if (kind == Kind::recv && (record.flags & flag_wildcard)) action.flags |= action_wildcard_source;
        actions_.push_back(action);
        return;
      case Kind::isend:
      case Kind::irecv:
        begin_message(record, action);
        return;
      case Kind::isend_done:
      case Kind::irecv_done:
      case Kind::icollective_done:
        complete(record, record.operation, false);
        return;
      case Kind::done_range:
        complete_range(record);
        return;
      case Kind::collective:
      case Kind::icollective:
        take_collective(record, action);
        return;
      case Kind::test_failed:
      case Kind::cancelled:
        about_operation(record, kind);
        return;
      case Kind::left_out:
        take_left_out(record, action);
        return;
      case Kind::window:
      case Kind::put:
      case Kind::get:
      case Kind::atomic:
        if (!windows_.take(record, one_sided_)) ++damage_.unknown_windows;
        return;
      case Kind::file:
      case Kind::file_read:
      case Kind::file_write:
      case Kind::file_iread:
      case Kind::file_iwrite:
        if (!files_.take(record, file_actions_)) ++damage_.unknown_files;
        return;
      case Kind::file_done:
        if (!files_.complete(record, file_actions_)) ++damage_.unknown_operations;
        return;
      case Kind::one_sided_done:
        if (!windows_.take_request(record.operation, true, one_sided_)) ++damage_.unknown_operations;
        return;
      case Kind::sent_to:
        take_sent_to(record, action);
        return;
      case Kind::region_begin:
      case Kind::region_end:
      case Kind::marker:
      case Kind::value_integer:
      case Kind::value_real:
      case Kind::thread_begins:
        break;  // never within a call
    }
    ++damage_.records;
  }

  std::int32_t world_rank(std::uint32_t comm, std::int32_t peer) const {
    if (context_.spool.address) return task_rank(comm, peer);
    return context_.all_comms[comm].world_rank(peer, context_.spool.rank);
  }

  // Of a task peers are indices, whatever the communicator, which must hold them.
  std::int32_t task_rank(std::uint32_t comm, std::int32_t peer) const {
    const auto& known = context_.spool.peer_ranks;
    if (peer < 0 || static_cast<std::size_t>(peer) >= known.size()) return -1;
    const std::int32_t rank = known[static_cast<std::size_t>(peer)];
    const auto& members = context_.all_comms[comm].ranks;
    const bool of_all = static_cast<std::size_t>(std::max(rank, 0)) < members.size() &&
                        members[static_cast<std::size_t>(std::max(rank, 0))] == rank;
    return of_all || std::find(members.begin(), members.end(), rank) != members.end() ? rank : -1;
  }

  bool find_comm(const Record& record, Action& action) {
    const auto comm = context_.comms.find(record.comm);
    if (comm == context_.comms.end()) {
      ++damage_.unknown_comms;
      return false;
    }
    if (comm->second == none) {
      ++damage_.unknown_processes;
      return false;
    }
    action.comm = comm->second;
    return true;
  }

  // Communicator and peer as the trace numbers them. False (and counted): the record names what is not
  // defined.
  bool resolve(const Record& record, bool as_asked, Action& action) {
    if (!find_comm(record, action)) return false;
    if (as_asked && record.tag == any_tag) {
      action.flags |= action_wildcard_tag;
      action.tag = -1;
    }
    if (as_asked && record.peer == any_peer) {
      action.flags |= action_wildcard_source;
      action.peer = -1;
    } else {
      action.peer = world_rank(action.comm, record.peer);
      if (action.peer < 0) {
        ++damage_.records;
        return false;
      }
    }
    if (action.tag < 0 && (action.flags & action_wildcard_tag) == 0) {
      ++damage_.records;
      return false;
    }
    return true;
  }

  void begin(const Record& record, const DecodedAction& action, bool no_message) {
    // MPI_Start says with a collective whose persistent operation it is.
    const bool started = action.kind == ActionKind::icollective && record.tag > 0 &&
                         static_cast<std::size_t>(record.tag) < context_.calls.size();
    const std::uint16_t call = started ? static_cast<std::uint16_t>(record.tag) : record.call;
    pending_[record.operation] = {action.kind, no_message, call,        action.operation,
                                  action.peer, action.tag, action.comm, action.bytes};
    if (!no_message) actions_.push_back(action);
  }

  void begin_message(const Record& record, DecodedAction& action) {
    action.kind = static_cast<Kind>(record.kind) == Kind::isend ? ActionKind::isend : ActionKind::irecv;
    const bool matched_probe =
        record.peer != any_peer && record.tag != any_tag;  // it had found its message when posted
    if ((record.flags & flag_wildcard) != 0 && matched_probe) action.flags |= action_wildcard_source;
    const bool no_message = record.peer == no_peer;
    if (!no_message) {
      if (!resolve(record, action.kind == ActionKind::irecv, action)) return;
      action.operation = next_serial_++;
    }
    begin(record, action, no_message);
  }

  void take_collective(const Record& record, DecodedAction& action) {
    if (!find_comm(record, action)) return;
    action.tag = 0;
    action.peer = record.peer < 0 ? -1 : world_rank(action.comm, record.peer);
    if (static_cast<Kind>(record.kind) == Kind::collective) {
      action.kind = ActionKind::collective;
      action.bytes_received = record.operation;
      actions_.push_back(action);
      return;
    }
    action.kind = ActionKind::icollective;
    action.operation = next_serial_++;
    begin(record, action, false);
  }

  // Of a collective that was not taken, nothing more is to be said.
  void take_sent_to(const Record& record, DecodedAction& action) {
    const auto comm = context_.comms.find(record.comm);
    if (actions_.empty() || comm == context_.comms.end() || comm->second != actions_.back().comm) return;
    const DecodedAction& of = actions_.back();
    if (of.kind != ActionKind::collective && of.kind != ActionKind::icollective &&
        of.kind != ActionKind::sent_to)
      return;
    action.kind = ActionKind::sent_to;
    action.flags = 0;
    action.tag = 0;
    action.comm = of.comm;
    action.operation = of.operation;
    take_sent_to(record.peer, record.bytes, action);
    if (record.tag != no_peer) take_sent_to(record.tag, record.operation, action);
  }
  void take_sent_to(std::int32_t to, std::uint64_t bytes, DecodedAction& action) {
    // an intercommunicator has to look for the group on the other side: once for all of a call
    if (context_.spool.address) {
      action.peer = task_rank(action.comm, to);
      if (action.peer < 0) return void(++damage_.records);
      action.bytes = bytes;
      actions_.push_back(action);
      return;
    }
    if (others_of_ != action.comm) {
      others_of_ = action.comm;
      others_ = context_.all_comms[action.comm].others(context_.spool.rank);
    }
    if (to < 0 || static_cast<std::size_t>(to) >= others_.size()) {
      ++damage_.records;
      return;
    }
    action.peer = others_[static_cast<std::size_t>(to)];
    action.bytes = bytes;
    actions_.push_back(action);
  }

  void take_left_out(const Record& record, DecodedAction& action) {
    action.kind = ActionKind::left_out;
    action.flags = 0;
    const auto what = static_cast<LeftOut>(record.operation);
    if (what == LeftOut::collectives) {
      if (!find_comm(record, action)) return;
      action.flags = action_left_out_collectives;
    } else if (what == LeftOut::sends || what == LeftOut::receives) {
      if (!resolve(record, false, action)) return;
      action.flags = what == LeftOut::sends ? action_left_out_sends : action_left_out_receives;
    } else {
      ++damage_.records;
      return;
    }
    actions_.push_back(action);
  }

  void complete(const Record& record, std::uint64_t operation, bool in_range) {
    const auto found = pending_.find(operation);
    if (found == pending_.end()) {
      ++damage_.unknown_operations;
      return;
    }
    const Pending pending = found->second;
    pending_.erase(found);
    if (pending.no_message) return;
    DecodedAction action;
    action.operation = pending.serial;
    action.comm = pending.comm;
    action.peer = pending.peer;
    action.tag = pending.tag;
    action.bytes = pending.bytes;
    action.begun_region = pending.call;
    switch (pending.begun) {
      case ActionKind::isend:
        action.kind = ActionKind::isend_done;
        break;
      case ActionKind::icollective:
        action.kind = ActionKind::icollective_done;
        if (!in_range) action.bytes_received = record.bytes;
        break;
      default:
        action.kind = ActionKind::irecv_done;
        action.unsized = in_range;
        if (!in_range) {
          if (record.peer == no_peer) return;
          action.peer = world_rank(pending.comm, record.peer);
          action.tag = record.tag;
          action.bytes = record.bytes;
        }
        if (action.peer < 0 || action.tag < 0) {  // a wildcard's completion must say what it received
          ++damage_.records;
          return;
        }
    }
    actions_.push_back(action);
  }

  void complete_range(const Record& record) {
    // Every operation of the range is pending, so the range is no longer.
    if (record.bytes > pending_.size()) {
      ++damage_.records;
      return;
    }
    for (std::uint64_t i = 0; i < record.bytes; ++i) complete(record, record.operation + i, true);
  }

  void about_operation(const Record& record, Kind kind) {
    const auto found = pending_.find(record.operation);
    if (found == pending_.end()) {
      if (kind == Kind::cancelled || (!windows_.take_request(record.operation, false, one_sided_) &&
                                      !files_.test(record.operation, file_actions_)))
        ++damage_.unknown_operations;
      return;
    }
    DecodedAction action;
    action.kind = kind == Kind::cancelled ? ActionKind::cancelled : ActionKind::test_failed;
    action.operation = found->second.serial;
    if (!found->second.no_message) actions_.push_back(action);
    if (kind == Kind::cancelled) pending_.erase(found);
  }

  const DecodeContext& context_;
  const std::function<void(const DecodedCall&)>& take_;
  const std::function<void(const UserSaying&)>& take_saying_;
  std::vector<OpenRegions> open_regions_;  // by thread
  const std::uint64_t latest_ticks_;
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::uint64_t next_serial_ = 1;
  std::uint32_t others_of_ = none;  // the communicator of others_
  std::span<const std::int32_t> others_;
  OneSidedDecoder windows_;
  FileDecoder files_;
  std::vector<DecodedAction> actions_;     // of the call being taken
  std::vector<OneSidedAction> one_sided_;  // likewise
  std::vector<FileAction> file_actions_;
  static constexpr std::size_t most_deep = 64;
  struct Kept {
    std::vector<DecodedAction> actions;
    std::vector<OneSidedAction> one_sided;
    std::vector<FileAction> files;
  };
  std::deque<Kept> kept_;  // by depth, of the calls that are open
  Forest forest_;
  Damage damage_;
};

}  // namespace

std::int64_t TimeBase::to_ns(const TickMap& map, std::uint64_t ticks) const {
  const long double ns =
      (map.root_ticks(ticks) - origin_ticks) * (1e9L / static_cast<long double>(ticks_per_s));
  return static_cast<std::int64_t>(std::clamp(ns, -4e18L, 4e18L));
}

void Damage::add(const Damage& other) {
  records += other.records;
  overlapping_calls += other.overlapping_calls;
  unknown_comms += other.unknown_comms;
  unknown_processes += other.unknown_processes;
  unknown_windows += other.unknown_windows;
  unknown_files += other.unknown_files;
  unknown_operations += other.unknown_operations;
  unknown_names += other.unknown_names;
  regions_out_of_order += other.regions_out_of_order;
  regions_not_open += other.regions_not_open;
  regions_left_open += other.regions_left_open;
}

Damage decode(const DecodeContext& context, const std::function<void(const DecodedCall&)>& take,
              const std::function<void(const UserSaying&)>& take_saying) {
  return Decoder(context, take, take_saying).run();
}

}  // namespace ww::spool
