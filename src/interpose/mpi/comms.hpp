// Communicators: from handle to the local id that the records carry.
#pragma once
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "interpose/core/spool_writer.hpp"

namespace ww::interpose {

struct KnownComm {
  MPI_Comm handle;
  uint32_t id;
  uint32_t neighbour_id;  // of its neighbourhood collectives' messages; unknown_comm without a topology
  int rank, size;         // of this process, and of its own group
  int other_size;         // of the group it talks to: the remote one of an intercommunicator, else size
  int32_t*
      world_ranks;  // of the group it talks to; nullptr unless somebody asked for them (keep_world_ranks)
  uint32_t next;    // in the bucket
  bool inter;       // an intercommunicator
  uint64_t key;  // the same on all members, and of this communicator alone; unknown_key where that is unknown
  mutable uint64_t collectives = 0;  // in virtual time: called on it so far, the same on all members
  uint64_t made = ~0ull;             // as key, among the communicators of the same members
  mutable uint64_t children = 0;     // calls on it so far that make something, the same on all members
};

inline constexpr uint32_t unknown_comm = 0xffffffffu;
inline constexpr uint64_t unknown_key = ~0ull;
extern KnownComm world_comm;

void define_predefined_comms();  // world is 0, self is 1
// Without MPI_Init: the processes of mpi://WORLD stand for those of MPI_COMM_WORLD. The group is kept.
void define_world_of_session(MPI_Group group, int rank, int size);
void define_own_comm();  // MPI_COMM_SELF, when MPI_Init comes after that
const KnownComm& find_comm(MPI_Comm comm);

// Never fails: a communicator that is not known (made by a call that is not followed) is defined now, with a
// diagnostic.
inline const KnownComm& known_comm(MPI_Comm comm) {
  if (__builtin_expect(comm == MPI_COMM_WORLD, 1)) return world_comm;
  return find_comm(comm);
}

// unknown_comm if it is not known (yet): nothing is defined, and the library is not asked about a handle that may be
// none.
uint32_t id_if_found(MPI_Comm comm);
inline uint32_t id_if_known(MPI_Comm comm) {
  return __builtin_expect(comm == MPI_COMM_WORLD, 1) ? world_comm.id : id_if_found(comm);
}

// For the rare case that only the id is at hand; looks through the table.
const KnownComm& known_comm_by_id(uint32_t id);

// Which of all that the same members make this is. They make it by the n-th of the calls on its parent that
// make something, which MPI has them call in one order, whatever the order in which what they began is
// complete (MPI_Comm_idup). What only some of a communicator's members make, or has no parent that all share,
// is told from others by what they must agree on (a tag, a name), and by how many of the same were made
// before.
struct Origin {
  uint64_t base;
  bool counted;
};
Origin made_from(MPI_Comm parent);  // after the call has succeeded; counts it. Never defines the parent
Origin made_by_group(MPI_Comm parent, int tag);
Origin made_by_name(const char* name, int64_t length);  // blanks at the end are none of it; -1: up to the 0
inline Origin made_with_tag(int tag) {
  return {static_cast<uint32_t>(tag), true};
}
inline constexpr Origin of_unknown_origin{0, true};

uint32_t comm_made(MPI_Comm comm, Origin origin);  // defines it; its id
// An intercommunicator to processes outside of this MPI_COMM_WORLD, which from now on are known by their
// place in its remote group. `whose`: other_world of the definition (spool_format.hpp).
uint32_t comm_made_with_others(MPI_Comm comm, const char* whose);
// Around the call that frees: before it, as another thread may be given the handle as soon as it is free, and
// after it, when it is known whether it was freed.
struct HiddenComm {
  MPI_Comm handle;
  uint32_t entry;  // 0: it is not known
  uint32_t id;
};
HiddenComm hide_comm(MPI_Comm comm);
void comm_freed(const HiddenComm& hidden);
void comm_stays(const HiddenComm& hidden);
extern bool keep_world_ranks;  // of all members

// Defines a communicator that no program has, of these members: for what belongs to a window or a file. Its
// id.
uint32_t define_members(MPI_Group group, const char* name, Origin origin);
uint32_t new_id();  // for something without members

struct KnownType {
  MPI_Datatype type;
  int size;
};
extern constinit thread_local KnownType known_types[16] __attribute__((tls_model("initial-exec")));
inline KnownType& place_of(MPI_Datatype type) {
  uint64_t handle = 0;  // a pointer or a number, by the MPI
  memcpy(&handle, &type, sizeof type);
  return known_types[(handle * 0x9e3779b97f4a7c15ull) >> 60];
}
uint64_t bytes_of_unknown(int64_t count, MPI_Datatype type);

// The number of bytes of `count` elements.
WW_ALWAYS_INLINE inline uint64_t bytes_of(int64_t count, MPI_Datatype type) {
  const KnownType& known = place_of(type);
  if (__builtin_expect(known.type == type && known.size > 0, 1))
    return static_cast<uint64_t>(count) * static_cast<uint64_t>(known.size);
  return bytes_of_unknown(count, type);
}

// A handle in an Operation's `bytes`: a communicator that may be asked about only when its making is
// complete.
inline uint64_t bits_of(MPI_Comm comm) {
  uint64_t bits = 0;  // a pointer or a number, by the MPI
  memcpy(&bits, &comm, sizeof comm);
  return bits;
}
inline MPI_Comm comm_of_bits(uint64_t bits) {
  MPI_Comm comm;
  memcpy(&comm, &bits, sizeof comm);
  return comm;
}

// Rank and tag as the records have them.
inline int32_t peer_of(int rank) {
  if (__builtin_expect(rank >= 0, 1)) return rank;
  return rank == MPI_ANY_SOURCE ? spool::any_peer : spool::no_peer;
}
inline int32_t tag_of(int tag) {
  return tag == MPI_ANY_TAG ? spool::any_tag : tag;
}
}  // namespace ww::interpose
