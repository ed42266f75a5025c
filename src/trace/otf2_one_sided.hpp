// One-sided communication in OTF2's records.
//   creation, freeing, fence   RmaCollectiveBegin, RmaCollectiveEnd around RmaWinCreate or RmaWinDestroy
//   post, start                RmaGroupSync at level NONE;  complete, wait: at level MEMORY
//   lock, unlock               RmaRequestLock at the entry, RmaAcquireLock at the return; RmaReleaseLock
//   (lock 0 of the target) flush, sync                RmaSync of the memory, of the target (undefined: all)
//   or of the rank itself transfers                  RmaPut, RmaGet, RmaAtomic at the entry;
//   RmaOpCompleteNonBlocking in the call that completed
//                              them at the origin, RmaOpCompleteRemote in the one that completed them at the
//                              target
#pragma once
#include "trace/otf2_location.hpp"

namespace ww::otf2 {

OTF2_ErrorCode write_begin(OTF2_EvtWriter* writer, const Names& names, std::uint64_t at,
                           const OneSidedAction& action);
OTF2_ErrorCode write_end(OTF2_EvtWriter* writer, const Names& names, std::uint64_t at,
                         const OneSidedAction& action);

}  // namespace ww::otf2
