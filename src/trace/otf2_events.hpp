// The events of one rank's location, to columns.
#pragma once
#include <algorithm>
#include <deque>

#include "trace/columns.hpp"
#include "trace/otf2_definitions.hpp"

namespace ww::otf2 {

// Takes the events of one rank's location.
class EventTaker {
 public:
  EventTaker(const Definitions& definitions, Layout& layout, Trace& trace, std::int32_t rank)
      : definitions_(definitions),
        layout_(layout),
        trace_(trace),
        columns_(trace.ranks[static_cast<std::size_t>(rank)]),
        self_(rank) {}

  bool any() const { return any_; }
  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_; }
  std::uint64_t unknown_peers() const { return unknown_peers_; }

  // Ends what is open when the archive ends.
  void finish() {
    if (depth_ > 0) end_call(columns_, last_ns_);
    depth_ = 0;
    if (columns_.first_action.empty()) columns_.first_action.push_back(0);
  }

  static OTF2_EvtReaderCallbacks* callbacks();

 private:
  static EventTaker& of(void* user) { return *static_cast<EventTaker*>(user); }

  std::int64_t at(OTF2_TimeStamp time) {
    const auto ticks = static_cast<std::int64_t>(time - definitions_.global_offset);
    std::int64_t ns = ticks;
    if (definitions_.ticks_per_s != 1000000000)
      ns = static_cast<std::int64_t>(static_cast<long double>(ticks) * (1e9L / definitions_.ticks_per_s));
    ns = std::clamp<std::int64_t>(ns, -std::int64_t{4} << 60, std::int64_t{3} << 60);
    if (!any_) first_ns_ = last_ns_ = ns;
    any_ = true;
    return last_ns_ = std::max(last_ns_, ns);
  }

  // A record outside of any MPI call (the tool left the calls out) becomes a call of no length.
  template <class Add>
  void within_call(std::int64_t ns, const char* name, Add add) {
    const bool lone = depth_ == 0;
    if (lone) begin_call(columns_, ns, region_named(name));
    add();
    if (lone) end_call(columns_, ns);
  }
  std::uint16_t region_named(const char* name) {
    const auto found = std::find(trace_.regions.begin(), trace_.regions.end(), name);
    if (found == trace_.regions.end()) {
      trace_.regions.emplace_back(name);
      return static_cast<std::uint16_t>(trace_.regions.size() - 1);
    }
    return static_cast<std::uint16_t>(found - trace_.regions.begin());
  }

  // False: a communicator or peer that is not defined; the record is counted and not taken.
  bool resolve(OTF2_CommRef comm, std::uint32_t peer, Action& action) {
    if (!resolve_comm(comm, action)) return false;
    action.peer = trace_.comms[action.comm].world_rank(peer, self_);
    if (action.peer < 0) ++unknown_peers_;
    return action.peer >= 0;
  }
  bool resolve_comm(OTF2_CommRef comm, Action& action) {
    const auto found = layout_.comms.find(comm);
    if (found != layout_.comms.end()) {
      action.comm = found->second;
      return true;
    }
    const auto self = layout_.self_comms.find(comm);
    if (self == layout_.self_comms.end()) {
      ++unknown_peers_;
      return false;
    }
    const auto [entry, added] =
        own_self_comms_.try_emplace(comm, static_cast<std::uint32_t>(trace_.comms.size()));
    if (added) trace_.comms.push_back({definitions_.text(self->second), {self_}});
    action.comm = entry->second;
    return true;
  }

  template <class Get, class T>
  bool attribute(const OTF2_AttributeList* list, Attribute which, Get get, T& value) const {
    return list != nullptr && layout_.attribute[which] != OTF2_UNDEFINED_ATTRIBUTE &&
           OTF2_AttributeList_TestAttributeByID(list, layout_.attribute[which]) &&
           get(list, layout_.attribute[which], &value) == OTF2_SUCCESS;
  }
  std::uint8_t flags(const OTF2_AttributeList* list) const {
    std::uint8_t value = 0;
    attribute(list, attribute_flags, OTF2_AttributeList_GetUint8, value);
    return value;
  }

