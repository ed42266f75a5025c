#include "trace/otf2_location.hpp"

#include <algorithm>

#include "trace/otf2_common.hpp"
#include "trace/otf2_file_io.hpp"
#include "trace/otf2_one_sided.hpp"

namespace ww::otf2 {

OTF2_CollectiveOp to_otf2(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::barrier:
      return OTF2_COLLECTIVE_OP_BARRIER;
    case CollectiveOp::bcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case CollectiveOp::gather:
      return OTF2_COLLECTIVE_OP_GATHER;
    case CollectiveOp::gatherv:
      return OTF2_COLLECTIVE_OP_GATHERV;
    case CollectiveOp::scatter:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case CollectiveOp::scatterv:
      return OTF2_COLLECTIVE_OP_SCATTERV;
    case CollectiveOp::allgather:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case CollectiveOp::allgatherv:
      return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case CollectiveOp::alltoall:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    case CollectiveOp::alltoallv:
      return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case CollectiveOp::alltoallw:
      return OTF2_COLLECTIVE_OP_ALLTOALLW;
    case CollectiveOp::allreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case CollectiveOp::reduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case CollectiveOp::reduce_scatter:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case CollectiveOp::reduce_scatter_block:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case CollectiveOp::scan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case CollectiveOp::exscan:
      return OTF2_COLLECTIVE_OP_EXSCAN;
    case CollectiveOp::communicator:
    case CollectiveOp::window:
    case CollectiveOp::file:
    case CollectiveOp::other:
      return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  }
  return OTF2_COLLECTIVE_OP_BARRIER;
}

std::int32_t started_tag(OTF2_CollectiveOp op) {
  for (std::int32_t of = 0; of < static_cast<std::int32_t>(CollectiveOp::communicator); ++of)
    if (to_otf2(static_cast<CollectiveOp>(of)) == op) return of + 1;
  return 0;
}

OTF2_RegionRole role_of(const CallMeaning& meaning) {
  switch (meaning.op) {
    case CollectiveOp::barrier:
      return OTF2_REGION_ROLE_BARRIER;
    case CollectiveOp::bcast:
    case CollectiveOp::scatter:
    case CollectiveOp::scatterv:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case CollectiveOp::gather:
    case CollectiveOp::gatherv:
    case CollectiveOp::reduce:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case CollectiveOp::communicator:
      return OTF2_REGION_ROLE_COLL_OTHER;
    case CollectiveOp::window:
      return OTF2_REGION_ROLE_RMA;
    case CollectiveOp::file:
      return OTF2_REGION_ROLE_FILE_IO;
    case CollectiveOp::other:
      break;
    default:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
  }
  if (meaning.role == CallRole::one_sided) return OTF2_REGION_ROLE_RMA;
  return meaning.role == CallRole::p2p ? OTF2_REGION_ROLE_POINT2POINT : OTF2_REGION_ROLE_FUNCTION;
}

CommRanks::CommRanks(const std::vector<Comm>& comms) : comms_(comms), places_(comms.size()) {
  for (std::size_t c = 0; c < comms.size(); ++c) {
    // Of a communicator of all ranks in their order, which is most of the memory, nothing needs to be noted.
    bool in_order = comms[c].first_group == 0;
    for (std::size_t i = 0; in_order && i < comms[c].ranks.size(); ++i)
      in_order = comms[c].ranks[i] == static_cast<std::int32_t>(i);
    if (in_order) continue;
    for (std::size_t i = 0; i < comms[c].ranks.size(); ++i)
      places_[c].emplace(comms[c].ranks[i], static_cast<std::uint32_t>(i));
  }
}

std::uint32_t CommRanks::rank_in(std::uint32_t comm, std::int32_t world_rank) const {
  if (places_[comm].empty()) {
    WW_INVARIANT(world_rank >= 0 && static_cast<std::size_t>(world_rank) < comms_[comm].ranks.size());
    return static_cast<std::uint32_t>(world_rank);
  }
  const auto found = places_[comm].find(world_rank);
  WW_INVARIANT(found != places_[comm].end());
  const auto first = static_cast<std::uint32_t>(comms_[comm].first_group);
  return found->second >= first ? found->second - first : found->second;
}

