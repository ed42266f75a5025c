// What the wrappers of collective calls record: root, bytes that this rank gives and bytes that it gets, its
// own part included (that of an MPI_IN_PLACE too, so that sizes per rank can be told). The v-calls give
// totals.
//   bcast: root gives, others get.  gather, scatter: root gets or gives size() parts.  reduce: all give, root
//   gets. allreduce, scan: each gives and gets one vector.  reduce_scatter: gives the whole vector, gets its
//   own piece.
#pragma once
#include <stdlib.h>

#include "interpose/mpi/dilated_collectives.hpp"
#include "interpose/mpi/point_to_point.hpp"

namespace ww::interpose {

struct Volume {
  int root = -1;  // rank in the communicator, -1 for none
  uint64_t given = 0, got = 0;
  bool in_place = false;
  // Of MPI_Alltoallv and w: bytes for the i-th rank; nullptr: all get as much, or it follows from what the
  // others record (gatherv, scatterv, allgatherv).
  uint64_t (*given_to)(const Volume&, int i) = nullptr;
  const void* counts = nullptr;
  const void* types = nullptr;  // one each, or
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// In an intercommunicator the root says MPI_ROOT, its neighbours MPI_PROC_NULL, the others its rank over
// there.
inline bool is_root(const KnownComm& comm, int root) {
  return comm.inter ? root == MPI_ROOT : root == comm.rank;
}
inline bool takes_no_part(const KnownComm& comm, int root) {
  return comm.inter && root == MPI_PROC_NULL;
}
// What the root gives itself or gets of itself: in an intercommunicator, nothing.
inline uint64_t own_part(const KnownComm& comm, uint64_t bytes) {
  return comm.inter ? 0 : bytes;
}
template <class Count>
uint64_t total_of(const Count* counts, int ranks, MPI_Datatype type) {
  int64_t sum = 0;
  for (int i = 0; counts != nullptr && i < ranks; ++i) sum += counts[i];
  return bytes_of(sum, type);
}

template <class L>
Volume barrier(const KnownComm&) {
  return {};
}

template <class L>
Volume bcast(const KnownComm& comm, int64_t count, MPI_Datatype type, int root) {
  if (takes_no_part(comm, root)) return {};
  const uint64_t bytes = bytes_of(count, type);
  return is_root(comm, root) ? Volume{root, bytes, 0} : Volume{root, 0, bytes};
}

template <class L>
Volume gather(const KnownComm& comm, const void* sendbuf, int64_t sendcount, MPI_Datatype sendtype,
              int64_t recvcount, MPI_Datatype recvtype, int root) {
  if (takes_no_part(comm, root)) return {};
  if (!is_root(comm, root)) return {root, bytes_of(sendcount, sendtype), 0};
  const bool in_place = L::in_place(sendbuf);
  const uint64_t part = bytes_of(recvcount, recvtype);
  return {root, own_part(comm, in_place ? part : bytes_of(sendcount, sendtype)),
          part * static_cast<uint64_t>(comm.other_size), in_place};
}

template <class L, class Count>
Volume gatherv(const KnownComm& comm, const void* sendbuf, int64_t sendcount, MPI_Datatype sendtype,
               const Count* recvcounts, MPI_Datatype recvtype, int root) {
  if (takes_no_part(comm, root)) return {};
  if (!is_root(comm, root)) return {root, bytes_of(sendcount, sendtype), 0};
  const bool in_place = L::in_place(sendbuf);
  if (comm.inter) return {root, 0, total_of(recvcounts, comm.other_size, recvtype)};
  return {root, in_place ? bytes_of(recvcounts[comm.rank], recvtype) : bytes_of(sendcount, sendtype),
          total_of(recvcounts, comm.other_size, recvtype), in_place};
}

template <class L>
Volume scatter(const KnownComm& comm, int64_t sendcount, MPI_Datatype sendtype, const void* recvbuf,
               int64_t recvcount, MPI_Datatype recvtype, int root) {
  if (takes_no_part(comm, root)) return {};
  if (!is_root(comm, root)) return {root, 0, bytes_of(recvcount, recvtype)};
  const bool in_place = L::in_place(recvbuf);
  const uint64_t part = bytes_of(sendcount, sendtype);
  return {root, part * static_cast<uint64_t>(comm.other_size),
          own_part(comm, in_place ? part : bytes_of(recvcount, recvtype)), in_place};
}

template <class L, class Count>
Volume scatterv(const KnownComm& comm, const Count* sendcounts, MPI_Datatype sendtype, const void* recvbuf,
                int64_t recvcount, MPI_Datatype recvtype, int root) {
  if (takes_no_part(comm, root)) return {};
  if (!is_root(comm, root)) return {root, 0, bytes_of(recvcount, recvtype)};
  const bool in_place = L::in_place(recvbuf);
  if (comm.inter) return {root, total_of(sendcounts, comm.other_size, sendtype), 0};
  return {root, total_of(sendcounts, comm.other_size, sendtype),
          in_place && sendcounts != nullptr ? bytes_of(sendcounts[comm.rank], sendtype)
                                            : bytes_of(recvcount, recvtype),
          in_place};
}

template <class L>
Volume allgather(const KnownComm& comm, const void* sendbuf, int64_t sendcount, MPI_Datatype sendtype,
                 int64_t recvcount, MPI_Datatype recvtype) {
  const bool in_place = L::in_place(sendbuf);
  const uint64_t part = bytes_of(recvcount, recvtype);
  return {-1, in_place ? part : bytes_of(sendcount, sendtype), part * static_cast<uint64_t>(comm.other_size),
          in_place};
}

template <class L, class Count>
Volume allgatherv(const KnownComm& comm, const void* sendbuf, int64_t sendcount, MPI_Datatype sendtype,
                  const Count* recvcounts, MPI_Datatype recvtype) {
  const bool in_place = L::in_place(sendbuf);
  return {-1, in_place ? bytes_of(recvcounts[comm.rank], recvtype) : bytes_of(sendcount, sendtype),
          total_of(recvcounts, comm.other_size, recvtype), in_place};
}

template <class L>
Volume alltoall(const KnownComm& comm, const void* sendbuf, int64_t sendcount, MPI_Datatype sendtype,
                int64_t recvcount, MPI_Datatype recvtype) {
  const bool in_place = L::in_place(sendbuf);
  const uint64_t ranks = static_cast<uint64_t>(comm.other_size), got = bytes_of(recvcount, recvtype) * ranks;
  return {-1, in_place ? got : bytes_of(sendcount, sendtype) * ranks, got, in_place};
}

template <class L, class Count>
Volume alltoallv(const KnownComm& comm, const void* sendbuf, const Count* sendcounts, MPI_Datatype sendtype,
                 const Count* recvcounts, MPI_Datatype recvtype) {
  const bool in_place = L::in_place(sendbuf);
  const uint64_t got = total_of(recvcounts, comm.other_size, recvtype);
  Volume volume{-1, in_place ? got : total_of(sendcounts, comm.other_size, sendtype), got, in_place};
  volume.counts = in_place ? recvcounts : sendcounts;
  volume.type = in_place ? recvtype : sendtype;
  volume.given_to = [](const Volume& v, int i) {
    return bytes_of(static_cast<const Count*>(v.counts)[i], v.type);
  };
  return volume;
}

template <class L, class Count>
Volume alltoallw(const KnownComm& comm, const void* sendbuf, const Count* sendcounts,
                 const typename L::Type* sendtypes, const Count* recvcounts,
                 const typename L::Type* recvtypes) {
  const bool in_place = L::in_place(sendbuf);
  Volume volume{-1, 0, 0, in_place};
  for (int i = 0; i < comm.other_size; ++i) {
    volume.got += bytes_of(recvcounts[i], L::type(recvtypes[i]));
    if (!in_place) volume.given += bytes_of(sendcounts[i], L::type(sendtypes[i]));
  }
  if (in_place) volume.given = volume.got;
  volume.counts = in_place ? recvcounts : sendcounts;
  volume.types = in_place ? recvtypes : sendtypes;
  volume.given_to = [](const Volume& v, int i) {
    return bytes_of(static_cast<const Count*>(v.counts)[i],
                    L::type(static_cast<const typename L::Type*>(v.types)[i]));
  };
  return volume;
}

template <class L>
Volume reduce(const KnownComm& comm, const void* sendbuf, int64_t count, MPI_Datatype type, int root) {
  if (takes_no_part(comm, root)) return {};
  const uint64_t bytes = bytes_of(count, type);
  const bool gets = is_root(comm, root);
  return {root, gets ? own_part(comm, bytes) : bytes, gets ? bytes : 0, L::in_place(sendbuf)};
}

template <class L>
Volume allreduce(const KnownComm&, const void* sendbuf, int64_t count, MPI_Datatype type) {
  const uint64_t bytes = bytes_of(count, type);
  return {-1, bytes, bytes, L::in_place(sendbuf)};
}

template <class L, class Count>
Volume reduce_scatter(const KnownComm& comm, const void* sendbuf, const Count* recvcounts,
                      MPI_Datatype type) {
  return {-1, total_of(recvcounts, comm.size, type), bytes_of(recvcounts[comm.rank], type),
          L::in_place(sendbuf)};
}

template <class L>
Volume reduce_scatter_block(const KnownComm& comm, const void* sendbuf, int64_t recvcount,
                            MPI_Datatype type) {
  const uint64_t part = bytes_of(recvcount, type);
  return {-1, part * static_cast<uint64_t>(comm.size), part, L::in_place(sendbuf)};
}

// Volume::given_to as a callable, for as long as it and the volume are there.
class GivenTo {
 public:
  explicit GivenTo(const Volume& volume) : volume_(volume), called_(*this) {}
  GivenTo(const GivenTo&) = delete;
  GivenTo& operator=(const GivenTo&) = delete;
  uint64_t operator()(int rank) const { return volume_.given_to(volume_, rank); }
  operator patterns::Called<uint64_t(int)>() const {
    return volume_.given_to != nullptr ? called_ : patterns::Called<uint64_t(int)>();
  }

