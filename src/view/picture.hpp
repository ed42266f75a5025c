// What is shown of a spool without unify, and of a large archive before it is loaded: the calls that it holds, of which nothing is known
// to be waiting.
#pragma once
#include <filesystem>
#include <memory>

#include "trace/trace.hpp"
#include "view/index.hpp"

namespace ww::view {

struct CallsPicture {
  std::shared_ptr<const Index> index;
  std::shared_ptr<const Trace>
      frame;  // hosts, programs of the ranks, names, communicators, diagnostics; no calls
};

// Of DIR/spool, which may be written to, cut and removed meanwhile. `threads` 0: one for each processor. Errors: those of
// spool::SpoolCalls::open.
Result<CallsPicture> picture_of_spool(const std::filesystem::path& dir, std::size_t threads = 0);

// Of an archive as users name it, a trace directory or an anchor. Its memory is the index's, and of ranks with several threads the calls of
// as many ranks as there are processors. Errors: those of otf2::ArchiveCalls.
Result<CallsPicture> picture_of_archive(const std::filesystem::path& trace, std::size_t threads = 0);

// Is loading it so long that its picture is worth making first?
bool is_large_archive(const std::filesystem::path& trace);

// The frame with its calls, in which nothing is sent. Error: the index is damaged.
Result<std::shared_ptr<const Trace>> trace_of_calls(const Trace& frame, const Index& calls);

}  // namespace ww::view
