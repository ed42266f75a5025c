#include "trace/otf2_one_sided.hpp"

namespace ww::otf2 {
namespace {

constexpr OTF2_AttributeList* no_list = nullptr;

std::uint32_t remote_of(const Names& names, const OneSidedAction& action) {
  return action.target < 0 ? OTF2_UNDEFINED_UINT32
                           : names.ranks.rank_in(names.windows[action.window].comm, action.target);
}

OTF2_CollectiveOp collective_of(OneSidedKind kind) {
  switch (kind) {
    case OneSidedKind::created:
      return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    case OneSidedKind::allocated:
      return OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE;
    case OneSidedKind::freed:
      return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
    default:
      return OTF2_COLLECTIVE_OP_BARRIER;
  }
}

OTF2_ErrorCode write_collective(OTF2_EvtWriter* writer, std::uint64_t at, const OneSidedAction& action) {
  OTF2_ErrorCode code = OTF2_SUCCESS;
  if (action.kind == OneSidedKind::created || action.kind == OneSidedKind::allocated)
    code = OTF2_EvtWriter_RmaWinCreate(writer, no_list, at, action.window);
  if (action.kind == OneSidedKind::freed)
    code = OTF2_EvtWriter_RmaWinDestroy(writer, no_list, at, action.window);
  OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS;
  if (action.kind == OneSidedKind::fence) level |= OTF2_RMA_SYNC_LEVEL_MEMORY;
  const OTF2_ErrorCode end = OTF2_EvtWriter_RmaCollectiveEnd(
      writer, no_list, at, collective_of(action.kind), level, action.window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  return code == OTF2_SUCCESS ? end : code;
}

OTF2_ErrorCode write_transfer(OTF2_EvtWriter* writer, const Names& names, std::uint64_t at,
                              const OneSidedAction& action) {
  const std::uint32_t remote = remote_of(names, action);
  const auto atomic = [&](OTF2_RmaAtomicType type) {
    return OTF2_EvtWriter_RmaAtomic(writer, no_list, at, action.window, remote, type, action.bytes_out,
                                    action.bytes_in, action.operation);
  };
  switch (action.transfer) {
    case TransferKind::put:
      return OTF2_EvtWriter_RmaPut(writer, no_list, at, action.window, remote, action.bytes_out,
                                   action.operation);
    case TransferKind::get:
      return OTF2_EvtWriter_RmaGet(writer, no_list, at, action.window, remote, action.bytes_in,
                                   action.operation);
    case TransferKind::accumulate:
      return atomic(OTF2_RMA_ATOMIC_TYPE_ACCUMULATE);
    case TransferKind::fetch:
      return atomic(OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE);
    case TransferKind::compare_and_swap:
      return atomic(OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP);
  }
  return OTF2_SUCCESS;
}

constexpr OTF2_GroupRef first_epoch_group = 1;  // 0: the locations (otf2_write.cpp)
constexpr std::uint64_t the_lock = 0;           // MPI has one lock for each target of a window

OTF2_LockType lock_type(OneSidedKind kind) {
  return kind == OneSidedKind::lock_exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
}

}  // namespace

OTF2_ErrorCode write_begin(OTF2_EvtWriter* writer, const Names& names, std::uint64_t at,
                           const OneSidedAction& action) {
  switch (action.kind) {
    case OneSidedKind::transfer:
      return write_transfer(writer, names, at, action);
    case OneSidedKind::created:
    case OneSidedKind::allocated:
    case OneSidedKind::freed:
    case OneSidedKind::fence:
      return OTF2_EvtWriter_RmaCollectiveBegin(writer, no_list, at);
    case OneSidedKind::lock_exclusive:
    case OneSidedKind::lock_shared:
      return OTF2_EvtWriter_RmaRequestLock(writer, no_list, at, action.window, remote_of(names, action),
                                           the_lock, lock_type(action.kind));
    default:
      return OTF2_SUCCESS;
  }
}

OTF2_ErrorCode write_end(OTF2_EvtWriter* writer, const Names& names, std::uint64_t at,
                         const OneSidedAction& action) {
  switch (action.kind) {
    case OneSidedKind::transfer:
      return OTF2_SUCCESS;
    case OneSidedKind::done_here:
      return OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, no_list, at, action.window, action.operation);
    case OneSidedKind::done_there:
      return OTF2_EvtWriter_RmaOpCompleteRemote(writer, no_list, at, action.window, action.operation);
    case OneSidedKind::request_tested:
      return OTF2_EvtWriter_RmaOpTest(writer, no_list, at, action.window, action.operation);
    case OneSidedKind::created:
    case OneSidedKind::allocated:
    case OneSidedKind::freed:
    case OneSidedKind::fence:
      return write_collective(writer, at, action);
    case OneSidedKind::lock_exclusive:
    case OneSidedKind::lock_shared:
      return OTF2_EvtWriter_RmaAcquireLock(writer, no_list, at, action.window, remote_of(names, action),
                                           the_lock, lock_type(action.kind));
    case OneSidedKind::unlock:
      return OTF2_EvtWriter_RmaReleaseLock(writer, no_list, at, action.window, remote_of(names, action),
                                           the_lock);
    case OneSidedKind::epoch_begin:
    case OneSidedKind::epoch_end: {
      const auto group = names.groups.find(action.group);
      WW_INVARIANT(group != names.groups.end());
      return OTF2_EvtWriter_RmaGroupSync(
          writer, no_list, at,
          action.kind == OneSidedKind::epoch_begin ? OTF2_RMA_SYNC_LEVEL_NONE : OTF2_RMA_SYNC_LEVEL_MEMORY,
          action.window, first_epoch_group + group->second);
    }
    case OneSidedKind::memory:
      return OTF2_EvtWriter_RmaSync(writer, no_list, at, action.window, remote_of(names, action),
                                    OTF2_RMA_SYNC_TYPE_MEMORY);
  }
  return OTF2_SUCCESS;
}

}  // namespace ww::otf2
