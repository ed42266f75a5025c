// The events of one rank's locations, to columns. A rank has one row of calls: where several of its threads
// are inside MPI at once, the row is that of the thread that came last, and a call that goes on after another
// thread's lies in it is a row again. So every message has its time, and a rank is never twice in MPI.
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>

#include "trace/columns.hpp"
#include "trace/otf2_definitions.hpp"
#include "trace/otf2_files.hpp"
#include "trace/otf2_location.hpp"
#include "trace/otf2_windows.hpp"

namespace ww::otf2 {

class EventTaker;

// What our own attributes say beside a record.
struct AttributesBeside {
  std::optional<std::uint8_t> flags, not_found, left_out;
  std::optional<std::uint64_t> capacity, begun, left, arrived;
  std::optional<std::int32_t> source, tag, peer, sent_to;
  std::optional<std::uint32_t> comm;
  std::optional<std::int64_t> offset;
};

// The user data of the callbacks of one location: its events go to the taker at once, or wait in `later` to
// be taken in the order of time among those of other threads.
struct Feed {
  struct Event {
    std::int64_t ns;
    std::function<void(EventTaker&, std::int64_t)> act;
  };
  EventTaker& taker;
  std::size_t thread = 0;
  bool wait = false;
  std::deque<Event> later = {};

  template <class Act>
  void take(OTF2_TimeStamp time, Act act);
  // The first thread's other regions say from when to when the rank ran.
  bool concerns_rank(OTF2_RegionRef region) const;
  // The program's values that a metric carries, or nullptr.
  const std::vector<std::uint32_t>* values_of(OTF2_MetricRef metric) const;
  AttributesBeside beside(const OTF2_AttributeList* list) const;
};

// What the records of a rank name beyond the definitions. Ranks are read side by side, so each numbers these by
// itself, behind what the trace has, until `join` gives them the trace's numbers in the order of the ranks.
struct NamedByRecords {
  std::vector<std::string> regions;
  std::vector<Comm> comms;
  std::vector<std::pair<OTF2_ParameterRef, OTF2_StringRef>> texts;  // of markers, numbered from 0
};
// `all`: by rank; the trace is as it was while they were read.
void join(const std::vector<NamedByRecords>& all, const Definitions& definitions, Layout& layout,
          Trace& trace);

// Takes the events of one rank's locations. Those of several ranks may be at work at once: of the trace each
// changes only what is its rank's.
class EventTaker {
 public:
  EventTaker(const Definitions& definitions, const Layout& layout, Trace& trace, std::int32_t rank,
             std::size_t threads)
      : definitions_(definitions),
        layout_(layout),
        trace_(trace),
        columns_(trace.ranks[static_cast<std::size_t>(rank)]),
        self_(rank),
        threads_(threads),
        windows_(layout, trace, rank),
        files_(layout, trace, rank) {}

  bool any() const { return any_; }
  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_; }
  std::uint64_t unknown_peers() const { return unknown_peers_; }

  std::uint64_t interleaved() const { return interleaved_; }
  NamedByRecords& named() { return named_; }

  // There was no room for all that the events say.
  bool no_room() const { return no_room_; }
  // So many records will come.
  void expect(std::uint64_t records) {
    // A record begins two rows of calls at most, and is two actions.
    columns_.for_each_column([&](auto& column) { column.expect(2 * (records + threads_.size())); });
  }

  // Ends what is open when the archive ends.
  void finish() {
    if (owner_ != nobody) end_call(columns_, last_ns_);
    owner_ = nobody;
    for (Thread& thread : threads_) {
      thread.depth = 0;
      for (const std::size_t open : thread.nested) columns_.nested[open].leave_ns = last_ns_;
      thread.nested.clear();
      for (const std::size_t open : thread.open_regions) columns_.user.regions[open].leave_ns = last_ns_;
      thread.open_regions.clear();
    }
    if (columns_.first_action.empty()) columns_.first_action.push_back(0);
  }

  static OTF2_EvtReaderCallbacks* callbacks();  // their user data is a Feed
  static void set_window_callbacks(OTF2_EvtReaderCallbacks* set);
  static void set_file_callbacks(OTF2_EvtReaderCallbacks* set);

