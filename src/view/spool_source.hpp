// Spools as what an index is made of: calls, of which nothing is known to be waiting.
#pragma once
#include <memory>

#include "trace/spool_calls.hpp"
#include "view/call_source.hpp"

namespace ww::view {

class SpoolSource final : public CallSource {
 public:
  explicit SpoolSource(std::shared_ptr<const spool::SpoolCalls> calls);
  const std::vector<std::string>& names() const override { return calls_->frame().regions; }
  std::span<const RankProper> ranks() const override { return ranks_; }
  Result<void> read(std::size_t rank, const Take& take) const override;

 private:
  std::shared_ptr<const spool::SpoolCalls> calls_;
  std::vector<RankProper> ranks_;
  std::int64_t begin_ns_ = 0;
};

}  // namespace ww::view