 private:
  const Volume& volume_;
  patterns::Called<uint64_t(int)> called_;
};

inline uint8_t flags_of(const Volume& volume) {
  return volume.in_place ? spool::flag_in_place : 0;
}
inline int32_t root_of(const Volume& volume) {
  return volume.root >= 0 ? volume.root : spool::no_peer;
}

// Calls take(rank, bytes) for every rank that is sent anything, if not all are sent as much.
template <class Take>
void for_each_given(const KnownComm& comm, const Volume& volume, Take&& take) {
  if (volume.given_to == nullptr) return;
  const uint64_t first = comm.other_size > 0 ? volume.given_to(volume, 0) : 0;
  int same = 1;
  while (same < comm.other_size && volume.given_to(volume, same) == first) ++same;
  if (same >= comm.other_size) return;
  for (int i = 0; i < comm.other_size; ++i) {
    const uint64_t bytes = i < same ? first : volume.given_to(volume, i);
    if (bytes > 0) take(i, bytes);
  }
}

// The record of a collective, and what it sends to each where that is not the same for all.
inline void put_collective(Frame& frame, Kind kind, uint64_t operation, const KnownComm& comm,
                           const Volume& volume) {
  if (__builtin_expect(volume.given_to == nullptr, 1)) {
    frame.put(kind, volume.given, operation, root_of(volume), 0, comm.id, flags_of(volume));
    return;
  }
  CallRecords records(frame);
  records.add(kind, volume.given, operation, root_of(volume), 0, comm.id, flags_of(volume));
  SentTo pairs(records, comm.id);
  for_each_given(comm, volume, [&](int rank, uint64_t bytes) { pairs.add(rank, bytes); });
}

// What for_each_given says, in memory of its own for a persistent operation; nullptr: nothing, or no memory.
inline GivenPersistent* keep_given(const KnownComm& comm, const Volume& volume) {
  int ranks = 0;
  for_each_given(comm, volume, [&](int, uint64_t) { ++ranks; });
  if (ranks == 0) return nullptr;
  auto* kept = static_cast<GivenPersistent*>(
      malloc(sizeof(GivenPersistent) + static_cast<size_t>(ranks) * sizeof(GivenPersistent::To)));
  if (kept == nullptr) {
    trouble(Trouble::volumes_unknown);
    return nullptr;
  }
  kept->count = 0;
  for_each_given(comm, volume, [&](int rank, uint64_t bytes) { kept->to()[kept->count++] = {bytes, rank}; });
  return kept;
}

template <class Measure, class Call>
int collective(uint16_t id, MPI_Comm comm, Measure&& measure, Call&& call) {
  Frame frame(id);
  Entering entering;
  if (__builtin_expect(injecting, 0) && frame.on()) {
    const Volume volume = measure(known_comm(comm));
    entering = enters_dilated(known_comm(comm), id, volume.root, volume.given, volume.got, GivenTo(volume));
  }
  frame.waits_for(Kind::collective, 0, spool::no_peer, 0, id_if_known(comm));
  const int rc = call();
  if (!frame.on()) return rc;
  const bool done = rc == MPI_SUCCESS;
  if (virtual_time && done) {
    const KnownComm& known = known_comm(comm);
    const Volume volume = measure(known);
    collective_virtually(known, id, volume.root, volume.given, volume.got, GivenTo(volume));
  }
  if (injecting && done) {
    Injection injection(frame.enter_ticks(), true);
    injection.hold_back(hold_back_collective(known_comm(comm), entering, injection.back()));
  }
  frame.leave();
  if (done) {
    const KnownComm& known = known_comm(comm);
    const Volume volume = measure(known);
    put_collective(frame, Kind::collective, volume.got, known, volume);
  } else {
    frame.put_call();
  }
  return rc;
}

template <class L, class Measure, class Call>
int icollective(uint16_t id, MPI_Comm comm, typename L::Request* request, Measure&& measure, Call&& call) {
  Frame frame(id);
  Entering entering;
  if (__builtin_expect(injecting, 0) && frame.on()) {
    const Volume volume = measure(known_comm(comm));
    entering = enters_dilated(known_comm(comm), id, volume.root, volume.given, volume.got, GivenTo(volume));
  }
  const int rc = call();
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS) {
    const KnownComm& known = known_comm(comm);
    const Volume volume = measure(known);
    const uint64_t serial = new_serial();
    if (virtual_time) icollective_begins(known, id, serial, volume.root, volume.given, volume.got);
    if (injecting) note_icollective(serial, entering);
    opened(L::request(*request), {serial, volume.got, root_of(volume), 0, known.id,
                                  static_cast<uint8_t>(Kind::icollective), flags_of(volume)});
    put_collective(frame, Kind::icollective, serial, known, volume);
  } else {
    frame.put_call();
  }
  return rc;
}

// A persistent collective: each start is one, of the operation whose call made the request (Record::tag).
template <class L, class Measure, class Call>
int collective_init(uint16_t id, MPI_Comm comm, typename L::Request* request, Measure&& measure,
                    Call&& call) {
  Frame frame(id);
  const int rc = call();
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS) {
    const KnownComm& known = known_comm(comm);
    const Volume volume = measure(known);
    opened_persistent(L::request(*request), {0, volume.got, root_of(volume), id, known.id,
                                             static_cast<uint8_t>(Kind::icollective), flags_of(volume)});
    keep_beside(L::request(*request), {volume.given, keep_given(known, volume)});
  }
  frame.put_call();
  return rc;
}

