// Exchange of clocks while the program runs, past its messages and its calls: a thread of rank 0 answers over
// UDP, and of every other counter a thread of one rank asks, rarely. Where all ranks share one counter there
// is no thread.
#pragma once
#include <stdint.h>

#include "interpose/core/clock_sample.hpp"

namespace ww::interpose {

// Where rank 0 answers. Sent to the other ranks as bytes.
struct ClockMeeting {
  static constexpr int most_addresses = 8;
  uint64_t secret;                   // known to the ranks of this run only
  double interval_s;                 // 0: nobody answers
  uint16_t port;                     // as the network has it
  uint16_t addresses;                // how many
  uint32_t address[most_addresses];  // IPv4, as the network has it
};

// Seconds between exchanges: as the environment says, else 30, or 2 where departures of messages are told. 0:
// none while the program runs.
double clock_interval_s();

// Of rank 0: begins to answer. interval_s is 0 if that is impossible.
ClockMeeting answer_clocks(double interval_s);

// Of one rank of another counter: asks every interval_s, first after half to one of them, so that they do not
// all come at once (`rank` decides). Writes a "clock" definition each time, which is there if the rank is
// killed.
void ask_clocks(const ClockMeeting& meeting, int rank);

// Both end. An exchange under way is given up.
void stop_clock_threads();

// The "clock" definition. `when`: "init", "run", "finalize".
struct ClockCost {
  uint64_t took_ns, cpu_ns;  // of the thread that asked
};
void write_clock(const char* when, const ClockSample& sample, bool same_clock, const ClockCost* cost);

// Names the counter that this process reads, so that ranks that share it are known: the boot, which clock it
// is, and of the system's clock also its name space. Unique to the rank if it cannot be told.
void name_counter(int rank);
const char* counter_name();

}  // namespace ww::interpose
