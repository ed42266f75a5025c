// The sends and receives that have no other side in the trace, listed (S5: messages that never arrived).
#pragma once
#include "analyze/selection.hpp"

namespace ww {

struct UnmatchedEnd {
  bool send = false;
  std::int32_t rank = 0, peer = -1, tag = 0;  // peer -1: any source, tag -1: any tag
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0;  // of a receive: the room
  std::uint32_t call = 0;   // of the rank
  double at_s = 0;          // since the begin of the program
  const char* why = "";
};

// By rank, in the order of the calls. As many as Trace::unmatched_sends and ::unmatched_receives count.
std::vector<UnmatchedEnd> find_unmatched(const Part& part);

}  // namespace ww
