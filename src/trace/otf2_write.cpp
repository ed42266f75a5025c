#include "trace/otf2_write.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "trace/otf2_common.hpp"

namespace ww::otf2 {
namespace {

constexpr std::uint64_t event_chunk = std::uint64_t{1} << 20, definition_chunk = std::uint64_t{4} << 20;

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

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
    case CollectiveOp::other:
      return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  }
  return OTF2_COLLECTIVE_OP_BARRIER;
}

OTF2_RegionRole role_of(const std::string& call) {
  switch (collective_op(call)) {
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
    case CollectiveOp::other:
      break;
    default:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
  }
  for (const char* part : {"send", "Send", "recv", "Recv", "Wait", "Test", "robe", "Start"})
    if (call.find(part) != std::string::npos) return OTF2_REGION_ROLE_POINT2POINT;
  return OTF2_REGION_ROLE_FUNCTION;
}

// Ranks within communicators, which is how OTF2's records name peers.
class CommRanks {
 public:
  explicit CommRanks(const std::vector<Comm>& comms) : comms_(comms), places_(comms.size()) {
    for (std::size_t c = 0; c < comms.size(); ++c)
      for (std::size_t i = 0; i < comms[c].ranks.size(); ++i)
        places_[c].emplace(comms[c].ranks[i], static_cast<std::uint32_t>(i));
  }
  std::uint32_t rank_in(std::uint32_t comm, std::int32_t world_rank) const {
    const auto found = places_[comm].find(world_rank);
    WW_INVARIANT(found != places_[comm].end());
    const auto first = static_cast<std::uint32_t>(comms_[comm].first_group);
    return found->second >= first ? found->second - first : found->second;
  }

 private:
  const std::vector<Comm>& comms_;
  std::vector<std::unordered_map<std::int32_t, std::uint32_t>> places_;
};

class ArchiveWriter {
 public:
  ArchiveWriter(const Trace& trace, const WriteOptions& options)
      : trace_(trace), options_(options), comm_ranks_(trace.comms), list_(OTF2_AttributeList_New()) {
    const auto last_of = [this](const RankTrace& rank) {
      if (rank.calls() > 0) last_ns_ = std::max(last_ns_, rank.leave_ns.back());
    };
    for (const RankTrace& rank : trace.ranks) last_of(rank);
    if (options.threads != nullptr)
      for (const auto& thread : *options.threads) last_of(thread.columns);
  }
  ~ArchiveWriter() {
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
    OTF2_AttributeList_Delete(list_);
  }

