// What the calls of a rank did beside their columns, found by the call.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace ww::exporting {

class ByCall {
 public:
  // `call_of(item)`: a call's number; `none` is left out. Items of a call stay in their order.
  template <class Items, class CallOf>
  ByCall(const Items& items, CallOf call_of) {
    for (std::size_t i = 0; i < items.size(); ++i)
      if (call_of(items[i]) != none) numbers_.emplace_back(call_of(items[i]), static_cast<std::uint32_t>(i));
    std::sort(numbers_.begin(), numbers_.end());
  }
  // act(number of the item)
  template <class Act>
  void of(std::uint32_t call, Act act) const {
    auto at = std::lower_bound(numbers_.begin(), numbers_.end(), std::pair(call, std::uint32_t{0}));
    for (; at != numbers_.end() && at->first == call; ++at) act(at->second);
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers_;  // call, item
};

// Of one rank.
struct BesideCalls {
  const RankOneSided& one_sided;
  const RankFileIo& file_io;
  ByCall issued, arrived, synchronised;  // transfers: by the calls that issued them and when they were there
  ByCall begun, completed, changed;      // operations on files

  BesideCalls(const RankOneSided& windows, const RankFileIo& files)
      : one_sided(windows),
        file_io(files),
        issued(windows.transfers, [](const Transfer& t) { return t.call; }),
        arrived(windows.transfers, arrival_of),
        synchronised(windows.syncs, [](const WindowSync& sync) { return sync.call; }),
        begun(files.operations, [](const FileOperation& o) { return o.call; }),
        completed(files.operations,
                  [](const FileOperation& o) { return is_told(o.done_call, o.call) ? o.done_call : none; }),
        changed(files.events, [](const FileEvent& event) { return event.call; }) {}

  // The call by whose end the bytes are known to be where they go; if none is told, that which issued it.
  static std::uint32_t arrival_of(const Transfer& transfer) {
    if (transfer.bytes_in == 0 && is_told(transfer.remote_done_call, transfer.call))
      return transfer.remote_done_call;
    return is_told(transfer.done_call, transfer.call) ? transfer.done_call : transfer.call;
  }
  // Of threads a call may complete what another, that began after it, issued: that is not drawn.
  static bool is_told(std::uint32_t done_call, std::uint32_t call) {
    return done_call != none && done_call >= call;
  }
};

inline BesideCalls beside_calls(const Trace& trace, std::size_t rank) {
  static const RankOneSided no_windows;
  static const RankFileIo no_files;
  return {rank < trace.one_sided.ranks.size() ? trace.one_sided.ranks[rank] : no_windows,
          rank < trace.file_io.ranks.size() ? trace.file_io.ranks[rank] : no_files};
}

}  // namespace ww::exporting
