#include "trace/spool_files.hpp"

namespace ww::spool {
namespace {

std::uint64_t both_halves(const Record& record) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(record.tag)) << 32 |
         static_cast<std::uint32_t>(record.peer);
}

std::int64_t offset_of(std::uint64_t value) {
  const auto offset = static_cast<std::int64_t>(value);
  return offset >= 0 ? offset : FileOperation::unknown_offset;
}

}  // namespace

bool FileDecoder::take(const Record& record, std::vector<FileAction>& out) {
  const auto kind = static_cast<Kind>(record.kind);
  FileAction action;
  if (kind == Kind::file && record.tag == static_cast<std::int32_t>(FileCall::deleted)) {
    const auto file = numbers_.files.find(record.comm);
    if (file == numbers_.files.end()) return false;
    action.kind = FileActionKind::deleted;
    action.file = file->second;
    out.push_back(action);
    return true;
  }
  const auto handle = numbers_.handles.find(record.comm);
  if (handle == numbers_.handles.end()) return false;
  action.handle = handle->second;
  action.writes = kind == Kind::file_write || kind == Kind::file_iwrite;
  action.collective = (record.flags & (flag_collective | flag_joint)) != 0;
  switch (kind) {
    case Kind::file:
      if (record.tag != static_cast<std::int32_t>(FileCall::opened) &&
          record.tag != static_cast<std::int32_t>(FileCall::closed))
        return false;
      action.kind = record.tag == static_cast<std::int32_t>(FileCall::opened) ? FileActionKind::opened
                                                                              : FileActionKind::closed;
      break;
    case Kind::file_read:
    case Kind::file_write:
      action.kind = FileActionKind::access;
      action.bytes = record.bytes;
      action.bytes_wanted = both_halves(record);
      action.offset = offset_of(record.operation);
      action.operation = next_operation_++;
      break;
    default:
      action.kind = FileActionKind::begun;
      action.bytes_wanted = record.bytes;
      action.offset = offset_of(both_halves(record));
      action.operation = next_operation_++;
      open_[record.operation] = action;
      break;
  }
  out.push_back(action);
  return true;
}

bool FileDecoder::complete(const Record& record, std::vector<FileAction>& out) {
  const auto found = open_.find(record.operation);
  if (found == open_.end()) return false;
  FileAction action = found->second;
  open_.erase(found);
  action.kind = FileActionKind::done;
  action.bytes = record.bytes;
  out.push_back(action);
  return true;
}

bool FileDecoder::test(std::uint64_t request, std::vector<FileAction>& out) const {
  const auto found = open_.find(request);
  if (found == open_.end()) return false;
  FileAction action = found->second;
  action.kind = FileActionKind::tested;
  out.push_back(action);
  return true;
}

}  // namespace ww::spool
