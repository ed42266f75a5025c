// What the wrappers of neighbourhood collectives record: the messages that they are made of, each with its
// own size, since only neighbours wait for one another. The messages belong to a communicator of their own
// (the twin of the program's, defined beside it), so that they never match the program's.
#pragma once
#include <stdlib.h>

#include "interpose/mpi/completion.hpp"

namespace ww::interpose {

struct Neighbours {
  int in_count = 0, out_count = 0;
  const int* in =
      nullptr;  // ranks that this one receives from, in the order of the blocks; MPI_PROC_NULL: none
  const int* out = nullptr;
};
// As the communicator's topology says; they live in the thread's scratch memory until its next call. False:
// there is no memory, or no topology.
bool find_neighbours(const KnownComm& comm, Thread& thread, Neighbours& found);

// What one block holds: the same for all, a count a neighbour, or a count and a type a neighbour.
template <class L>
uint64_t block(int64_t count, MPI_Datatype type, int) {
  return bytes_of(count, type);
}
template <class L, class Count>
uint64_t block(const Count* counts, MPI_Datatype type, int i) {
  return bytes_of(counts[i], type);
}
template <class L, class Count>
uint64_t block(const Count* counts, const typename L::Type* types, int i) {
  return bytes_of(counts[i], L::type(types[i]));
}

template <class L, class SendCount, class SendType, class RecvCount, class RecvType>
struct NeighbourBlocks {
  SendCount send_count;
  SendType send_type;
  RecvCount recv_count;
  RecvType recv_type;
  uint64_t given(int i) const { return block<L>(send_count, send_type, i); }
  uint64_t got(int i) const { return block<L>(recv_count, recv_type, i); }
};
template <class L, class SendCount, class SendType, class RecvCount, class RecvType>
NeighbourBlocks<L, SendCount, SendType, RecvCount, RecvType> blocks(const KnownComm&, SendCount send_count,
                                                                    SendType send_type, RecvCount recv_count,
                                                                    RecvType recv_type) {
  return {send_count, send_type, recv_count, recv_type};
}

// The operation that completes the messages, whose serials follow one another; it has none yet.
inline OpenOperation exchange_of(const Neighbours& neighbours, uint32_t comm) {
  uint64_t messages = 0;
  for (int i = 0; i < neighbours.in_count; ++i) messages += neighbours.in[i] >= 0 ? 1 : 0;
  for (int i = 0; i < neighbours.out_count; ++i) messages += neighbours.out[i] >= 0 ? 1 : 0;
  const Kind kind = messages > 0 ? Kind::done_range : Kind::call;
  return {0, messages, spool::no_peer, 0, comm, static_cast<uint8_t>(kind), 0};
}

// The begin of the messages, receives first.
template <class NeighbourBlocks>
void add_messages(CallRecords& records, const Neighbours& neighbours, const NeighbourBlocks& sizes,
                  const OpenOperation& exchange) {
  uint64_t serial = exchange.serial;
  const uint32_t comm = exchange.comm;
  for (int i = 0; i < neighbours.in_count; ++i)
    if (neighbours.in[i] >= 0) records.add(Kind::irecv, sizes.got(i), serial++, neighbours.in[i], 0, comm, 0);
  for (int i = 0; i < neighbours.out_count; ++i)
    if (neighbours.out[i] >= 0)
      records.add(Kind::isend, sizes.given(i), serial++, neighbours.out[i], 0, comm, 0);
}

template <class NeighbourBlocks>
OpenOperation exchange_begun(CallRecords& records, const Neighbours& neighbours, uint32_t comm,
                             const NeighbourBlocks& sizes) {
  OpenOperation exchange = exchange_of(neighbours, comm);
  exchange.serial = new_serials(exchange.bytes);
  add_messages(records, neighbours, sizes, exchange);
  return exchange;
}

template <class Measure, class Call>
int neighbour(uint16_t id, MPI_Comm comm, Measure&& measure, Call&& call) {
  Frame frame(id);
  frame.waits_for(Kind::collective, 0, spool::no_peer, 0, id_if_known(comm));
  const int rc = call();
  if (!frame.on()) return rc;
  if (rc != MPI_SUCCESS || (!injecting && !virtual_time)) frame.leave();
  if (rc != MPI_SUCCESS) {
    frame.put_call();
    return rc;
  }
  Neighbours neighbours;
  const KnownComm& known = known_comm(comm);
  const bool told = find_neighbours(known, frame.thread(), neighbours);
  const auto sizes = measure(known);
  if (injecting && told) {
    Injection injection(frame.enter_ticks(), true);
    for (int i = 0; i < neighbours.out_count; ++i)
      if (neighbours.out[i] >= 0 && on_other_host(known, neighbours.out[i]))
        note_told(sender_number(known, neighbours.out[i]), frame.enter_ticks());
    for (int i = 0; i < neighbours.in_count; ++i)
      if (neighbours.in[i] >= 0 && !is_itself(known, neighbours.in[i]))
        injection.message({on_other_host(known, neighbours.in[i]), sizes.got(i), 0, 0,
                           sender_number(known, neighbours.in[i])});
  }
  if (virtual_time) {
    all_meet_virtually(known);
    trouble(Trouble::virtual_not_costed);
  }
  if (injecting || virtual_time) frame.leave();
  CallRecords records(frame);
  if (told) add_completion(records, exchange_begun(records, neighbours, known.neighbour_id, sizes), nullptr);
  return rc;
}

struct Exchange {
  struct End {
    uint64_t bytes;
    int peer;
  };
  int in_count, out_count;
  End* ends() { return reinterpret_cast<End*>(this + 1); }
};
static_assert(sizeof(Exchange) % alignof(Exchange::End) == 0, "the ends follow the counts");

// What a persistent neighbourhood collective begins each time, in memory of its own; nullptr: there is none.
template <class NeighbourBlocks>
void* keep_exchange(const Neighbours& neighbours, const NeighbourBlocks& sizes) {
  const auto ends = static_cast<size_t>(neighbours.in_count + neighbours.out_count);
  auto* kept = static_cast<Exchange*>(malloc(sizeof(Exchange) + ends * sizeof(Exchange::End)));
  if (kept == nullptr) return nullptr;
  kept->in_count = neighbours.in_count;
  kept->out_count = neighbours.out_count;
  Exchange::End* end = kept->ends();
  for (int i = 0; i < neighbours.in_count; ++i) *end++ = {sizes.got(i), neighbours.in[i]};
  for (int i = 0; i < neighbours.out_count; ++i) *end++ = {sizes.given(i), neighbours.out[i]};
  return kept;
}

template <class L, class Measure, class Call>
int neighbour_init(uint16_t id, MPI_Comm comm, typename L::Request* request, Measure&& measure, Call&& call) {
  Frame frame(id);
  const int rc = call();
  if (!frame.leave()) return rc;
  frame.put_call();
  Neighbours neighbours;
  if (rc != MPI_SUCCESS) return rc;
  const KnownComm& known = known_comm(comm);
  if (!find_neighbours(known, frame.thread(), neighbours)) return rc;
  void* exchange = keep_exchange(neighbours, measure(known));
  if (exchange == nullptr) {
    trouble(Trouble::neighbours_unknown);
    return rc;
  }
  opened_persistent(L::request(*request), exchange_of(neighbours, known.neighbour_id));
  keep_beside(L::request(*request), {0, exchange});
  return rc;
}

template <class L, class Measure, class Call>
int ineighbour(uint16_t id, MPI_Comm comm, typename L::Request* request, Measure&& measure, Call&& call) {
  Frame frame(id);
  const int rc = call();
  if (!frame.leave()) return rc;
  CallRecords records(frame);
  Neighbours neighbours;
  if (rc != MPI_SUCCESS) return rc;
  const KnownComm& known = known_comm(comm);
  if (find_neighbours(known, frame.thread(), neighbours))
    opened(L::request(*request), exchange_begun(records, neighbours, known.neighbour_id, measure(known)));
  return rc;
}

}  // namespace ww::interpose
