// From calls to an index.
#pragma once
#include "view/call_source.hpp"
#include "view/index.hpp"

namespace ww::view {

struct Building {
  std::size_t threads = 0;              // 0: one for each processor; the index is the same whatever they are
  std::shared_ptr<ColumnStore> store;   // where what is larger than the memory is kept; none: in memory
  std::function<std::string()> facts;   // Index::facts; asked for when all calls have been read
  std::int64_t from_ns = 0, to_ns = 0;  // what the span holds in any case, beside calls and programs
  // Tiles that hold more calls than this are stored, and those of a third of them where they are small beside the
  // calls; the others are worked out when they are asked for.
  std::uint64_t calls_a_tile = std::uint64_t{3} << 19;
};

// Errors: those of the source. Throws NoRoom.
Result<std::shared_ptr<const Index>> build_index(const CallSource& source, const Building& building);
// The same of calls that are made when they are read: quick, and never written. `source` tells of names and programs.
Result<std::shared_ptr<const Index>> build_index(const CallSource& source,
                                                 const std::shared_ptr<const CallBlocks>& made,
                                                 const Building& building);

}  // namespace ww::view