  void take(std::size_t thread, std::int64_t ns, const auto& act) {
    thread_ = thread;
    if (!any_) first_ns_ = last_ns_ = ns;
    any_ = true;
    while_there_is_room([&] { act(*this, last_ns_ = std::max(last_ns_, ns)); });
  }

 private:
  friend struct Feed;
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  static std::array<std::pair<OTF2_RegionRef, std::uint32_t>, 64> filled() {
    std::array<std::pair<OTF2_RegionRef, std::uint32_t>, 64> all;
    all.fill({OTF2_UNDEFINED_REGION, none});
    return all;
  }
  // We are called by libotf2, which is C.
  void while_there_is_room(auto act) {
    if (no_room_) return;
    try {
      act();
    } catch (const std::bad_alloc&) {
      no_room_ = true;
    }
  }
  static Feed& of(void* user) { return *static_cast<Feed*>(user); }

  std::int64_t at(OTF2_TimeStamp time) const { return definitions_.ns_at(time); }

  // The row of calls goes over to this thread.
  void open_row(std::int64_t ns) {
    if (owner_ != nobody) {
      end_call(columns_, ns);
      ++interleaved_;
    }
    begin_row(ns, thread_);
  }
  void begin_row(std::int64_t ns, std::size_t thread) {
    begin_call(columns_, ns, threads_[thread].region);
    if (threads_.size() > 1) columns_.thread.push_back(static_cast<std::uint32_t>(thread));
    owner_ = thread;
  }
  // ... and back to one that is still inside a call.
  void close_row(std::int64_t ns) {
    end_call(columns_, ns);
    owner_ = nobody;
    for (std::size_t t = 0; t < threads_.size() && owner_ == nobody; ++t)
      if (t != thread_ && threads_[t].depth > 0) begin_row(ns, t);
  }
  void own_row(std::int64_t ns) {
    if (owner_ != thread_) open_row(ns);
  }