// Calls that make a communicator: collective over the one it is made from, then the new one, if this rank is
// in it.
// `origin_of` tells the new one's, once the call has succeeded.
template <class L, class Call, class OriginOf>
int makes_comm_of(uint16_t id, MPI_Comm from, const typename L::Comm* made, OriginOf&& origin_of,
                  Call&& call) {
  Frame frame(id);
  frame.waits_for(Kind::collective, 0, spool::no_peer, 0, id_if_known(from));
  const int rc = call();
  if (virtual_time && frame.on() && rc == MPI_SUCCESS && from != MPI_COMM_NULL)
    all_meet_virtually(known_comm(from));
  const bool on = frame.leave();  // off in a callback: the program may use it afterwards
  if (rc != MPI_SUCCESS || !active) {
    if (on) frame.put_call();
    return rc;
  }
  const Origin origin = origin_of();
  const MPI_Comm comm = L::comm(*made);
  const uint32_t made_id = comm != MPI_COMM_NULL ? comm_made(comm, origin) : unknown_comm;
  if (!on) return rc;
  CallRecords records(frame);
  if (from != MPI_COMM_NULL) records.add(Kind::collective, 0, 0, spool::no_peer, 0, known_comm(from).id, 0);
  if (comm != MPI_COMM_NULL) records.add(Kind::comm_made, 0, 0, spool::no_peer, 0, made_id, 0);
  return rc;
}

