// Messages that wait at each rank, and of each rank (S5: queue lengths, messages waiting at a time; its 2.3.2). A message is in the queue
// of its destination from the beginning of its send until the call that completes its receive returns, the
// time on the wire included, since no trace shows its arrival; a message that is never received stays to the
// end. In a span count those that are in the queue then; as messages of it those that are sent in it. It is
// unexpected from the beginning of its send until its receive is posted, if that comes later. For as long as it waits it is in the
// outgoing queue of its source, too.
#pragma once
#include <optional>
#include <vector>

#include "analyze/selection.hpp"

namespace ww {

struct QueueLength {
  double mean = 0, mean_bytes = 0;  // over the run, or the span
  std::uint64_t maximum = 0, maximum_bytes = 0;
  double maximum_at_s = 0;  // since the begin of the program; the first time
};

struct RankQueue {
  std::int32_t rank = 0;
  std::uint64_t messages = 0, unexpected_messages = 0, never_received = 0;
  double mean_wait_s = 0;  // of those received: from sent to received
  QueueLength waiting, unexpected, outgoing;
  std::vector<double> mean_over_time;
  std::vector<std::uint64_t> maximum_over_time;
};

struct WaitingMessage {  // at the instant asked for
  std::int32_t source = 0, destination = 0, tag = 0;
  std::uint64_t bytes = 0;
  double sent_s = 0;
  std::optional<double> received_s;  // nothing: never
};

struct Queues {
  std::vector<RankQueue> ranks;
  double bin_s = 0;
  std::vector<WaitingMessage> at;  // if an instant was asked for, the longest waiting first
};

Queues find_queues(const Part& part, std::optional<double> at_s);

}  // namespace ww
