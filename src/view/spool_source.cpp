#include "view/spool_source.hpp"

#include <algorithm>
#include <array>

namespace ww::view {

SpoolSource::SpoolSource(std::shared_ptr<const spool::SpoolCalls> calls) : calls_(std::move(calls)) {
  const Trace& frame = calls_->frame();
  begin_ns_ = frame.begin_ns();
  for (const RankTrace& rank : frame.ranks)
    ranks_.push_back({rank.begin_ns - begin_ns_, std::max(rank.begin_ns, rank.end_ns) - begin_ns_});
}

Result<void> SpoolSource::read(std::size_t rank, const Take& take) const {
  std::array<CallInterval, 1024> piece;
  std::size_t count = 0;
  calls_->read(rank, [&](const spool::SpoolCalls::Call& call) {
    piece[count++] = {call.enter_ns - begin_ns_, call.leave_ns - begin_ns_, 0, 0, call.region};
    if (count < piece.size()) return;
    take(piece);
    count = 0;
  });
  if (count > 0) take({piece.data(), count});
  return {};
}

}  // namespace ww::view
