// A trace as a source of calls.
#pragma once
#include "analyze/breakdown.hpp"
#include "view/call_source.hpp"

namespace ww::view {

class TraceSource : public CallSource {
 public:
  // Both must outlive it; `splits`: of that trace (split_calls, Breakdown::splits).
  TraceSource(const Trace& trace, const std::vector<Breakdown::CallSplit>& splits);
  const std::vector<std::string>& names() const override { return trace_.regions; }
  std::span<const RankProper> ranks() const override { return ranks_; }
  Result<void> read(std::size_t rank, const Take& take) const override;

 private:
  const Trace& trace_;
  const std::vector<Breakdown::CallSplit>& splits_;
  std::vector<RankProper> ranks_;
};

}  // namespace ww::view
