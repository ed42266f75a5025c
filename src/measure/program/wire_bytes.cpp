// What messages of a size really put on the wire: interface counters before and after a batch of messages
// there and one byte back. Sent: the data frames; received: the acknowledgements that did not ride on the
// replies, and what the receiver's library says during a rendezvous.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "measure/program/experiment.hpp"
#include "measure/program/interface_counters.hpp"

namespace ww::measure {
namespace {

constexpr useconds_t settle_us =
    50000;  // a delayed acknowledgement waits up to 40 ms (Linux, TCP_DELACK_MIN)

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  const std::int64_t threshold = session.eager_threshold_bytes.value_or(65536);
  std::vector<std::int64_t> sizes{1,     2000,          4500,          1000,         threshold, threshold + 1,
                                  3000,  300,           12000,         24000,        600,       6000,
                                  48000, 2 * threshold, 4 * threshold, 8 * threshold};
  std::set<std::int64_t> seen;
  const double batch_s = budget_s / static_cast<double>(sizes.size()) - 2e-6 * settle_us;
  const std::int64_t mtu = largest_mtu();
  for (const std::int64_t bytes : sizes) {
    const double round_trip_s = session.estimate_s(bytes) + session.estimate_s(1);
    if (bytes > session.largest_bytes() || !seen.insert(bytes).second || now_s() + 3 * round_trip_s > end)
      continue;
    const auto count = std::clamp<std::int64_t>(std::llround(batch_s / std::max(1e-6, round_trip_s)), 2, 100);
    session.round_trips(bytes, 1, 1);
    usleep(settle_us);
    // the order of the batch is a message too: two batches of different length tell it apart
    const InterfaceCounters first = read_counters();
    session.round_trips(bytes, 1, 1);
    usleep(settle_us);
    const InterfaceCounters second = read_counters();
    session.round_trips(bytes, 1, 1 + count);
    usleep(settle_us);
    const InterfaceCounters third = read_counters();
    const InterfaceCounters one = second - first, many = third - second, moved = many - one;
    session.emit("wire-bytes", {{"bytes", bytes},
                                {"messages", count},
                                {"mtu_bytes", mtu},
                                {"sent_bytes", moved.sent_bytes},
                                {"sent_frames", moved.sent_frames},
                                {"received_bytes", moved.received_bytes},
                                {"received_frames", moved.received_frames},
                                {"dropped", many.dropped}});
  }
  session.stop();
}

void follow(Session& session) {
  while (const auto order = session.next_order()) session.answer_round_trips(*order);
}

}  // namespace

const Experiment wire_bytes{"wire-bytes", "what messages put on the wire", 0.14, When::first, lead, follow};

}  // namespace ww::measure