  Result<void> write(const std::filesystem::path& dir) {
    const QuietErrors quiet;
    archive_ = OTF2_Archive_Open(dir.c_str(), "traces", OTF2_FILEMODE_WRITE, event_chunk, definition_chunk,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr) return fail("cannot create the archive", dir.string() + ": " + quiet.first());
    const OTF2_FlushCallbacks flush{flush_always, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "whatwire"));
    write_events();
    write_local_definitions();
    write_global_definitions();
    check(OTF2_Archive_Close(archive_));
    archive_ = nullptr;
    if (error_ != OTF2_SUCCESS)
      return fail(
          "cannot write the archive",
          dir.string() + ": " + (quiet.first().empty() ? OTF2_Error_GetDescription(error_) : quiet.first()),
          "is the disk full?");
    return {};
  }

 private:
  struct Location {
    OTF2_LocationRef id;
    std::uint32_t group;  // rank
    std::string name;
    std::uint64_t events = 0;
  };

  void check(OTF2_ErrorCode code) {
    if (error_ == OTF2_SUCCESS) error_ = code;
  }
  std::uint64_t time(std::int64_t ns) const { return static_cast<std::uint64_t>(ns); }

  void write_events() {
    check(OTF2_Archive_OpenEvtFiles(archive_));
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r)
      write_location({r, static_cast<std::uint32_t>(r), "Master thread"}, trace_.ranks[r]);
    if (options_.threads != nullptr)
      for (const auto& thread : *options_.threads) {
        const auto rank = static_cast<std::uint32_t>(thread.rank);
        // Thread numbers come from files and may repeat; locations may not.
        const OTF2_LocationRef id = (static_cast<OTF2_LocationRef>(++extra_locations_) << 32) | rank;
        write_location({id, rank, "Thread " + std::to_string(thread.thread)}, thread.columns);
      }
    check(OTF2_Archive_CloseEvtFiles(archive_));
  }

  void write_location(Location location, const RankTrace& columns) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, location.id);
    if (writer == nullptr) return check(OTF2_ERROR_INVALID);
    begun_.clear();
    std::unordered_map<std::uint64_t, std::uint64_t> received;  // bytes, by operation
    for (std::size_t a = 0; a < columns.actions(); ++a)
      if (columns.kind[a] == ActionKind::irecv_done) received[columns.operation[a]] = columns.bytes[a];
    for (std::size_t call = 0; call < columns.calls(); ++call) {
      const std::uint64_t enter = time(columns.enter_ns[call]), leave = time(columns.leave_ns[call]);
      const std::uint32_t from = columns.first_action[call], to = columns.first_action[call + 1];
      check(OTF2_EvtWriter_Enter(writer, nullptr, enter, columns.region[call]));
      for (std::uint32_t a = from; a < to; ++a) write_begin(writer, enter, columns, a, received);
      for (std::uint32_t a = from; a < to; ++a) write_completion(writer, leave, columns, call, a);
      check(OTF2_EvtWriter_Leave(writer, list_, leave, columns.region[call]));
    }
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &location.events));
    check(OTF2_Archive_CloseEvtWriter(archive_, writer));
    locations_.push_back(std::move(location));
  }

  void add_flags(std::uint8_t flags) {
    if (flags != 0) check(OTF2_AttributeList_AddUint8(list_, attribute_flags, flags));
  }

  void write_begin(OTF2_EvtWriter* writer, std::uint64_t at, const RankTrace& columns, std::uint32_t a,
                   const std::unordered_map<std::uint64_t, std::uint64_t>& received) {
    const auto peer = [&] { return comm_ranks_.rank_in(columns.comm[a], columns.peer[a]); };
    const auto tag = static_cast<std::uint32_t>(columns.tag[a]);
    switch (columns.kind[a]) {
      case ActionKind::send:
        add_flags(columns.flags_of(a));
        return check(
            OTF2_EvtWriter_MpiSend(writer, list_, at, peer(), columns.comm[a], tag, columns.bytes[a]));
      case ActionKind::isend:
        add_flags(columns.flags_of(a));
        return check(OTF2_EvtWriter_MpiIsend(writer, list_, at, peer(), columns.comm[a], tag,
                                             columns.bytes[a], columns.operation[a]));
      case ActionKind::irecv: {
        const auto arrived = received.find(columns.operation[a]);
        add_flags(columns.flags_of(a));
        if (arrived == received.end() || arrived->second != columns.bytes[a])
          check(OTF2_AttributeList_AddUint64(list_, attribute_capacity, columns.bytes[a]));
        if (arrived == received.end()) {
          check(OTF2_AttributeList_AddInt32(list_, attribute_source, columns.peer[a]));
          check(OTF2_AttributeList_AddInt32(list_, attribute_tag, columns.tag[a]));
          check(OTF2_AttributeList_AddUint32(list_, attribute_comm, columns.comm[a]));
        }
        return check(OTF2_EvtWriter_MpiIrecvRequest(writer, list_, at, columns.operation[a]));
      }
      case ActionKind::collective:
        return check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, at));
      case ActionKind::icollective:
        begun_[columns.operation[a]] = a;
        return check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, at, columns.operation[a]));
      default:
        return;
    }
  }

  void write_completion(OTF2_EvtWriter* writer, std::uint64_t at, const RankTrace& columns, std::size_t call,
                        std::uint32_t a) {
    const auto peer = [&] { return comm_ranks_.rank_in(columns.comm[a], columns.peer[a]); };
    const auto root = [&] { return columns.peer[a] < 0 ? OTF2_UNDEFINED_UINT32 : peer(); };
    const auto tag = static_cast<std::uint32_t>(columns.tag[a]);
    switch (columns.kind[a]) {
      case ActionKind::recv:
        add_flags(columns.flags_of(a));
        return check(
            OTF2_EvtWriter_MpiRecv(writer, list_, at, peer(), columns.comm[a], tag, columns.bytes[a]));
      case ActionKind::irecv_done:
        return check(OTF2_EvtWriter_MpiIrecv(writer, nullptr, at, peer(), columns.comm[a], tag,
                                             columns.bytes[a], columns.operation[a]));
      case ActionKind::isend_done:
        return check(OTF2_EvtWriter_MpiIsendComplete(writer, nullptr, at, columns.operation[a]));
      case ActionKind::collective:
        add_flags(columns.flags_of(a));
        return check(OTF2_EvtWriter_MpiCollectiveEnd(
            writer, list_, at, to_otf2(collective_op(trace_.regions[columns.region[call]])), columns.comm[a],
            root(), columns.bytes[a], columns.bytes_received[a]));
      case ActionKind::icollective_done:
        return check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
            writer, nullptr, at, op_begun(columns, columns.operation[a]), columns.comm[a], root(),
            columns.bytes[a], columns.bytes_received[a], columns.operation[a]));
      case ActionKind::test_failed:
        if (columns.operation[a] == 0)
          return check(OTF2_AttributeList_AddUint8(list_, attribute_not_found, 1));
        return check(OTF2_EvtWriter_MpiRequestTest(writer, nullptr, at, columns.operation[a]));
      case ActionKind::cancelled:
        return check(OTF2_EvtWriter_MpiRequestCancelled(writer, nullptr, at, columns.operation[a]));
      default:
        return;
    }
  }

  // The operation of a non-blocking collective is known by the call that began it.
  OTF2_CollectiveOp op_begun(const RankTrace& columns, std::uint64_t operation) const {
    const auto found = begun_.find(operation);
    if (found == begun_.end()) return OTF2_COLLECTIVE_OP_BARRIER;
    const auto after =
        std::upper_bound(columns.first_action.begin(), columns.first_action.end(), found->second);
    const auto call = static_cast<std::size_t>(after - columns.first_action.begin() - 1);
    return to_otf2(collective_op(trace_.regions[columns.region[call]]));
  }

  void write_local_definitions() {
    check(OTF2_Archive_OpenDefFiles(archive_));
    for (const Location& location : locations_) {
      OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, location.id);
      if (writer == nullptr) return check(OTF2_ERROR_INVALID);
      const double deviation = trace_.clock_uncertainty_s * 1e9;
      check(OTF2_DefWriter_WriteClockOffset(writer, 0, 0, deviation));
      if (last_ns_ > 0) check(OTF2_DefWriter_WriteClockOffset(writer, time(last_ns_), 0, deviation));
      check(OTF2_Archive_CloseDefWriter(archive_, writer));
    }
    check(OTF2_Archive_CloseDefFiles(archive_));
  }

  OTF2_StringRef string(const std::string& text) {
    const auto [entry, added] = strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
    if (added) check(OTF2_GlobalDefWriter_WriteString(global_, entry->second, text.c_str()));
    return entry->second;
  }

  void write_global_definitions() {
    global_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    if (global_ == nullptr) return check(OTF2_ERROR_INVALID);
    check(OTF2_GlobalDefWriter_WriteClockProperties(global_, 1000000000, 0, time(last_ns_) + 1,
                                                    static_cast<std::uint64_t>(options_.realtime_begin_ns)));
    const OTF2_StringRef empty = string("");
    check(OTF2_GlobalDefWriter_WriteParadigm(global_, OTF2_PARADIGM_MPI, string("MPI"),
                                             OTF2_PARADIGM_CLASS_PROCESS));
    for (OTF2_AttributeRef a = 0; a < attribute_count; ++a)
      check(OTF2_GlobalDefWriter_WriteAttribute(global_, a, string(attributes[a].name),
                                                string(attributes[a].description), attributes[a].type));
    for (std::size_t r = 0; r < trace_.regions.size(); ++r) {
      const OTF2_StringRef name = string(trace_.regions[r]);
      check(OTF2_GlobalDefWriter_WriteRegion(global_, static_cast<OTF2_RegionRef>(r), name, name, empty,
                                             role_of(trace_.regions[r]), OTF2_PARADIGM_MPI,
                                             OTF2_REGION_FLAG_NONE, string("MPI"), 0, 0));
    }
    write_system_tree();
    write_comms();
    check(OTF2_Archive_CloseGlobalDefWriter(archive_, global_));
  }

  void write_system_tree() {
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global_, 0, string("machine"), string("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const std::string& host = trace_.ranks[r].host;
      const auto [node, added] =
          hosts.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
      if (added)
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
            global_, node->second, string(host.empty() ? "unknown host" : host), string("node"), 0));
      check(OTF2_GlobalDefWriter_WriteLocationGroup(
          global_, static_cast<OTF2_LocationGroupRef>(r), string("MPI Rank " + std::to_string(r)),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, node->second, OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (const Location& location : locations_)
      check(OTF2_GlobalDefWriter_WriteLocation(global_, location.id, string(location.name),
                                               OTF2_LOCATION_TYPE_CPU_THREAD, location.events,
                                               location.group));
  }

  void write_comms() {
    std::vector<std::uint64_t> members(trace_.ranks.size());
    for (std::size_t r = 0; r < members.size(); ++r) members[r] = r;
    OTF2_GroupRef groups = 0;
    const auto group = [&](const std::string& name, OTF2_GroupType type,
                           const std::vector<std::uint64_t>& of) {
      check(OTF2_GlobalDefWriter_WriteGroup(global_, groups, string(name), type, OTF2_PARADIGM_MPI,
                                            OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(of.size()),
                                            of.data()));
      return groups++;
    };
    group("MPI locations", OTF2_GROUP_TYPE_COMM_LOCATIONS, members);
    for (std::size_t c = 0; c < trace_.comms.size(); ++c) {
      const Comm& comm = trace_.comms[c];
      const auto self = static_cast<OTF2_CommRef>(c);
      const auto split = comm.ranks.begin() + static_cast<std::ptrdiff_t>(comm.first_group);
      if (comm.first_group == 0) {
        const auto of = group(comm.name, OTF2_GROUP_TYPE_COMM_GROUP, {comm.ranks.begin(), comm.ranks.end()});
        check(OTF2_GlobalDefWriter_WriteComm(global_, self, string(comm.name), of, OTF2_UNDEFINED_COMM,
                                             OTF2_COMM_FLAG_NONE));
      } else {
        const auto a = group(comm.name, OTF2_GROUP_TYPE_COMM_GROUP, {comm.ranks.begin(), split});
        const auto b = group(comm.name, OTF2_GROUP_TYPE_COMM_GROUP, {split, comm.ranks.end()});
        check(OTF2_GlobalDefWriter_WriteInterComm(global_, self, string(comm.name), a, b, OTF2_UNDEFINED_COMM,
                                                  OTF2_COMM_FLAG_NONE));
      }
    }
  }

  const Trace& trace_;
  const WriteOptions& options_;
  CommRanks comm_ranks_;
  OTF2_AttributeList* list_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* global_ = nullptr;
  OTF2_ErrorCode error_ = OTF2_SUCCESS;
  std::int64_t last_ns_ = 0;
  std::uint32_t extra_locations_ = 0;
  std::vector<Location> locations_;
  std::unordered_map<std::string, OTF2_StringRef> strings_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      begun_;  // non-blocking collectives of the location being written
};

}  // namespace

Result<void> write_archive(const Trace& trace, const std::filesystem::path& dir,
                           const WriteOptions& options) {
  return ArchiveWriter(trace, options).write(dir);
}

}  // namespace ww::otf2
