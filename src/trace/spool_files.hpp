// The records about files of one rank, decoded in the order of time.
#pragma once
#include <unordered_map>

#include "interpose/core/spool_format.hpp"
#include "trace/file_action.hpp"
#include "trace/spool_comms.hpp"

namespace ww::spool {

class FileDecoder {
 public:
  explicit FileDecoder(const FileNumbers& numbers) : numbers_(numbers) {}

  // False: the record names what is not defined.
  bool take(const Record& record, std::vector<FileAction>& out);
  // A non-blocking operation was completed. False: it was not begun in the trace.
  bool complete(const Record& record, std::vector<FileAction>& out);
  // Its request was found open. False: it is no operation on a file.
  bool test(std::uint64_t request, std::vector<FileAction>& out) const;

 private:
  const FileNumbers& numbers_;
  std::unordered_map<std::uint64_t, FileAction> open_;  // by serial of the recorder
  std::uint64_t next_operation_ = 1;
};

}  // namespace ww::spool
