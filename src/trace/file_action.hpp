// What a call does about files, on its way from a spool into an archive.
#pragma once
#include "trace/file_io.hpp"

namespace ww {

enum class FileActionKind : std::uint8_t {
  opened,
  closed,
  deleted,
  access,  // a blocking operation
  begun,   // a non-blocking one
  done,    // ... is complete
  tested   // ... was found open
};

struct FileAction {
  FileActionKind kind = FileActionKind::access;
  std::uint32_t file = 0, handle = 0;  // index into FileIo::files, ::handles
  bool writes = false, collective = false;
  std::uint64_t bytes_wanted = 0, bytes = 0;
  std::int64_t offset = FileOperation::unknown_offset;
  std::uint64_t operation = 0;  // a number of its own on the rank
};

}  // namespace ww
