// A predicted run as a source of calls, as its replay was noted: the same calls as of the trace that can be made of it.
#pragma once
#include "simulate/predicted_run.hpp"
#include "simulate/replayed_times.hpp"
#include "view/call_source.hpp"
#include "view/packed_calls.hpp"

namespace ww::view {

struct NotedRun {
  NotedRun(std::shared_ptr<const Trace> of, std::size_t messages);

  std::shared_ptr<const Trace> recorded;
  simulate::RunNotes notes;
  Simulated simulated;
};

class NotedSource : public CallSource, public CallBlocks {
 public:
  explicit NotedSource(std::shared_ptr<const NotedRun> run);
  const std::vector<std::string>& names() const override { return run_->recorded->regions; }
  std::span<const RankProper> ranks() const override { return programs_; }
  Result<void> read(std::size_t rank, const Take& take) const override;

  RankCalls list(std::size_t rank) const override;
  std::size_t read_block(std::size_t rank, std::size_t block,
                         std::array<CallInterval, block_calls>& out) const override;

 private:
  struct OfRank {
    simulate::ReplayedCalls replayed;
    std::vector<CallInterval> before, behind;  // calls outside of the program
    std::vector<std::uint32_t> wait_of_block;  // the first that is not of an earlier block's call
    std::int64_t begin_ns = 0, end_ns = 0;     // of the program, on the recorded trace's clock
  };
  OfRank prepared(std::size_t rank) const;
  std::vector<CallInterval> calls_outside(std::size_t rank, std::size_t first, std::size_t last,
                                          const simulate::ReplayedTimes& times) const;
  std::int64_t entered_ns(std::size_t rank, std::size_t call) const;

  std::shared_ptr<const NotedRun> run_;
  simulate::ReplayedTimes clock_;
  std::int64_t begin_ns_ = 0;  // of the predicted run, on the recorded trace's clock
  std::vector<RankProper> programs_;
  std::vector<OfRank> ranks_;
};

}  // namespace ww::view
