#include "trace/otf2_windows.hpp"

#include "trace/otf2_events.hpp"

namespace ww::otf2 {

bool WindowEvents::transfer(std::uint32_t call, OTF2_RmaWinRef window, std::uint32_t remote,
                            std::uint64_t matching, Transfer transfer) {
  const std::uint32_t* index = index_of(layout_.windows, window);
  if (index == nullptr) return false;
  transfer.call = call;
  transfer.window = *index;
  transfer.target = trace_.comms[trace_.one_sided.windows[*index].comm].world_rank(remote, self_);
  if (transfer.target < 0) return false;
  open_.begin(*index, matching, rank().transfers.size());
  rank().transfers.push_back(transfer);
  return true;
}

bool WindowEvents::completed(std::uint32_t call, OTF2_RmaWinRef window, std::uint64_t matching,
                             bool at_target) {
  const std::uint32_t* index = index_of(layout_.windows, window);
  if (index == nullptr) return false;
  const std::size_t* place = open_.find(*index, matching);
  if (place == nullptr) return true;
  Transfer& transfer = rank().transfers[*place];
  if (transfer.done_call == no_call_number) transfer.done_call = call;
  if (!at_target) return true;
  transfer.remote_done_call = call;
  open_.end(*index, matching);
  return true;
}

bool WindowEvents::sync(std::uint32_t call, OTF2_RmaWinRef window, std::uint32_t remote, SyncKind kind) {
  const std::uint32_t* index = index_of(layout_.windows, window);
  if (index == nullptr) return false;
  WindowSync sync{call, *index, -1, kind};
  if (remote != OTF2_UNDEFINED_UINT32) {
    sync.target = trace_.comms[trace_.one_sided.windows[*index].comm].world_rank(remote, self_);
    if (sync.target < 0) return false;
  }
  rank().syncs.push_back(sync);
  return true;
}

bool WindowEvents::collective(std::uint32_t call, OTF2_RmaWinRef window, SyncKind kind,
                              std::optional<Action>& action) {
  if (!sync(call, window, OTF2_UNDEFINED_UINT32, kind)) return false;
  action.emplace();
  action->kind = ActionKind::collective;
  action->comm = trace_.one_sided.windows[rank().syncs.back().window].comm;
  return true;
}

namespace {

using Location = OTF2_LocationRef;
using Time = OTF2_TimeStamp;
using List = OTF2_AttributeList;
using WindowRef = OTF2_RmaWinRef;

SyncKind collective_kind(OTF2_CollectiveOp op) {
  switch (op) {
    case OTF2_COLLECTIVE_OP_CREATE_HANDLE:
    case OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE:
    case OTF2_COLLECTIVE_OP_ALLOCATE:
      return SyncKind::created;
    case OTF2_COLLECTIVE_OP_DESTROY_HANDLE:
    case OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE:
    case OTF2_COLLECTIVE_OP_DEALLOCATE:
      return SyncKind::freed;
    default:
      return SyncKind::fence;
  }
}

}  // namespace

void EventTaker::set_window_callbacks(OTF2_EvtReaderCallbacks* set) {
  // One event about windows: what is to be done with it, in the order of time.
  static constexpr auto take = [](void* user, Time time, const char* name, auto act) {
    of(user).take(time, [=](EventTaker& taker, std::int64_t ns) { taker.window(ns, name, act); });
    return OTF2_CALLBACK_SUCCESS;
  };
  static constexpr auto issue = [](void* user, Time time, const char* name, WindowRef window,
                                   std::uint32_t remote, std::uint64_t matching, TransferKind kind,
                                   std::uint64_t out, std::uint64_t in) {
    Transfer transfer;
    transfer.kind = kind;
    transfer.bytes_out = out;
    transfer.bytes_in = in;
    return take(user, time, name, [=](WindowEvents& events, std::uint32_t call, auto&) {
      return events.transfer(call, window, remote, matching, transfer);
    });
  };
  static constexpr auto complete = [](void* user, Time time, WindowRef window, std::uint64_t matching,
                                      bool at_target) {
    return take(user, time, "MPI_Win_flush", [=](WindowEvents& events, std::uint32_t call, auto&) {
      return events.completed(call, window, matching, at_target);
    });
  };
  static constexpr auto synchronise = [](void* user, Time time, const char* name, WindowRef window,
                                         std::uint32_t remote, SyncKind kind) {
    return take(user, time, name, [=](WindowEvents& events, std::uint32_t call, auto&) {
      return events.sync(call, window, remote, kind);
    });
  };
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, WindowRef window, uint32_t remote,
              uint64_t bytes, uint64_t matching) {
        return issue(user, time, "MPI_Put", window, remote, matching, TransferKind::put, bytes, 0);
      });
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, WindowRef window, uint32_t remote,
              uint64_t bytes, uint64_t matching) {
        return issue(user, time, "MPI_Get", window, remote, matching, TransferKind::get, 0, bytes);
      });
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, WindowRef window, uint32_t remote,
              OTF2_RmaAtomicType type, uint64_t out, uint64_t in, uint64_t matching) {
        const TransferKind kind =
            type == OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP ? TransferKind::compare_and_swap
            : type == OTF2_RMA_ATOMIC_TYPE_ACCUMULATE || type == OTF2_RMA_ATOMIC_TYPE_INCREMENT
                ? TransferKind::accumulate
                : TransferKind::fetch;
        return issue(user, time, "MPI_Accumulate", window, remote, matching, kind, out, in);
      });
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, WindowRef window, uint64_t matching) {
        return complete(user, time, window, matching, false);
      });
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, WindowRef window, uint64_t matching) {
        return complete(user, time, window, matching, false);
      });
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, WindowRef window, uint64_t matching) {
        return complete(user, time, window, matching, true);
      });
  OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, WindowRef, uint64_t) {
        return take(user, time, "MPI_Test", [](WindowEvents&, std::uint32_t, std::optional<Action>& action) {
          action.emplace().kind = ActionKind::test_failed;
          return true;
        });
      });
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, OTF2_CollectiveOp op, OTF2_RmaSyncLevel,
              WindowRef window, uint32_t, uint64_t, uint64_t) {
        return take(user, time, "MPI_Win_fence",
                    [=](WindowEvents& events, std::uint32_t call, std::optional<Action>& action) {
                      return events.collective(call, window, collective_kind(op), action);
                    });
      });
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, OTF2_RmaSyncLevel level, WindowRef window,
              OTF2_GroupRef) {
        const bool begins = level == OTF2_RMA_SYNC_LEVEL_NONE;
        return synchronise(user, time, begins ? "MPI_Win_start" : "MPI_Win_complete", window,
                           OTF2_UNDEFINED_UINT32, begins ? SyncKind::epoch_begin : SyncKind::epoch_end);
      });
  OTF2_EvtReaderCallbacks_SetRmaSyncCallback(set, [](Location, Time time, uint64_t, void* user, List*,
                                                     WindowRef window, uint32_t remote, OTF2_RmaSyncType) {
    return synchronise(user, time, "MPI_Win_flush", window, remote, SyncKind::memory);
  });
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(
      set,
      [](Location, Time time, uint64_t, void* user, List*, WindowRef window, uint32_t remote, uint64_t,
         OTF2_LockType) { return synchronise(user, time, "MPI_Win_lock", window, remote, SyncKind::lock); });
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, WindowRef window, uint32_t remote, uint64_t) {
        return synchronise(user, time, "MPI_Win_unlock", window, remote, SyncKind::unlock);
      });
}

}  // namespace ww::otf2