LocationWriter::LocationWriter(const Names& names, OTF2_EvtWriter* writer, OTF2_LocationRef id,
                               std::uint32_t rank, std::string name)
    : names_(names),
      writer_(writer),
      list_(OTF2_AttributeList_New()),
      id_(id),
      rank_(rank),
      name_(std::move(name)) {}

LocationWriter::~LocationWriter() {
  OTF2_AttributeList_Delete(list_);
}

void LocationWriter::enter(const RecordedCall& call) {
  const auto at = static_cast<std::uint64_t>(call.enter_ns);
  check(OTF2_EvtWriter_Enter(writer_, nullptr, at, call.region));
  for (const CallAction& action : call.actions) write_begin(at, action);
  for (const OneSidedAction& action : call.one_sided) check(otf2::write_begin(writer_, names_, at, action));
  for (const FileAction& action : call.files) check(otf2::write_begin(writer_, list_, at, action));
}

void LocationWriter::leave(const RecordedCall& call) {
  const auto at = static_cast<std::uint64_t>(call.leave_ns);
  last_ns_ = std::max(last_ns_, call.leave_ns);
  for (const KnownWait& wait : call.waits) write_wait(wait);
  for (const CallAction& action : call.actions) write_completion(at, call, action);
  for (const OneSidedAction& action : call.one_sided) check(otf2::write_end(writer_, names_, at, action));
  for (const FileAction& action : call.files) check(otf2::write_end(writer_, names_, at, action));
  check(OTF2_EvtWriter_Leave(writer_, list_, at, call.region));
}

void LocationWriter::user(const UserEvent& event) {
  const auto at = static_cast<std::uint64_t>(event.at_ns);
  last_ns_ = std::max(last_ns_, event.at_ns);
  switch (event.kind) {
    case UserEvent::Kind::enter:
      return check(OTF2_EvtWriter_Enter(writer_, nullptr, at, names_.user_region(event.name)));
    case UserEvent::Kind::leave:
      return check(OTF2_EvtWriter_Leave(writer_, nullptr, at, names_.user_region(event.name)));
    case UserEvent::Kind::marker:
      return check(OTF2_EvtWriter_ParameterString(writer_, nullptr, at, parameter_marker, event.name));
    case UserEvent::Kind::value: {
      const OTF2_Type type = names_.user.values[event.name].whole ? OTF2_TYPE_INT64 : OTF2_TYPE_DOUBLE;
      OTF2_MetricValue value;
      value.unsigned_int = event.bits;
      return check(OTF2_EvtWriter_Metric(writer_, nullptr, at, event.name, 1, &type, &value));
    }
  }
}

void LocationWriter::write_wait(const KnownWait& wait) {
  check(OTF2_AttributeList_AddUint64(list_, attribute_begun,
                                     static_cast<std::uint64_t>(wait.begun_ns - wait.from_ns)));
  check(OTF2_AttributeList_AddInt32(list_, attribute_peer, wait.by));
  check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, list_, static_cast<std::uint64_t>(wait.to_ns),
                                            parameter_blocked,
                                            static_cast<std::uint64_t>(wait.to_ns - wait.from_ns)));
}

void LocationWriter::add_way(std::uint64_t at, const CallAction& action) {
  if (action.way == nullptr) return;
  const auto since = [&](std::int64_t ns) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns - static_cast<std::int64_t>(at)));
  };
  check(OTF2_AttributeList_AddUint64(list_, attribute_left, since(action.way->left_ns)));
  check(OTF2_AttributeList_AddUint64(list_, attribute_arrived, since(action.way->arrived_ns)));
}

void LocationWriter::add_flags(std::uint8_t flags) {
  if (flags != 0) check(OTF2_AttributeList_AddUint8(list_, attribute_flags, flags));
}

CollectiveOp LocationWriter::op_of(std::uint16_t region) const {
  return region < names_.meanings.size() ? names_.meanings[region].op : CollectiveOp::barrier;
}

