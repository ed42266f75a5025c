// One call on its way into an archive.
#pragma once
#include <span>

#include "trace/columns.hpp"
#include "trace/file_action.hpp"
#include "trace/one_sided_action.hpp"

namespace ww {

struct CallAction : Action {
  // Of an irecv: whether and with how many bytes it completes, which OTF2's record of the posting wants to
  // know.
  bool arrives = false;
  std::uint64_t arrived_bytes = 0;
  // Of an icollective_done: the region of the call that began it.
  std::uint16_t begun_region = 0xffff;
  const KnownWay* way = nullptr;  // of a send, where it is known
};

struct RecordedCall {
  std::int64_t enter_ns = 0, leave_ns = 0;
  std::uint16_t region = 0;
  std::span<const CallAction> actions;
  std::span<const OneSidedAction> one_sided = {};
  std::span<const FileAction> files = {};
  std::span<const KnownWait> waits = {};
};

}  // namespace ww
