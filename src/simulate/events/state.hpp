// What the engine knows about each rank, message and sync while it plays.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

struct RankState {
  double now_s = 0;
  std::size_t next = 0;      // operation
  std::uint8_t stage = 0;    // of the operation
  std::uint32_t region = 0;  // of the call it is in
  bool inside = false;       // an MPI call
  bool blocked = false;      // in a wait or a sync, with nothing to do
  double entered_s = 0;      // the call
  double blocked_since_s = 0;
  std::uint32_t pending = 0;     // ends of the current group that are not complete
  std::vector<EndNumber> ready;  // ... that are complete, and how many of them were worked on
  std::size_t worked_on = 0;
  std::vector<EndNumber> for_progress;  // messages that go on when the rank is inside MPI
  std::vector<EndNumber> unread;        // requests that came and were not read (reading.hpp)
  std::vector<double> coming_s;         // when requests that are on their way will be there
  double looks_until_s = -1;            // what comes until then is read
  std::uint32_t writing = 0;            // messages whose data it hands over, and until when it does
  double writes_until_s = -1;
  double departed_s = -1;            // when the last of its eager messages is with the network
  std::vector<std::uint32_t> begun;  // syncs that do
  bool ended = false;
  std::size_t computations = 0;  // done, or being done
  double computed_until_s = -1;  // end of the last one that counts (cooling.hpp); negative: there was none
  double taken_s = 0;            // by interrupts from what it does until it is resumed
  double compute_s = 0, library_s = 0, send_s = 0, algorithmic_s = 0, service_s = 0;
  std::uint64_t messages_sent = 0, bytes_sent = 0;
  double network_s = 0, queued_s = 0;
};

struct MessageState {
  double send_s = 0, receive_s = 0;  // when the calls that began the send and posted the receive were entered
  double transmitted_s = 0;          // when it was handed to the network
  bool sending = false, posted = false, requested = false, unread = false, matched = false;
  bool replied = false, started = false;
  bool untold = false,
       is_there = false;  // what tells its receiver is held back by other data; its data are there
  bool complete[2] = {false, false};  // by End & 1
  bool waited[2] = {false, false};    // a rank is in the wait for this end
};

// Why nothing can happen any more: the cycle of ranks that wait for each other, or the ranks that wait for
// one that has ended.
Error why_stuck(const Program& program, const std::vector<RankState>& ranks,
                const std::vector<MessageState>& messages);

}  // namespace ww::simulate
