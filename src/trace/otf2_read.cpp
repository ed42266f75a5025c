#include "trace/otf2_read.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>

#include "trace/columns.hpp"
#include "trace/otf2_definitions.hpp"

namespace ww::otf2 {
namespace {

constexpr std::uint64_t batch = 1 << 16;

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

OTF2_EvtReaderCallbacks* EventTaker::callbacks() {
  OTF2_EvtReaderCallbacks* set = OTF2_EvtReaderCallbacks_New();
  using Location = OTF2_LocationRef;
  using Time = OTF2_TimeStamp;
  using List = OTF2_AttributeList;
  OTF2_EvtReaderCallbacks_SetEnterCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, OTF2_RegionRef region) {
        of(user).enter(of(user).at(time), region);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetLeaveCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_RegionRef region) {
        of(user).leave(of(user).at(time), list, region);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes) {
        of(user).message(of(user).at(time), ActionKind::send, list, peer, comm, tag, bytes, nullptr);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes) {
        of(user).message(of(user).at(time), ActionKind::recv, list, peer, comm, tag, bytes, nullptr);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes, uint64_t request) {
        of(user).message(of(user).at(time), ActionKind::isend, list, peer, comm, tag, bytes, &request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).isend_done(of(user).at(time), request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint64_t request) {
        of(user).irecv_request(of(user).at(time), list, request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes, uint64_t request) {
        of(user).irecv_done(of(user).at(time), peer, comm, tag, bytes, request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).about_request(of(user).at(time), ActionKind::test_failed, request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).about_request(of(user).at(time), ActionKind::cancelled, request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_CollectiveOp, OTF2_CommRef comm,
              uint32_t root, uint64_t sent, uint64_t received) {
        of(user).collective(of(user).at(time), list, comm, root, sent, received, nullptr);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).icollective_request(of(user).at(time), request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_CollectiveOp, OTF2_CommRef comm,
              uint32_t root, uint64_t sent, uint64_t received, uint64_t request) {
        of(user).collective(of(user).at(time), list, comm, root, sent, received, &request);
        return OTF2_CALLBACK_SUCCESS;
      });
  return set;
}

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
struct DeleteCallbacks {
  void operator()(OTF2_EvtReaderCallbacks* callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
};

// Mapping tables and clock offsets: libotf2 applies them to the events once they were read. False: they
// cannot be read.
bool read_local_definitions(OTF2_Reader* reader, OTF2_LocationRef location, double& deviation_ticks) {
  OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader, location);
  if (definitions == nullptr) return false;
  OTF2_DefReaderCallbacks* callbacks = OTF2_DefReaderCallbacks_New();
  OTF2_DefReaderCallbacks_SetClockOffsetCallback(
      callbacks, [](void* user, OTF2_TimeStamp, int64_t, double deviation) -> OTF2_CallbackCode {
        auto& largest = *static_cast<double*>(user);
        largest = std::max(largest, deviation);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, &deviation_ticks);
  std::uint64_t read = 0;
  const bool good = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read) == OTF2_SUCCESS;
  OTF2_DefReaderCallbacks_Delete(callbacks);
  OTF2_Reader_CloseDefReader(reader, definitions);
  return good;
}

// Reads what the definitions promise, in batches and never more, since libotf2 can read a truncated file for
// ever.
Result<std::uint64_t> read_location(OTF2_Reader* reader, const OTF2_EvtReaderCallbacks* callbacks,
                                    const LocationDefinition& location, EventTaker& taker,
                                    std::int32_t rank) {
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location.id);
  std::uint64_t total = 0;
  if (events != nullptr) {
    OTF2_EvtReader_ApplyMappingTables(events, true);
    OTF2_EvtReader_ApplyClockOffsets(events, true);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &taker);
    while (total < location.events) {
      std::uint64_t read = 0;
      const OTF2_ErrorCode code =
          OTF2_Reader_ReadLocalEvents(reader, events, std::min(batch, location.events - total), &read);
      total += read;
      if (code != OTF2_SUCCESS || read == 0) break;
    }
    OTF2_Reader_CloseEvtReader(reader, events);
  }
  taker.finish();
  if (total < location.events)
    return fail("the archive is truncated or damaged",
                "rank " + std::to_string(rank) + " has " + std::to_string(total) + " of " +
                    std::to_string(location.events) + " events",
                "copy it again, or record again");
  return total;
}

// The program proper, from the return of MPI_Init to the entry of MPI_Finalize.
void find_program(const Trace& trace, RankTrace& rank, std::int64_t first_ns, std::int64_t last_ns) {
  rank.begin_ns = first_ns;
  rank.end_ns = last_ns;
  for (std::size_t call = 0; call < rank.calls(); ++call) {
    const std::string& name = trace.regions[rank.region[call]];
    if (name == "MPI_Init" || name == "MPI_Init_thread") rank.begin_ns = rank.leave_ns[call];
    if (name == "MPI_Finalize") {
      rank.end_ns = rank.enter_ns[call];
      break;
    }
  }
  rank.end_ns = std::max(rank.begin_ns, rank.end_ns);
}

}  // namespace

