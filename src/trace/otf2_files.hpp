// The events of one rank about files, to plain values (file_io.hpp).
#pragma once
#include <optional>

#include "trace/columns.hpp"
#include "trace/otf2_definitions.hpp"
#include "trace/otf2_open.hpp"

namespace ww::otf2 {

class FileEvents {
 public:
  FileEvents(const Layout& layout, Trace& trace, std::int32_t rank)
      : layout_(layout), trace_(trace), self_(rank) {}

  // False: the handle or file is not defined. `call`: index into the rank's columns. `action` is the
  // collective that the call is over those who opened the file, if it is one.
  bool changed(std::uint32_t call, OTF2_IoHandleRef handle, FileEvent event, std::optional<Action>& action);
  bool deleted(std::uint32_t call, OTF2_IoFileRef file);
  bool begun(std::uint32_t call, OTF2_IoHandleRef handle, std::uint64_t matching, FileOperation operation);
  bool completed(std::uint32_t call, OTF2_IoHandleRef handle, std::uint64_t matching, std::uint64_t bytes,
                 std::optional<Action>& action);

 private:
  RankFileIo& rank() { return trace_.file_io.ranks[static_cast<std::size_t>(self_)]; }
  Action collective(std::uint32_t handle) const;

  const Layout& layout_;
  Trace& trace_;
  const std::int32_t self_;
  OpenOperations open_;
};

}  // namespace ww::otf2
