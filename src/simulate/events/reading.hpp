// When a library that works inside calls reads the requests of large messages. Found in runs of Open MPI's ob1 and MPICH's UCX over TCP
// (docs/design/simulation.md); where replies wait behind data (TrafficRules) it decides whether exchanges of large messages go at once or one after the other:
//   while a rank waits inside a call    as they come
//   while it computes, or sends         after the next call has posted its receive and sent what it sends, when it waits: the reply
//                                       goes behind that, where the reply to what was read before goes in front
//   while it hands over data            after these
//   right after what it waited for      with that, as it takes longer to leave the call than they take to follow
#pragma once
#include <algorithm>
#include <vector>

#include "simulate/events/state.hpp"

namespace ww::simulate {

// Whether its receive was posted before or not: a call that begins something does not read.
inline bool stays_unread(const RankState& rank, double now_s) {
  return !rank.blocked && now_s > rank.looks_until_s;
}

inline void leave_unread(RankState& rank, MessageState& message, EndNumber end) {
  message.unread = true;
  rank.unread.push_back(end);
}

// together_s: so far behind each other a rank reads things together (ReplayCosts::read_together_s).
inline void will_come(RankState& rank, double at_s, double together_s) {
  if (together_s > 0) rank.coming_s.push_back(at_s);
}

// Of is.S at 100 Mb/s, three runs of eleven exchanges: all 27 that went at once had a request 4 to 8 us behind what it was read with; of the six that
// went in turn it was 20 and 36 us behind in two, and no sooner than the receiver's own data in three. ParRes sparse read what was 60 us behind.
// So the usual rule reads what is 50 us behind, another (TrafficRules::reads_apart) 15.
inline constexpr double reads_apart_share = 0.3;

// The end of a wait that would end now.
inline double with_what_comes(RankState& rank, double now_s, double together_s) {
  double last_s = now_s;
  for (const double at_s : rank.coming_s)
    if (at_s <= now_s + together_s) last_s = std::max(last_s, at_s);
  std::erase_if(rank.coming_s, [&](double at_s) { return at_s <= last_s; });
  return rank.looks_until_s = last_s;
}

}  // namespace ww::simulate
