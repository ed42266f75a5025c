// Spools and archives as what an index is made of: calls, of which nothing is known to be waiting.
#pragma once
#include <algorithm>
#include <array>
#include <memory>

#include "trace/archive_calls.hpp"
#include "trace/spool_calls.hpp"
#include "view/call_source.hpp"

namespace ww::view {

// Calls: spool::SpoolCalls or otf2::ArchiveCalls.
template <class Calls>
class OuterCallSource final : public CallSource {
 public:
  explicit OuterCallSource(std::shared_ptr<Calls> calls)
      : calls_(std::move(calls)), begin_ns_(calls_->frame().begin_ns()) {
    for (std::size_t r = 0; r < calls_->frame().ranks.size(); ++r) ranks_.push_back(program_of(r));
  }
  const std::vector<std::string>& names() const override { return calls_->frame().regions; }
  std::span<const RankProper> ranks() const override { return ranks_; }
  Result<void> read(std::size_t rank, const Take& take) const override {
    std::array<CallInterval, 1024> piece;
    std::size_t count = 0;
    WW_CHECK(calls_->read(rank, [&](const OuterCall& call) {
      piece[count++] = {call.enter_ns - begin_ns_, call.leave_ns - begin_ns_, 0, 0, call.region};
      if (count < piece.size()) return;
      take(piece);
      count = 0;
    }));
    if (count > 0) take({piece.data(), count});
    ranks_[rank] = program_of(rank);
    return {};
  }

 private:
  RankProper program_of(std::size_t r) const {
    const RankTrace& rank = calls_->frame().ranks[r];
    return {rank.begin_ns - begin_ns_, std::max(rank.begin_ns, rank.end_ns) - begin_ns_};
  }

  std::shared_ptr<Calls> calls_;
  std::int64_t begin_ns_ = 0;
  mutable std::vector<RankProper> ranks_;  // each is told by whoever reads the rank
};

}  // namespace ww::view
