// The events of one rank about windows, to plain values (one_sided.hpp). Other tools' archives are read
// alike, in which an operation may be said complete once only, by whichever record.
#pragma once
#include <optional>

#include "trace/columns.hpp"
#include "trace/otf2_definitions.hpp"
#include "trace/otf2_open.hpp"

namespace ww::otf2 {

class WindowEvents {
 public:
  WindowEvents(const Layout& layout, Trace& trace, std::int32_t rank)
      : layout_(layout), trace_(trace), self_(rank) {}

  // False: the window or the target is not defined. `call`: index into the rank's columns.
  bool transfer(std::uint32_t call, OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t matching,
                Transfer transfer);
  bool completed(std::uint32_t call, OTF2_RmaWinRef window, std::uint64_t matching, bool at_target);
  bool sync(std::uint32_t call, OTF2_RmaWinRef window, std::uint32_t remote, SyncKind kind);
  // Gives the collective over the window's members that the call is.
  bool collective(std::uint32_t call, OTF2_RmaWinRef window, SyncKind kind, std::optional<Action>& action);

 private:
  RankOneSided& rank() { return trace_.one_sided.ranks[static_cast<std::size_t>(self_)]; }

  const Layout& layout_;
  Trace& trace_;
  const std::int32_t self_;
  OpenOperations open_;  // transfers that are not complete at their target
};

}  // namespace ww::otf2
