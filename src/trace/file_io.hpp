// Reading and writing of files through MPI as plain values, beside the columns of the calls (trace.hpp).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/column.hpp"

namespace ww {

// A file while it is open: MPI_File_open to MPI_File_close.
struct FileHandle {
  std::uint32_t file = 0;  // index into FileIo::files
  std::uint32_t comm = 0;  // index into Trace::comms: who opened it together
};

enum class FileMode : std::uint8_t { read, write, read_write };

// Of one rank.
struct FileOperation {
  static constexpr std::int64_t unknown_offset = -1;
  std::uint32_t call = 0;  // that began it: index into the rank's columns
  std::uint32_t done_call =
      0xffffffffu;           // in which it was complete (the same if it blocks); all ones: not told
  std::uint32_t handle = 0;  // index into FileIo::handles
  bool writes = false, collective = false, blocking = true;
  std::uint64_t bytes_wanted = 0, bytes = 0;  // asked for, and really transferred
  std::int64_t offset = unknown_offset;       // as given, in units of the file's view
};

enum class FileChange : std::uint8_t { opened, closed, deleted };

struct FileEvent {
  std::uint32_t call = 0;
  FileChange change = FileChange::opened;
  std::uint32_t file = 0;    // index into FileIo::files
  std::uint32_t handle = 0;  // index into FileIo::handles, of what is opened and closed
  FileMode mode = FileMode::read;
};

struct RankFileIo {
  Column<FileOperation> operations;  // in the order of their beginning
  Column<FileEvent> events;
};

struct FileIo {
  std::vector<std::string> files;  // names, as the program gave them
  std::vector<FileHandle> handles;
  std::vector<RankFileIo> ranks;  // as Trace::ranks; empty: the trace has no file I/O
};

}  // namespace ww
