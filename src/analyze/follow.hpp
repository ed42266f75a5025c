// One message followed from end to end (S5: follow a message): where it was sent, when it can have left and
// arrived, when it was received, who waited. No recording shows the wire, so leaving and arriving are bounds; a
// prediction knows both.
#pragma once
#include <optional>
#include <string>

#include "analyze/breakdown.hpp"

namespace ww {

struct CallAt {
  std::string name;
  double enter_s = 0, leave_s = 0;                          // since the begin of the program
  double blocked_algorithmic_s = 0, blocked_service_s = 0;  // of the whole call
};

struct Followed {
  std::uint32_t number = none;  // in Trace::messages; none: never received
  std::int32_t source = 0, destination = 0, tag = 0;
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sequence = 0;  // from 1: of the messages with this source, destination, communicator and tag
  bool wildcard = false, synchronous = false;
  CallAt send;
  std::optional<CallAt> send_done;         // where a non-blocking send completed
  std::optional<CallAt> posted, received;  // the same call for a blocking receive
  // Later than `earliest`, before `latest`.
  double left_earliest_s = 0, arrived_earliest_s = 0;
  bool known = false;  // of a predicted run: the bounds are one
  std::optional<double> left_latest_s, arrived_latest_s;
};

// `which`: N, the number in Trace::messages; or SOURCE:DESTINATION[:TAG[:K]], the K-th (from 1) of those sent
// in the order of sending, received or not; TAG may be "any". Errors: not such a text, no such message.
Result<Followed> follow(const Trace& trace, const Breakdown& breakdown, const std::string& which);

}  // namespace ww
