// Collectives under dilation in real time: the messages of the library's algorithm are played on this machine
// and on the one that is emulated (core/collective_play.hpp), both from when each member entered. By how much
// later this rank is done there is what its call is held back by: who waits for the last one waits longer, who
// comes last, and finds what the others have sent, for what is not there yet.
#pragma once
#include <mpi.h>
#include <stdint.h>

#include "interpose/core/entries.hpp"
#include "interpose/core/injection.hpp"
#include "interpose/mpi/comms.hpp"
#include "patterns/pattern.hpp"

namespace ww::interpose {

struct Entering {
  uint64_t number = 0;          // of the communicator's collectives
  EntryOfRank own = {0, 0, 0};  // what this rank told; at 0 ticks: this is none
  int root = -1;
  uint16_t call = 0;
};
// While injecting, before the call, on all members: tells the others. Bytes as recorded (collective_calls.hpp);
// `given_to`: of an alltoallv or w, for each rank.
Entering enters_dilated(const KnownComm& comm, uint16_t call, int root, uint64_t given, uint64_t got,
                        const patterns::Called<uint64_t(int)>& given_to);

// After it, which came back from the library at `back`.
// Of members that did not tell when they entered, who run on other machines counts as having entered with this
// rank; the others' entry was not waited for.
HeldBack hold_back_collective(const KnownComm& comm, const Entering& own, uint64_t back);

// The same of a non-blocking one, whose completion came back then.
void note_icollective(uint64_t serial, const Entering& own);
uint64_t icollective_deadline(const KnownComm& comm, uint64_t serial, uint64_t back);

}  // namespace ww::interpose
