// Processes of other MPI_COMM_WORLDs: those that are spawned are handed the recorder, and a name by which the
// reader finds their world; what MPI_Comm_accept, _connect and _join bring together stays unknown to it.
#pragma once
#include "interpose/mpi/collective_calls.hpp"

namespace ww::interpose {

// What the definition of an intercommunicator says of its remote group (spool_format.hpp).
inline constexpr const char* world_of_parents = "parents";
inline constexpr const char* unknown_world = "";

// The name of the next spawn of which this process is the root.
struct SpawnName {
  char text[48];
};
SpawnName next_spawn();
void set_world_number(int world);  // claim_world's

// A copy of `info` that makes the processes spawned with it be recorded; MPI_INFO_NULL: that is not possible.
MPI_Info info_for_spawned(MPI_Info info, const SpawnName& name);

template <class L>
void free_info(typename L::Info own) {
  MPI_Info info = L::info(own);
  PMPI_Info_free(&info);
}

// MPI_Comm_spawn (count 1) and MPI_Comm_spawn_multiple; count and infos are those of the root. `call` takes
// the infos to hand to the library.
template <class L, class Infos, class Call>
int spawns(uint16_t id, int count, Infos* infos, int root, MPI_Comm from, const typename L::Comm* made,
           Call&& call) {
  Frame frame(id);
  if (!frame.on() || infos == nullptr) return call(infos);
  frame.waits();
  const KnownComm& parents = known_comm(from);
  typename L::Info* own = nullptr;
  SpawnName name{};
  if (root == parents.rank && count > 0) {
    name = next_spawn();
    own = static_cast<typename L::Info*>(
        frame.thread().handles.need(sizeof(typename L::Info) * static_cast<size_t>(count)));
    int ready = 0;
    for (; own != nullptr && ready < count; ++ready) {
      const MPI_Info info = info_for_spawned(L::info(infos[ready]), name);
      if (info == MPI_INFO_NULL) break;
      own[ready] = L::of_info(info);
    }
    if (ready < count) {
      trouble(Trouble::spawned_not_recorded);
      for (int i = 0; i < ready; ++i) free_info<L>(own[i]);
      own = nullptr;
    }
  }
  const int rc = own != nullptr ? call(own) : call(infos);
  for (int i = 0; own != nullptr && i < count; ++i) free_info<L>(own[i]);
  if (!frame.leave()) return rc;
  CallRecords records(frame);
  if (rc != MPI_SUCCESS) return rc;
  records.add(Kind::collective, 0, 0, spool::no_peer, 0, parents.id, 0);
  const MPI_Comm comm = L::comm(*made);
  if (comm != MPI_COMM_NULL)
    records.add(Kind::comm_made, 0, 0, spool::no_peer, 0, comm_made_with_others(comm, name.text), 0);
  return rc;
}

// The other calls that bring processes of other worlds: `whose` is what is known of them.
template <class L, class Call>
int meets(uint16_t id, const char* whose, MPI_Comm from, const typename L::Comm* made, Call&& call) {
  Frame frame(id);
  frame.waits();
  const int rc = call();
  if (!frame.leave()) return rc;
  CallRecords records(frame);
  if (rc != MPI_SUCCESS) return rc;
  if (from != MPI_COMM_NULL) records.add(Kind::collective, 0, 0, spool::no_peer, 0, known_comm(from).id, 0);
  const MPI_Comm comm = L::comm(*made);
  if (comm != MPI_COMM_NULL)
    records.add(Kind::comm_made, 0, 0, spool::no_peer, 0, comm_made_with_others(comm, whose), 0);
  return rc;
}

}  // namespace ww::interpose
