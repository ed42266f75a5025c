// What is shown of a spool without unify: the calls that it holds, of which nothing is known to be waiting.
#pragma once
#include <filesystem>
#include <memory>

#include "trace/trace.hpp"
#include "view/index.hpp"

namespace ww::view {

struct SpoolPicture {
  std::shared_ptr<const Index> index;
  std::shared_ptr<const Trace>
      frame;  // hosts, programs of the ranks, names, communicators, diagnostics; no calls
};

// Of DIR/spool, which may be written to, cut and removed meanwhile. `threads` 0: one for each processor. Errors: those of
// spool::SpoolCalls::open.
Result<SpoolPicture> picture_of_spool(const std::filesystem::path& dir, std::size_t threads = 0);

// The frame with its calls, in which nothing is sent. Error: the index is damaged.
Result<std::shared_ptr<const Trace>> trace_of_calls(const Trace& frame, const Index& calls);

}  // namespace ww::view