void LocationWriter::write_sent_to(std::uint64_t at, const CallAction& action) {
  check(OTF2_AttributeList_AddInt32(list_, attribute_sent_to, action.peer));
  check(OTF2_AttributeList_AddUint32(list_, attribute_comm, action.comm));
  check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, list_, at, parameter_sent_to, action.bytes));
}

void LocationWriter::write_begin(std::uint64_t at, const CallAction& action) {
  const auto peer = [&] { return names_.ranks.rank_in(action.comm, action.peer); };
  const auto tag = static_cast<std::uint32_t>(action.tag);
  switch (action.kind) {
    case ActionKind::send:
      add_flags(action.flags);
      add_way(at, action);
      return check(OTF2_EvtWriter_MpiSend(writer_, list_, at, peer(), action.comm, tag, action.bytes));
    case ActionKind::isend:
      add_flags(action.flags);
      add_way(at, action);
      return check(OTF2_EvtWriter_MpiIsend(writer_, list_, at, peer(), action.comm, tag, action.bytes,
                                           action.operation));
    case ActionKind::irecv:
      add_flags(action.flags);
      if (!action.arrives || action.arrived_bytes != action.bytes)
        check(OTF2_AttributeList_AddUint64(list_, attribute_capacity, action.bytes));
      if (!action.arrives) {
        check(OTF2_AttributeList_AddInt32(list_, attribute_source, action.peer));
        check(OTF2_AttributeList_AddInt32(list_, attribute_tag, action.tag));
        check(OTF2_AttributeList_AddUint32(list_, attribute_comm, action.comm));
      }
      return check(OTF2_EvtWriter_MpiIrecvRequest(writer_, list_, at, action.operation));
    case ActionKind::left_out:
      check(OTF2_AttributeList_AddUint8(list_, attribute_left_out, action.flags));
      check(OTF2_AttributeList_AddInt32(list_, attribute_peer, action.peer));
      check(OTF2_AttributeList_AddInt32(list_, attribute_tag, action.tag));
      check(OTF2_AttributeList_AddUint32(list_, attribute_comm, action.comm));
      return check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, list_, at, parameter_left_out, action.bytes));
    case ActionKind::sent_to:
      return action.operation != 0 ? write_sent_to(at, action) : void();
    case ActionKind::collective:
      return check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, at));
    case ActionKind::icollective:
      return check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, at, action.operation));
    default:
      return;
  }
}

void LocationWriter::write_completion(std::uint64_t at, const RecordedCall& call, const CallAction& action) {
  const auto peer = [&] { return names_.ranks.rank_in(action.comm, action.peer); };
  const auto root = [&] { return action.peer < 0 ? OTF2_UNDEFINED_UINT32 : peer(); };
  const auto tag = static_cast<std::uint32_t>(action.tag);
  switch (action.kind) {
    case ActionKind::recv:
      add_flags(action.flags);
      return check(OTF2_EvtWriter_MpiRecv(writer_, list_, at, peer(), action.comm, tag, action.bytes));
    case ActionKind::irecv_done:
      return check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, at, peer(), action.comm, tag, action.bytes,
                                           action.operation));
    case ActionKind::isend_done:
      return check(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, at, action.operation));
    case ActionKind::collective:
      add_flags(action.flags);
      return check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, list_, at, to_otf2(op_of(call.region)),
                                                   action.comm, root(), action.bytes, action.bytes_received));
    case ActionKind::icollective_done:
      return check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
          writer_, nullptr, at, to_otf2(op_of(action.begun_region)), action.comm, root(), action.bytes,
          action.bytes_received, action.operation));
    case ActionKind::sent_to:
      return action.operation == 0 ? write_sent_to(at, action) : void();
    case ActionKind::test_failed:
      if (action.operation == 0) return check(OTF2_AttributeList_AddUint8(list_, attribute_not_found, 1));
      return check(OTF2_EvtWriter_MpiRequestTest(writer_, nullptr, at, action.operation));
    case ActionKind::cancelled:
      return check(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, at, action.operation));
    default:
      return;
  }
}

}  // namespace ww::otf2
