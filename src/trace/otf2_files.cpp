#include "trace/otf2_files.hpp"

#include "trace/otf2_events.hpp"

namespace ww::otf2 {

Action FileEvents::collective(std::uint32_t handle) const {
  Action action;
  action.kind = ActionKind::collective;
  action.comm = trace_.file_io.handles[handle].comm;
  return action;
}

bool FileEvents::changed(std::uint32_t call, OTF2_IoHandleRef handle, FileEvent event,
                         std::optional<Action>& action) {
  const std::uint32_t* index = index_of(layout_.io_handles, handle);
  if (index == nullptr) return false;
  event.call = call;
  event.handle = *index;
  event.file = trace_.file_io.handles[*index].file;
  rank().events.push_back(event);
  action = collective(*index);
  return true;
}

bool FileEvents::deleted(std::uint32_t call, OTF2_IoFileRef file) {
  const std::uint32_t* index = index_of(layout_.io_files, file);
  if (index == nullptr) return false;
  rank().events.push_back({call, FileChange::deleted, *index, 0, FileMode::read});
  return true;
}

bool FileEvents::begun(std::uint32_t call, OTF2_IoHandleRef handle, std::uint64_t matching,
                       FileOperation operation) {
  const std::uint32_t* index = index_of(layout_.io_handles, handle);
  if (index == nullptr) return false;
  operation.call = call;
  operation.handle = *index;
  open_.begin(*index, matching, rank().operations.size());
  rank().operations.push_back(operation);
  return true;
}

bool FileEvents::completed(std::uint32_t call, OTF2_IoHandleRef handle, std::uint64_t matching,
                           std::uint64_t bytes, std::optional<Action>& action) {
  const std::uint32_t* index = index_of(layout_.io_handles, handle);
  if (index == nullptr) return false;
  const std::size_t* place = open_.find(*index, matching);
  if (place == nullptr) return true;
  FileOperation& operation = rank().operations[*place];
  operation.done_call = call;
  operation.bytes = bytes;
  open_.end(*index, matching);
  if (operation.collective && operation.blocking) action = collective(*index);
  return true;
}

namespace {

using Location = OTF2_LocationRef;
using Time = OTF2_TimeStamp;
using List = OTF2_AttributeList;
using Handle = OTF2_IoHandleRef;

FileMode mode_of(OTF2_IoAccessMode mode) {
  return mode == OTF2_IO_ACCESS_MODE_READ_WRITE   ? FileMode::read_write
         : mode == OTF2_IO_ACCESS_MODE_WRITE_ONLY ? FileMode::write
                                                  : FileMode::read;
}

}  // namespace

void EventTaker::set_file_callbacks(OTF2_EvtReaderCallbacks* set) {
  // Records of other interfaces to files (POSIX) are passed over: their handles are not in the layout.
  static constexpr auto is_mpi = [](void* user, Handle handle) {
    return of(user).taker.layout_.io_handles.contains(handle);
  };
  static constexpr auto take = [](void* user, Time time, const char* name, auto act) {
    of(user).take(time, [=](EventTaker& taker, std::int64_t ns) { taker.file(ns, name, act); });
    return OTF2_CALLBACK_SUCCESS;
  };
  OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, Handle handle, OTF2_IoAccessMode mode,
              OTF2_IoCreationFlag, OTF2_IoStatusFlag) {
        if (!is_mpi(user, handle)) return OTF2_CALLBACK_SUCCESS;
        const FileEvent event{0, FileChange::opened, 0, 0, mode_of(mode)};
        return take(user, time, "MPI_File_open",
                    [=](FileEvents& events, std::uint32_t call, std::optional<Action>& action) {
                      return events.changed(call, handle, event, action);
                    });
      });
  OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, Handle handle) {
        if (!is_mpi(user, handle)) return OTF2_CALLBACK_SUCCESS;
        const FileEvent event{0, FileChange::closed, 0, 0, FileMode::read};
        return take(user, time, "MPI_File_close",
                    [=](FileEvents& events, std::uint32_t call, std::optional<Action>& action) {
                      return events.changed(call, handle, event, action);
                    });
      });
  OTF2_EvtReaderCallbacks_SetIoDeleteFileCallback(set, [](Location, Time time, uint64_t, void* user, List*,
                                                          OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file) {
    if (of(user).taker.layout_.io_paradigm != paradigm) return OTF2_CALLBACK_SUCCESS;
    return take(user, time, "MPI_File_delete",
                [=](FileEvents& events, std::uint32_t call, auto&) { return events.deleted(call, file); });
  });
  OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, Handle handle, OTF2_IoOperationMode mode,
              OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t matching) {
        if (!is_mpi(user, handle) || mode == OTF2_IO_OPERATION_MODE_FLUSH) return OTF2_CALLBACK_SUCCESS;
        FileOperation operation;
        operation.writes = mode == OTF2_IO_OPERATION_MODE_WRITE;
        operation.collective = (flags & OTF2_IO_OPERATION_FLAG_COLLECTIVE) != 0;
        operation.blocking = (flags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING) == 0;
        operation.bytes_wanted = bytes;
        operation.offset = of(user).beside(list).offset.value_or(FileOperation::unknown_offset);
        return take(user, time, operation.writes ? "MPI_File_write" : "MPI_File_read",
                    [=](FileEvents& events, std::uint32_t call, auto&) {
                      return events.begun(call, handle, matching, operation);
                    });
      });
  OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(
      set,
      [](Location, Time time, uint64_t, void* user, List*, Handle handle, uint64_t bytes, uint64_t matching) {
        if (!is_mpi(user, handle)) return OTF2_CALLBACK_SUCCESS;
        return take(user, time, "MPI_Wait",
                    [=](FileEvents& events, std::uint32_t call, std::optional<Action>& action) {
                      return events.completed(call, handle, matching, bytes, action);
                    });
      });
  OTF2_EvtReaderCallbacks_SetIoOperationTestCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, Handle handle, uint64_t) {
        if (!is_mpi(user, handle)) return OTF2_CALLBACK_SUCCESS;
        return take(user, time, "MPI_Test", [](FileEvents&, std::uint32_t, std::optional<Action>& action) {
          action.emplace().kind = ActionKind::test_failed;
          return true;
        });
      });
}

}  // namespace ww::otf2