  // Request numbers may be used again: the oldest operation of that number that is not complete is meant.
  struct Begun {
    std::uint64_t serial;
    std::uint32_t action;
  };
  std::uint64_t begin_operation(std::uint64_t request) {
    open_[request].push_back({next_serial_, static_cast<std::uint32_t>(columns_.actions())});
    return next_serial_++;
  }
  Begun complete_operation(std::uint64_t request) {
    const auto found = open_.find(request);
    if (found == open_.end()) return {0, none};
    const Begun begun = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) open_.erase(found);
    return begun;
  }

  void enter(std::int64_t ns, OTF2_RegionRef region) {
    const auto found = layout_.regions.find(region);
    if (found == layout_.regions.end()) return;
    if (depth_++ == 0) begin_call(columns_, ns, found->second);
  }
  void leave(std::int64_t ns, const OTF2_AttributeList* list, OTF2_RegionRef region) {
    if (depth_ == 0 || !layout_.regions.contains(region)) return;
    std::uint8_t not_found = 0;
    if (attribute(list, attribute_not_found, OTF2_AttributeList_GetUint8, not_found)) {
      Action action;
      action.kind = ActionKind::test_failed;
      add_action(columns_, action);
    }
    if (--depth_ == 0) end_call(columns_, ns);
  }
  void message(std::int64_t ns, ActionKind kind, const OTF2_AttributeList* list, std::uint32_t peer,
               OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes, const std::uint64_t* request) {
    Action action;
    action.kind = kind;
    action.tag = static_cast<std::int32_t>(tag);
    action.bytes = bytes;
    action.flags = flags(list);
    if (!resolve(comm, peer, action)) return;
    within_call(ns,
                kind == ActionKind::recv   ? "MPI_Recv"
                : kind == ActionKind::send ? "MPI_Send"
                                           : "MPI_Isend",
                [&] {
                  if (request != nullptr) action.operation = begin_operation(*request);
                  add_action(columns_, action);
                });
  }
  void irecv_request(std::int64_t ns, const OTF2_AttributeList* list, std::uint64_t request) {
    Action action;
    action.kind = ActionKind::irecv;
    action.flags = flags(list);
    action.tag = -1;
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
    attribute(list, attribute_capacity, OTF2_AttributeList_GetUint64, action.bytes);
    attribute(list, attribute_source, OTF2_AttributeList_GetInt32, action.peer);
    attribute(list, attribute_tag, OTF2_AttributeList_GetInt32, action.tag);
    if (attribute(list, attribute_comm, OTF2_AttributeList_GetUint32, comm)) resolve_comm(comm, action);
    if (action.peer >= static_cast<std::int32_t>(trace_.ranks.size())) action.peer = -1;
    std::uint8_t has_room = 0;
    std::uint64_t room = 0;
    if (attribute(list, attribute_capacity, OTF2_AttributeList_GetUint64, room)) has_room = 1;
    within_call(ns, "MPI_Irecv", [&] {
      action.operation = begin_operation(request);
      const std::uint32_t index = add_action(columns_, action);
      if (has_room == 0) room_unknown_.insert({action.operation, index});
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
        if (room_unknown_.erase(begun.serial) > 0) columns_.bytes[begun.action] = bytes;
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
    action.operation = found->second.front().serial;
    if (kind == ActionKind::cancelled) complete_operation(request);
    within_call(ns, "MPI_Test", [&] { add_action(columns_, action); });
  }
  void collective(std::int64_t ns, const OTF2_AttributeList* list, OTF2_CommRef comm, std::uint32_t root,
                  std::uint64_t sent, std::uint64_t received, const std::uint64_t* request) {
    Action action;
    action.kind = request == nullptr ? ActionKind::collective : ActionKind::icollective_done;
    action.bytes = sent;
    action.bytes_received = received;
    action.flags = flags(list);
    if (!resolve_comm(comm, action)) return;
    if (root < OTF2_COLLECTIVE_ROOT_THIS_GROUP)
      action.peer = trace_.comms[action.comm].world_rank(root, self_);
    within_call(ns, "MPI_Collective", [&] {
      if (request != nullptr) {
        const Begun begun = complete_operation(*request);
        if (begun.action == none) return;
        action.operation = begun.serial;
        columns_.peer[begun.action] = action.peer;
        columns_.comm[begun.action] = action.comm;
        columns_.bytes[begun.action] = sent;
      }
      add_action(columns_, action);
    });
  }
  void left_out(std::int64_t ns, const OTF2_AttributeList* list, std::uint64_t count) {
    Action action;
    action.kind = ActionKind::left_out;
    action.bytes = count;
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
    if (!attribute(list, attribute_left_out, OTF2_AttributeList_GetUint8, action.flags)) return;
    if (attribute(list, attribute_comm, OTF2_AttributeList_GetUint32, comm) && !resolve_comm(comm, action))
      return;
    attribute(list, attribute_peer, OTF2_AttributeList_GetInt32, action.peer);
    attribute(list, attribute_tag, OTF2_AttributeList_GetInt32, action.tag);
    if (action.peer >= static_cast<std::int32_t>(trace_.ranks.size())) return;
    static_cast<void>(ns);
    if (depth_ > 0) add_action(columns_, action);
  }
  void icollective_request(std::int64_t ns, std::uint64_t request) {
    Action action;
    action.kind = ActionKind::icollective;
    within_call(ns, "MPI_Icollective", [&] {
      action.operation = begin_operation(request);
      add_action(columns_, action);
    });
  }

  const Definitions& definitions_;
  Layout& layout_;
  Trace& trace_;
  RankTrace& columns_;
  std::int32_t self_;
  std::uint32_t depth_ = 0;  // MPI calls open, one within another
  bool any_ = false;
  std::int64_t first_ns_ = 0, last_ns_ = 0;
  std::uint64_t next_serial_ = 1, unknown_peers_ = 0;
  std::unordered_map<std::uint64_t, std::deque<Begun>> open_;
  std::unordered_map<std::uint64_t, std::uint32_t> room_unknown_;
  std::unordered_map<OTF2_CommRef, std::uint32_t> own_self_comms_;
};

}  // namespace ww::otf2
