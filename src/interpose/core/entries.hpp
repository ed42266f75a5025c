// When each rank entered a collective call, told to the others past the call. Of the ranks that run on one
// kernel each has a table of its latest entries in memory that all share: it writes one entry before a call,
// and the others look it up after theirs. What is looked up too late is not there; nothing is ever waited for,
// and nobody's entry keeps another's from being written.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ww::interpose {

struct EntryOfRank {
  uint64_t when;        // ticks: the same clock for all who share the memory
  uint64_t given, got;  // bytes, of this rank
  // When its latest wait was over, with what held it back, and in the library; 0: not known.
  uint64_t looked = 0, really_looked = 0;
  // Until when its own messages keep its port, on the machine that is emulated and on this one.
  uint64_t port_until = 0, port_really_until = 0;
  // What it gives to the first `told` members, of an alltoallv or w that has no more.
  static constexpr int most_told = 32;
  uint64_t told = 0;
  uint64_t given_to[most_told] = {};
};

// Ranks here are places among those that share the memory.
size_t entries_memory(int ranks);  // bytes
// `memory`: that many zeros, shared by all; it stays the caller's.
void start_entries(void* memory, int own);
void stop_entries();

// Of the `number`-th collective of the communicator `comm`, the same two numbers on all members.
void put_entry(uint64_t comm, uint64_t number, const EntryOfRank& entry);
// False: `place` has not entered it yet, or so many others since that this one is no longer kept.
bool read_entry(int place, uint64_t comm, uint64_t number, EntryOfRank& entry);

}  // namespace ww::interpose