Result<Trace> read_archive(const std::filesystem::path& anchor) {
  const QuietErrors errors;
  const auto unreadable = [&](const char* what) {
    return fail(what, anchor.string() + (errors.first().empty() ? "" : " (" + errors.first() + ")"),
                "name a trace directory or the traces.otf2 of a complete archive");
  };
  std::error_code ignored;
  const auto size = std::filesystem::file_size(anchor, ignored);
  if (ignored || size == 0) return unreadable("not an OTF2 archive");
  const std::unique_ptr<OTF2_Reader, CloseReader> reader(OTF2_Reader_Open(anchor.c_str()));
  if (reader == nullptr) return unreadable("not an OTF2 archive");
  if (OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()) != OTF2_SUCCESS)
    return unreadable("the archive cannot be opened");
  WW_TRY(const Definitions definitions, read_definitions(reader.get(), anchor.string(), errors));
  Trace trace;
  trace.source = anchor;
  Layout layout = lay_out(definitions, trace);
  if (trace.ranks.empty()) return unreadable("the archive holds no MPI ranks");

  for (const auto& location : layout.locations)
    if (location) OTF2_Reader_SelectLocation(reader.get(), location->id);
  if (OTF2_Reader_OpenEvtFiles(reader.get()) != OTF2_SUCCESS)
    return unreadable("the events cannot be opened");
  const bool has_local = OTF2_Reader_OpenDefFiles(reader.get()) == OTF2_SUCCESS;
  const std::unique_ptr<OTF2_EvtReaderCallbacks, DeleteCallbacks> callbacks(EventTaker::callbacks());
  double deviation_ticks = 0;
  std::uint64_t unknown_peers = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> spans(trace.ranks.size());
  std::vector<bool> has_events(trace.ranks.size(), false);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    EventTaker taker(definitions, layout, trace, static_cast<std::int32_t>(r));
    if (layout.locations[r] && layout.locations[r]->events > 0) {
      if (has_local && !read_local_definitions(reader.get(), layout.locations[r]->id, deviation_ticks))
        trace.diagnostics.add(
            "local-definitions-unreadable", Severity::data_loss,
            "a rank's clock corrections and numbering could not be read: its times and names may be "
            "wrong; copy the archive again");
      WW_TRY(const std::uint64_t events, read_location(reader.get(), callbacks.get(), *layout.locations[r],
                                                       taker, static_cast<std::int32_t>(r)));
      trace.events += events;
    }
    taker.finish();
    unknown_peers += taker.unknown_peers();
    has_events[r] = taker.any();
    spans[r] = {taker.first_ns(), taker.last_ns()};
    if (taker.any()) first = std::min(first, taker.first_ns());
  }
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    RankTrace& rank = trace.ranks[r];
    if (!has_events[r]) continue;
    for (auto* column : {&rank.enter_ns, &rank.leave_ns})
      for (std::int64_t& time : *column) time -= first;
    find_program(trace, rank, spans[r].first - first, spans[r].second - first);
  }
  trace.clock_uncertainty_s = deviation_ticks / static_cast<double>(definitions.ticks_per_s);
  if (unknown_peers > 0)
    trace.diagnostics.add(
        "unknown-communicator", Severity::data_loss,
        "records name communicators or ranks that the archive does not define; they were not taken",
        unknown_peers);
  return trace;
}

}  // namespace ww::otf2
