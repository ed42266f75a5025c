// When each message departed, told to its receiver past the message: nothing is added to the wire, no type is
// changed. The ranks that run on one kernel share memory; each ordered pair of them has a ring of stamps in
// it. The sender writes a message's stamp before it hands the message to the library. The receiver, when a
// receive is complete, takes the oldest stamp of that communicator and tag: messages of one pair do not
// overtake each other. It prefers one of as many bytes as it received, which puts right what a program does
// that waits for its receives in another order than it posted them.
//
// Stamps from ranks that do not share it come on other ways (mpi/far_departures.hpp), and wait in rings of this
// process.
//
// A pair whose stamps may no longer belong to its messages (its ring was full, a send was cancelled or
// failed, a receive went unseen) has none from then on: wrong ones are worse.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace ww::interpose {

extern bool stamping;  // the memory is there

struct Stamp {
  uint64_t comm;  // the same number on all members
  uint64_t bytes;
  uint64_t when;  // ticks, or virtual time: the same clock for all who share the memory
  int32_t tag;
  uint32_t number = 0;  // of the stamps from that rank to this one, from 1; given by put_stamp
  uint64_t until = 0;   // in virtual time: when the last of an eager message departed
};
inline constexpr uint64_t any_size = ~0ull;
// Virtual time, in seconds, as a stamp has it.
inline double time_of_bits(uint64_t bits) {
  double seconds = 0;
  memcpy(&seconds, &bits, sizeof seconds);
  return seconds;
}
inline uint64_t bits_of_time(double seconds) {
  uint64_t bits = 0;
  memcpy(&bits, &seconds, sizeof bits);
  return bits;
}
// Rings of one kind do not know of those of another: what a sender tells its receiver, and, in virtual time,
// when a receiver posted its receives, told to the sender.
enum class StampPlane : uint8_t { departures, postings };

// Ranks here are places among those that share the memory.
size_t stamp_memory(int ranks, int planes);  // bytes; only what is touched becomes real
// `memory`: that many zeros, shared by all; it stays the caller's.
void start_stamps(void* memory, int ranks, int own, int planes);
void stop_stamps();

uint32_t put_stamp(int to, Stamp stamp,
                   StampPlane plane = StampPlane::departures);  // its number; 0: it was lost
// The oldest stamp that `from` wrote for the communicator and the tag; of several, one of that many bytes.
// False: there is none.
bool take_stamp(int from, Stamp& stamp, StampPlane plane = StampPlane::departures);
bool peek_stamp(int from, Stamp& stamp);  // the same, and it stays
void lose_stamps_to(int rank);
void lose_stamps_from(int rank);

// Stamps from ranks that share nothing; `ranks` and `from` are any numbers. After start_stamps. Callers hold one
// lock.
size_t far_stamp_memory(int ranks);
void start_far_stamps(void* memory);  // that many zeros; it stays the caller's
void stop_far_stamps();
void put_far_stamp(int from, const Stamp& stamp);
enum class Taken : uint8_t { yes, none, lost };
Taken take_far_stamp(int from, Stamp& stamp);
void lose_far_stamps_from(int from);

}  // namespace ww::interpose
