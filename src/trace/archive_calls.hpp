// The calls of an archive, read rank by rank, and nothing of what became of messages: a picture of a large archive in the time and memory
// that its calls take. Their times are the archive's, without what load_trace mends of clocks that contradict the messages.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "trace/thread_rows.hpp"
#include "trace/trace.hpp"

namespace ww::otf2 {

class OpenArchive;

class ArchiveCalls {
 public:
  // Reads the definitions, and of each rank as much as tells where its program begins. Errors: those of read_archive.
  static Result<std::shared_ptr<ArchiveCalls>> open(const std::filesystem::path& anchor);
  ~ArchiveCalls();

  // Hosts, names, communicators, the run, and what was met; no calls. Of a rank that has not been read nobody knows where its program ends.
  const Trace& frame() const { return frame_; }
  // As spool::SpoolCalls::read; of each rank once. Error: the rank's events are truncated or damaged.
  Result<void> read(std::size_t rank, const TakeCall& take);

 private:
  ArchiveCalls() = default;
  Result<void> find_begin(std::size_t rank, std::vector<double>& deviation_ticks);

  Trace frame_;
  std::unique_ptr<OpenArchive> archive_;
};

}  // namespace ww::otf2
