// Over TCP a request, a reply and data from one rank to another are one stream, so that a reply lies behind what its rank wrote
// before it: in virtual time, in memory that all ranks share. The rules are those of replies.hpp; but a rank's partner
// does not know when it waits again. So what was written after the same wait is taken to come before the next: a request
// that its receiver did not read in time is answered behind that.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/message_curves.hpp"
#include "interpose/core/virtual_ports.hpp"

namespace ww::interpose {

// `memory`: streams_memory(ranks) zeros, shared by all; it stays the caller's.
size_t streams_memory(int ranks);
void start_streams(void* memory, int ranks);

// How far a rank has come in virtual time: told when it posts a receive, and when it has sent something. 0: not yet.
void note_progress(int own_rank, double now_s);
double progress_s(int rank);

// An eager message, handed over at `at_s` by a rank whose latest wait was over at `looked_s`, has left its port at `left_s`; `there_s`: when the
// last of it is with the receiving host, if later than a crossing.
void note_written(int from_rank, int to_rank, double at_s, double left_s, double looked_s,
                  double there_s = 0);
// A request is sent: replies to what came since that wait was over, and was not read with it, are written behind it.
void note_asked(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, double at_s,
                double looked_s);

// When a request that is sent then comes.
double request_comes_s(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank,
                       double requested_s);

// A rank reads a message that came then, and acknowledges it or not (lone_acknowledgements.hpp); `host`: whose port that passes.
// Between hosts.
void note_read(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, int host, double came_s,
               double read_s);
// The rank sends in a collective, which plays for itself what it writes.
void note_told(int from_rank, int to_rank, double at_s);

// How long an eager message keeps its port that is handed over at `at_s`: behind others to the same rank that do not leave it soon
// it fills the frames that those began.
double joined_port_s(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, double at_s);

// A receive: when it was posted, and when the latest wait of its rank before that was over.
struct Posting {
  double at_s = 0, looked_s = 0;
};
// Of the data of a large message from `host`, whose request was sent at `requested_s`: their passage through its port. Both
// sides ask, as for data_pass_sending_port, whose `number` it is. `ready_s`: when its sender has them ready.
Passage large_passes_sending_port(const MessageCosts& costs, uint64_t bytes, int host, int from_rank,
                                  int to_rank, uint32_t number, double requested_s, const Posting& posting,
                                  double* ready_s = nullptr);
// When the sender knows that its large message's data are there which left its port at `left_s`: what says so lies behind what goes back by
// then (simulate/events/acknowledgements.hpp). Their receiver is told a crossing later.
double acknowledged_s(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, double left_s);

}  // namespace ww::interpose
