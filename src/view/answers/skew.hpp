// Collectives: how long they waited for their last member, and how long they took from then on.
#pragma once
#include <vector>

#include "analyze/selection.hpp"

namespace ww::view {

// Instants since the begin of the program.
struct CollectiveSkew {
  CollectiveOp op = CollectiveOp::other;
  std::uint32_t comm = 0;
  std::int64_t first_ns = 0, last_ns = 0;  // the first and the last member's entry
  std::int64_t left_ns = 0;                // the last return
  std::int32_t last_rank = -1;             // who entered last
  std::uint64_t bytes = 0;                 // sent by all members

  std::int64_t skew_ns() const { return last_ns - first_ns; }
  std::int64_t transfer_ns() const { return left_ns > last_ns ? left_ns - last_ns : 0; }
};

struct SkewOfOp {
  CollectiveOp op = CollectiveOp::other;
  std::uint64_t count = 0;
  double skew_s = 0, transfer_s = 0;
};

struct Skew {
  std::uint64_t all = 0;
  std::vector<CollectiveSkew> collectives;  // in time; of more than the limit those with the largest skew
  std::vector<SkewOfOp> by_op;              // of all; the largest skew first
};

// Of collectives in which a selected rank has a selected call, and whose first member enters in the span.
Skew skew_of(const Part& part, std::size_t limit);

}  // namespace ww::view
