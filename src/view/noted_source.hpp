// A predicted run as a source of calls, as its replay was noted: the same calls as of the trace that can be made of it.
#pragma once
#include "simulate/predicted_run.hpp"
#include "view/call_source.hpp"

namespace ww::view {

struct NotedRun {
  NotedRun(std::shared_ptr<const Trace> of, std::size_t messages);

  std::shared_ptr<const Trace> recorded;
  simulate::RunNotes notes;
  Simulated simulated;
};

class NotedSource : public CallSource {
 public:
  explicit NotedSource(const NotedRun& run);  // which must outlive it
  const std::vector<std::string>& names() const override { return run_.recorded->regions; }
  std::span<const RankProper> ranks() const override { return ranks_; }
  Result<void> read(std::size_t rank, const Take& take) const override;

 private:
  const NotedRun& run_;
  std::int64_t begin_ns_ = 0;  // of the predicted run, on the recorded trace's clock
  std::vector<RankProper> ranks_;
};

}  // namespace ww::view
