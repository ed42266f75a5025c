#include "trace/otf2_file_io.hpp"

#include "interpose/core/spool_format.hpp"
#include "trace/otf2_common.hpp"

namespace ww::otf2 {
namespace {

constexpr OTF2_AttributeList* no_attributes = nullptr;

OTF2_ErrorCode write_create(OTF2_EvtWriter* writer, std::uint64_t at, std::uint32_t handle,
                            std::uint32_t mode) {
  const auto has = [&](std::uint32_t bit) { return (mode & bit) != 0; };
  const OTF2_IoAccessMode access = has(spool::file_read_write)   ? OTF2_IO_ACCESS_MODE_READ_WRITE
                                   : has(spool::file_write_only) ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
                                                                 : OTF2_IO_ACCESS_MODE_READ_ONLY;
  OTF2_IoCreationFlag creation = OTF2_IO_CREATION_FLAG_NONE;
  if (has(spool::file_create)) creation |= OTF2_IO_CREATION_FLAG_CREATE;
  if (has(spool::file_exclusive)) creation |= OTF2_IO_CREATION_FLAG_EXCLUSIVE;
  OTF2_IoStatusFlag status = OTF2_IO_STATUS_FLAG_NONE;
  if (has(spool::file_append)) status |= OTF2_IO_STATUS_FLAG_APPEND;
  if (has(spool::file_delete_on_close)) status |= OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE;
  return OTF2_EvtWriter_IoCreateHandle(writer, no_attributes, at, handle, access, creation, status);
}

}  // namespace

OTF2_ErrorCode write_begin(OTF2_EvtWriter* writer, OTF2_AttributeList* list, std::uint64_t at,
                           const FileAction& action) {
  if (action.kind != FileActionKind::access && action.kind != FileActionKind::begun) return OTF2_SUCCESS;
  OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
  if (action.kind == FileActionKind::begun) flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
  if (action.collective) flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
  if (action.offset >= 0)
    if (const auto code = OTF2_AttributeList_AddInt64(list, attribute_offset, action.offset);
        code != OTF2_SUCCESS)
      return code;
  return OTF2_EvtWriter_IoOperationBegin(
      writer, list, at, action.handle,
      action.writes ? OTF2_IO_OPERATION_MODE_WRITE : OTF2_IO_OPERATION_MODE_READ, flags, action.bytes_wanted,
      action.operation);
}

OTF2_ErrorCode write_end(OTF2_EvtWriter* writer, const Names& names, std::uint64_t at,
                         const FileAction& action) {
  switch (action.kind) {
    case FileActionKind::opened:
      return write_create(writer, at, action.handle, names.files.modes[action.handle]);
    case FileActionKind::closed:
      return OTF2_EvtWriter_IoDestroyHandle(writer, no_attributes, at, action.handle);
    case FileActionKind::deleted:
      return OTF2_EvtWriter_IoDeleteFile(writer, no_attributes, at, io_paradigm, action.file);
    case FileActionKind::begun:
      return OTF2_EvtWriter_IoOperationIssued(writer, no_attributes, at, action.handle, action.operation);
    case FileActionKind::tested:
      return OTF2_EvtWriter_IoOperationTest(writer, no_attributes, at, action.handle, action.operation);
    case FileActionKind::access:
    case FileActionKind::done:
      return OTF2_EvtWriter_IoOperationComplete(writer, no_attributes, at, action.handle, action.bytes,
                                                action.operation);
  }
  return OTF2_SUCCESS;
}

}  // namespace ww::otf2