template <class L, class Call>
int makes_comm(uint16_t id, MPI_Comm from, const typename L::Comm* made, Call&& call) {
  return makes_comm_of<L>(
      id, from, made, [&] { return made_from(from); }, call);
}

// Over a communicator that the new one's name does not follow from.
template <class L, class Call>
int merges_comm(uint16_t id, MPI_Comm from, const typename L::Comm* made, Call&& call) {
  return makes_comm_of<L>(
      id, MPI_COMM_NULL, made, [&] { return made_from(from); }, call);
}

// Together with another group, `tag` telling the call from others of the same two.
template <class L, class Call>
int joins_groups(uint16_t id, MPI_Comm from, int tag, const typename L::Comm* made, Call&& call) {
  return makes_comm_of<L>(
      id, from, made, [&] { return made_with_tag(tag); }, call);
}

// By some of the members of `parent`.
template <class L, class Call>
int makes_comm_by_group(uint16_t id, MPI_Comm parent, int tag, const typename L::Comm* made, Call&& call) {
  return makes_comm_of<L>(
      id, MPI_COMM_NULL, made, [&] { return made_by_group(parent, tag); }, call);
}

// Without a parent.
template <class L, class Call>
int makes_comm_by_name(uint16_t id, const Text& name, const typename L::Comm* made, Call&& call) {
  return makes_comm_of<L>(
      id, MPI_COMM_NULL, made, [&] { return made_by_name(name.at, name.length); }, call);
}