  // A record outside of any MPI call (the tool left the calls out) becomes a call of no length.
  template <class Add>
  void within_call(std::int64_t ns, const char* name, Add add) {
    const bool lone = threads_[thread_].depth == 0;
    if (lone) {
      threads_[thread_].region = region_named(name);
      open_row(ns);
    } else {
      own_row(ns);
    }
    add();
    if (lone) close_row(ns);
  }
  std::uint16_t region_named(const char* name) {
    const auto index = [](const std::vector<std::string>& names, const char* wanted) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), wanted) - names.begin());
    };
    std::size_t found = index(trace_.regions, name);
    if (found == trace_.regions.size()) {
      const std::size_t own = index(named_.regions, name);
      if (own == named_.regions.size()) named_.regions.emplace_back(name);
      found += own;
    }
    return static_cast<std::uint16_t>(found);
  }
  const Comm& comm_of(std::uint32_t index) const {
    return index < trace_.comms.size() ? trace_.comms[index] : named_.comms[index - trace_.comms.size()];
  }

  // False: a communicator or peer that is not defined; the record is counted and not taken.
  bool resolve(OTF2_CommRef comm, std::uint32_t peer, Action& action) {
    if (!resolve_comm(comm, action)) return false;
    action.peer = comm_of(action.comm).world_rank(peer, self_);
    if (action.peer < 0) ++unknown_peers_;
    return action.peer >= 0;
  }
  bool resolve_comm(OTF2_CommRef comm, Action& action) {
    if (comm == last_comm_ && last_comm_index_ != none) {
      action.comm = last_comm_index_;
      return true;
    }
    const auto found = layout_.comms.find(comm);
    if (found != layout_.comms.end()) {
      action.comm = last_comm_index_ = found->second;
      last_comm_ = comm;
      return true;
    }
    const auto self = layout_.self_comms.find(comm);
    if (self == layout_.self_comms.end()) {
      ++unknown_peers_;
      return false;
    }
    const auto [entry, added] = own_self_comms_.try_emplace(
        comm, static_cast<std::uint32_t>(trace_.comms.size() + named_.comms.size()));
    if (added) named_.comms.push_back({definitions_.text(self->second), {self_}});
    action.comm = entry->second;
    return true;
  }

  template <class T, class Get>
  void attribute(const OTF2_AttributeList* list, Attribute which, Get get, std::optional<T>& out) const {
    T value{};
    if (layout_.attribute[which] != OTF2_UNDEFINED_ATTRIBUTE &&
        OTF2_AttributeList_TestAttributeByID(list, layout_.attribute[which]) &&
        get(list, layout_.attribute[which], &value) == OTF2_SUCCESS)
      out = value;
  }
  AttributesBeside beside(const OTF2_AttributeList* list) const {
    AttributesBeside out;
    if (list == nullptr || OTF2_AttributeList_GetNumberOfElements(list) == 0) return out;
    attribute(list, attribute_flags, OTF2_AttributeList_GetUint8, out.flags);
    attribute(list, attribute_not_found, OTF2_AttributeList_GetUint8, out.not_found);
    attribute(list, attribute_capacity, OTF2_AttributeList_GetUint64, out.capacity);
    attribute(list, attribute_begun, OTF2_AttributeList_GetUint64, out.begun);
    attribute(list, attribute_left, OTF2_AttributeList_GetUint64, out.left);
    attribute(list, attribute_arrived, OTF2_AttributeList_GetUint64, out.arrived);
    attribute(list, attribute_source, OTF2_AttributeList_GetInt32, out.source);
    attribute(list, attribute_tag, OTF2_AttributeList_GetInt32, out.tag);
    attribute(list, attribute_comm, OTF2_AttributeList_GetUint32, out.comm);
    attribute(list, attribute_left_out, OTF2_AttributeList_GetUint8, out.left_out);
    attribute(list, attribute_peer, OTF2_AttributeList_GetInt32, out.peer);
    attribute(list, attribute_offset, OTF2_AttributeList_GetInt64, out.offset);
    attribute(list, attribute_sent_to, OTF2_AttributeList_GetInt32, out.sent_to);
    return out;
  }

  // Request numbers may be used again: the oldest operation of that number that is not complete is meant.
  struct Begun {
    std::uint64_t serial;
    std::uint32_t action;
    bool room_unknown = false;  // of a receive: how much it had room for
  };
  std::uint64_t begin_operation(std::uint64_t request, bool room_unknown = false) {
    const Begun begun{next_serial_++, static_cast<std::uint32_t>(columns_.actions()), room_unknown};
    if (!open_.try_emplace(request, begun).second) open_again_[request].push_back(begun);
    return begun.serial;
  }
  Begun complete_operation(std::uint64_t request) {
    const auto found = open_.find(request);
    if (found == open_.end()) return {0, none};
    const Begun begun = found->second;
    const auto again = open_again_.empty() ? open_again_.end() : open_again_.find(request);
    if (again == open_again_.end()) {
      open_.erase(found);
      return begun;
    }
    found->second = again->second.front();
    again->second.pop_front();
    if (again->second.empty()) open_again_.erase(again);
    return begun;
  }

  // Index into Trace::regions, or none: no call of MPI. Most are asked for again soon.
  std::uint32_t mpi_region(OTF2_RegionRef region) {
    auto& [of, index] = last_regions_[region % last_regions_.size()];
    if (of != region) {
      const auto found = layout_.regions.find(region);
      of = region;
      index = found == layout_.regions.end() ? none : found->second;
    }
    return index;
  }
  void enter(std::int64_t ns, OTF2_RegionRef region) {
    const std::uint32_t index = mpi_region(region);
    if (index == none) return enter_user(ns, region);
    if (threads_[thread_].depth++ > 0) return enter_nested(ns, static_cast<std::uint16_t>(index));
    threads_[thread_].region = static_cast<std::uint16_t>(index);
    open_row(ns);
  }
  void enter_nested(std::int64_t ns, std::uint16_t region) {
    Thread& thread = threads_[thread_];
    own_row(ns);
    const std::uint16_t around =
        thread.nested.empty() ? thread.region : columns_.nested[thread.nested.back()].region;
    thread.nested.push_back(columns_.nested.size());
    columns_.nested.push_back({ns, ns, static_cast<std::uint32_t>(columns_.calls() - 1), region, around});
  }
  void leave(std::int64_t ns, const AttributesBeside& beside, OTF2_RegionRef region) {
    Thread& thread = threads_[thread_];
    if (mpi_region(region) == none) return leave_user(ns, region);
    if (thread.depth == 0) return;
    if (beside.not_found) {
      own_row(ns);
      Action action;
      action.kind = ActionKind::test_failed;
      add_action(columns_, action);
    }
    if (!thread.nested.empty()) {
      columns_.nested[thread.nested.back()].leave_ns = ns;
      thread.nested.pop_back();
    }
    if (--thread.depth == 0 && owner_ == thread_) close_row(ns);
  }
  void enter_user(std::int64_t ns, OTF2_RegionRef region) {
    const auto found = layout_.user_regions.find(region);
    if (found == layout_.user_regions.end()) return;
    threads_[thread_].open_regions.push_back(columns_.user.regions.size());
    columns_.user.regions.push_back({ns, ns, found->second, static_cast<std::uint32_t>(thread_)});
  }
  // A tool may have lost the leaves of regions within this one.
  void leave_user(std::int64_t ns, OTF2_RegionRef region) {
    const auto found = layout_.user_regions.find(region);
    if (found == layout_.user_regions.end()) return;
    auto& open = threads_[thread_].open_regions;
    const auto same = std::find_if(open.rbegin(), open.rend(), [&](std::size_t one) {
      return columns_.user.regions[one].region == found->second;
    });
    if (same == open.rend()) return;
    for (auto one = same.base() - 1; one != open.end(); ++one) columns_.user.regions[*one].leave_ns = ns;
    open.erase(same.base() - 1, open.end());
  }
  void marker(std::int64_t ns, OTF2_ParameterRef parameter, OTF2_StringRef text) {
    const auto [entry, added] =
        texts_.try_emplace({parameter, text}, static_cast<std::uint32_t>(named_.texts.size()));
    if (added) named_.texts.emplace_back(parameter, text);
    columns_.user.markers.push_back({ns, entry->second, static_cast<std::uint32_t>(thread_)});
  }
  void value(std::int64_t ns, std::uint32_t name, std::uint64_t bits) {
    columns_.user.values.push_back({ns, name, static_cast<std::uint32_t>(thread_), bits});
  }
  void message(std::int64_t ns, ActionKind kind, const AttributesBeside& beside, std::uint32_t peer,
               OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes, const std::uint64_t* request) {
    Action action;
    action.kind = kind;
    action.tag = static_cast<std::int32_t>(tag);
    action.bytes = bytes;
    action.flags = beside.flags.value_or(0);
    if (!resolve(comm, peer, action)) return;
    within_call(ns,
                kind == ActionKind::recv   ? "MPI_Recv"
                : kind == ActionKind::send ? "MPI_Send"
                                           : "MPI_Isend",
                [&] {
                  if (request != nullptr) action.operation = begin_operation(*request);
                  const std::uint32_t index = add_action(columns_, action);
                  if (beside.left && beside.arrived)
                    columns_.ways.push_back({index, after(ns, *beside.left), after(ns, *beside.arrived)});
                });
  }
  void irecv_request(std::int64_t ns, const AttributesBeside& beside, std::uint64_t request) {
    Action action;
    action.kind = ActionKind::irecv;
    action.flags = beside.flags.value_or(0);
    action.bytes = beside.capacity.value_or(0);
    action.peer = beside.source.value_or(-1);
    action.tag = beside.tag.value_or(-1);
    if (beside.comm) resolve_comm(*beside.comm, action);
    if (action.peer >= static_cast<std::int32_t>(trace_.ranks.size())) action.peer = -1;
    within_call(ns, "MPI_Irecv", [&] {
      action.operation = begin_operation(request, !beside.capacity);
      add_action(columns_, action);
    });
  }
  void irecv_done(std::int64_t ns, std::uint32_t peer, OTF2_CommRef comm, std::uint32_t tag,
                  std::uint64_t bytes, std::uint64_t request) {
    Action action;
    action.kind = ActionKind::irecv_done;
    action.tag = static_cast<std::int32_t>(tag);
    action.bytes = bytes;
    if (!resolve(comm, peer, action)) return;
    within_call(ns, "MPI_Wait", [&] {
      Begun begun = complete_operation(request);
      if (begun.action == none) {  // the tool did not record the posting: posted here
        Action posted = action;
        posted.kind = ActionKind::irecv;
        posted.operation = begun.serial = next_serial_++;
        add_action(columns_, posted);
      } else {
        columns_.peer[begun.action] = action.peer;
        columns_.tag[begun.action] = action.tag;
        columns_.comm[begun.action] = action.comm;
        if (begun.room_unknown) columns_.bytes[begun.action] = bytes;
      }
      action.operation = begun.serial;
      add_action(columns_, action);
    });
  }
  void isend_done(std::int64_t ns, std::uint64_t request) {
    const Begun begun = complete_operation(request);
    if (begun.action == none) return;
    Action action;
    action.kind = ActionKind::isend_done;
    action.peer = columns_.peer[begun.action];
    action.tag = columns_.tag[begun.action];
    action.comm = columns_.comm[begun.action];
    action.bytes = columns_.bytes[begun.action];
    action.operation = begun.serial;
    within_call(ns, "MPI_Wait", [&] { add_action(columns_, action); });
  }
  void about_request(std::int64_t ns, ActionKind kind, std::uint64_t request) {
    const auto found = open_.find(request);
    if (found == open_.end()) return;
    Action action;
    action.kind = kind;
    action.operation = found->second.serial;
    if (kind == ActionKind::cancelled) complete_operation(request);
    within_call(ns, "MPI_Test", [&] { add_action(columns_, action); });
  }
  void collective(std::int64_t ns, const AttributesBeside& beside, OTF2_CommRef comm, std::uint32_t root,
                  std::uint64_t sent, std::uint64_t received, const std::uint64_t* request,
                  OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_CREATE_HANDLE) {
    Action action;
    action.kind = request == nullptr ? ActionKind::collective : ActionKind::icollective_done;
    action.bytes = sent;
    action.bytes_received = received;
    action.flags = beside.flags.value_or(0);
    if (!resolve_comm(comm, action)) return;
    if (root < OTF2_COLLECTIVE_ROOT_THIS_GROUP) action.peer = comm_of(action.comm).world_rank(root, self_);
    within_call(ns, "MPI_Collective", [&] {
      if (request != nullptr) {
        const Begun begun = complete_operation(*request);
        if (begun.action == none) return;
        action.operation = begun.serial;
        columns_.peer[begun.action] = action.peer;
        columns_.comm[begun.action] = action.comm;
        columns_.bytes[begun.action] = sent;
        // MPI_Start says nothing of what it starts.
        if (op_of_call(begun.action) == CollectiveOp::other) columns_.tag[begun.action] = started_tag(op);
      }
      add_action(columns_, action);
    });
  }
  std::uint16_t region_of(std::uint32_t action) const {
    const auto& first = columns_.first_action;
    const auto call = std::upper_bound(first.begin(), first.end(), action) - first.begin() - 1;
    return columns_.region[static_cast<std::size_t>(call)];
  }
  CollectiveOp op_of_call(std::uint32_t action) const {
    const std::size_t region = region_of(action), defined = layout_.meanings.size();
    return region < defined ? layout_.meanings[region].op : collective_op(named_.regions[region - defined]);
  }
  void left_out(std::int64_t ns, const AttributesBeside& beside, std::uint64_t count) {
    if (!beside.left_out) return;
    Action action;
    action.kind = ActionKind::left_out;
    action.bytes = count;
    action.flags = *beside.left_out;
    if (beside.comm && !resolve_comm(*beside.comm, action)) return;
    action.peer = beside.peer.value_or(action.peer);
    action.tag = beside.tag.value_or(action.tag);
    if (action.peer >= static_cast<std::int32_t>(trace_.ranks.size()) || threads_[thread_].depth == 0) return;
    own_row(ns);
    add_action(columns_, action);
  }
  static std::int64_t after(std::int64_t ns, std::uint64_t by) {
    return ns + static_cast<std::int64_t>(std::min(by, std::uint64_t{1} << 60));
  }
  void blocked(std::int64_t ns, const AttributesBeside& beside, std::uint64_t took) {
    if (!beside.begun || !beside.peer || threads_[thread_].depth == 0 || owner_ != thread_) return;
    KnownWait wait;
    wait.call = static_cast<std::uint32_t>(columns_.calls() - 1);
    const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns - columns_.enter_ns.back()));
    wait.to_ns = ns;
    wait.from_ns = ns - static_cast<std::int64_t>(std::min(took, most));
    wait.begun_ns = std::min(after(wait.from_ns, *beside.begun), ns);
    wait.by = *beside.peer < static_cast<std::int32_t>(trace_.ranks.size()) ? *beside.peer : -1;
    columns_.waits.push_back(wait);
  }
  // Follows the collective's event, or another of its kind, in the same call.
  void sent_to(const AttributesBeside& beside, std::uint64_t bytes) {
    if (!beside.sent_to || threads_[thread_].depth == 0 || owner_ != thread_) return;
    const std::size_t last = columns_.actions() - 1;
    if (columns_.actions() <= columns_.first_action[columns_.calls() - 1]) return;
    const ActionKind kind = columns_.kind[last];
    if (kind != ActionKind::collective && kind != ActionKind::icollective && kind != ActionKind::sent_to)
      return;
    Action action;
    action.kind = ActionKind::sent_to;
    action.peer = *beside.sent_to;
    if (!beside.comm || !resolve_comm(*beside.comm, action)) return;
    action.operation = columns_.operation[last];
    action.bytes = bytes;
    if (action.peer < 0 || action.peer >= static_cast<std::int32_t>(trace_.ranks.size())) {
      ++unknown_peers_;
      return;
    }
    add_action(columns_, action);
  }
  void icollective_request(std::int64_t ns, std::uint64_t request) {
    Action action;
    action.kind = ActionKind::icollective;
    within_call(ns, "MPI_Icollective", [&] {
      action.operation = begin_operation(request);
      add_action(columns_, action);
    });
  }

  // What `take` tells WindowEvents or FileEvents of a call; it may be a collective, too.
  void window(std::int64_t ns, const char* name, auto take) { beside_columns(ns, name, windows_, take); }
  void file(std::int64_t ns, const char* name, auto take) { beside_columns(ns, name, files_, take); }
  void beside_columns(std::int64_t ns, const char* name, auto& events, auto take) {
    within_call(ns, name, [&] {
      std::optional<Action> action;
      if (!take(events, static_cast<std::uint32_t>(columns_.calls() - 1), action)) ++unknown_peers_;
      if (action) add_action(columns_, *action);
    });
  }

  const Definitions& definitions_;
  const Layout& layout_;
  Trace& trace_;
  RankTrace& columns_;
  std::int32_t self_;
  struct Thread {
    std::uint32_t depth = 0;                // MPI calls open, one within another
    std::uint16_t region = 0;               // the outermost
    std::vector<std::size_t> nested;        // calls within the outermost: indexes into RankTrace::nested
    std::vector<std::size_t> open_regions;  // of the program: indexes into its UserEvents
  };
  std::vector<Thread> threads_;
  WindowEvents windows_;
  FileEvents files_;
  std::size_t thread_ = 0, owner_ = nobody;  // whose event it is; whose call the open row is
  std::uint64_t interleaved_ = 0;
  bool any_ = false, no_room_ = false;
  std::int64_t first_ns_ = 0, last_ns_ = 0;
  std::uint64_t next_serial_ = 1, unknown_peers_ = 0;
  std::unordered_map<std::uint64_t, Begun> open_;                    // the oldest
  std::unordered_map<std::uint64_t, std::deque<Begun>> open_again_;  // those after it
  NamedByRecords named_;
  // At first nothing: undefined regions are not among the layout's.
  std::array<std::pair<OTF2_RegionRef, std::uint32_t>, 64> last_regions_ = filled();
  OTF2_CommRef last_comm_ = OTF2_UNDEFINED_COMM;
  std::uint32_t last_comm_index_ = none;  // none: no last one
  std::unordered_map<OTF2_CommRef, std::uint32_t> own_self_comms_;
  std::map<std::pair<OTF2_ParameterRef, OTF2_StringRef>, std::uint32_t> texts_;
};

template <class Act>
void Feed::take(OTF2_TimeStamp time, Act act) {
  if (wait)
    taker.while_there_is_room([&] { later.push_back({taker.at(time), act}); });
  else
    taker.take(thread, taker.at(time), act);
}
inline bool Feed::concerns_rank(OTF2_RegionRef region) const {
  return thread == 0 || taker.layout_.regions.contains(region) || taker.layout_.user_regions.contains(region);
}
inline const std::vector<std::uint32_t>* Feed::values_of(OTF2_MetricRef metric) const {
  const auto found = taker.layout_.user_values.find(metric);
  return found == taker.layout_.user_values.end() ? nullptr : &found->second;
}
inline AttributesBeside Feed::beside(const OTF2_AttributeList* list) const {
  return taker.beside(list);
}

}  // namespace ww::otf2