template <class L, class Call>
int imakes_comm(uint16_t id, MPI_Comm from, const typename L::Comm* made, typename L::Request* request,
                Call&& call) {
  Frame frame(id);
  const int rc = call();
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS) {
    const uint32_t comm_id = known_comm(from).id;
    const uint64_t serial = new_serial();
    OpenOperation making{
        serial, bits_of(L::comm(*made)), 0, 0, comm_id, static_cast<uint8_t>(Kind::comm_made), 0};
    keep_origin(making, made_from(from));
    opened(L::request(*request), making);
    frame.put(Kind::icollective, 0, serial, spool::no_peer, 0, comm_id, 0);
  } else {
    frame.put_call();
  }
  return rc;
}

template <class L, class Call>
int frees_comm(uint16_t id, typename L::Comm* comm, Call&& call) {
  Frame frame(id);
  // In a callback too (of an attribute, that of the communicator that the program frees): the handle is given
  // again.
  const MPI_Comm handle = active ? comm_at<L>(comm) : MPI_COMM_NULL;
  const HiddenComm hidden = hide_comm(handle);
  frame.waits();
  const int rc = call();
  if (rc == MPI_SUCCESS)
    comm_freed(hidden);
  else
    comm_stays(hidden);
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS && hidden.id != unknown_comm)
    frame.put(Kind::collective, 0, 0, spool::no_peer, 0, hidden.id, 0);
  else
    frame.put_call();
  return rc;
}

}  // namespace ww::interpose
