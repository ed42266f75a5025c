#include "interpose/mpi/neighbours.hpp"

#include "interpose/core/definitions.hpp"

namespace ww::interpose {

namespace {

// Room for two lists of ranks; nullptr: no memory.
int* room(Thread& thread, int in, int out) {
  return static_cast<int*>(thread.handles.need(sizeof(int) * 2 * static_cast<size_t>(in + out + 1)));
}

bool grid(MPI_Comm comm, Thread& thread, Neighbours& found) {
  int dimensions = 0;
  if (PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS) return false;
  int* ranks = room(thread, 2 * dimensions, 0);
  if (ranks == nullptr) return false;
  for (int d = 0; d < dimensions; ++d) PMPI_Cart_shift(comm, d, 1, &ranks[2 * d], &ranks[2 * d + 1]);
  found = {2 * dimensions, 2 * dimensions, ranks, ranks};
  return true;
}

bool graph(const KnownComm& comm, Thread& thread, Neighbours& found) {
  int count = 0;
  if (PMPI_Graph_neighbors_count(comm.handle, comm.rank, &count) != MPI_SUCCESS) return false;
  int* ranks = room(thread, count, 0);
  if (ranks == nullptr) return false;
  PMPI_Graph_neighbors(comm.handle, comm.rank, count, ranks);
  found = {count, count, ranks, ranks};
  return true;
}

bool distributed_graph(MPI_Comm comm, Thread& thread, Neighbours& found) {
  int in = 0, out = 0, weighted = 0;
  if (PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) != MPI_SUCCESS) return false;
  int* ranks = room(thread, in, out);
  if (ranks == nullptr) return false;
  int* weights = ranks + in + out;
  PMPI_Dist_graph_neighbors(comm, in, ranks, weights, out, ranks + in, weights + in);
  found = {in, out, ranks, ranks + in};
  return true;
}

}  // namespace

void add_exchange(CallRecords& records, const OpenOperation& operation, const PersistentCall& beside) {
  auto* exchange = static_cast<Exchange*>(beside.more);
  if (exchange == nullptr) return;
  uint64_t serial = operation.serial;
  const Exchange::End* end = exchange->ends();
  for (int i = 0; i < exchange->in_count + exchange->out_count; ++i, ++end)
    if (end->peer >= 0)
      records.add(i < exchange->in_count ? Kind::irecv : Kind::isend, end->bytes, serial++, end->peer, 0,
                  operation.comm, 0);
}

bool find_neighbours(const KnownComm& comm, Thread& thread, Neighbours& found) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm.handle, &topology);
  const bool good = comm.neighbour_id != unknown_comm &&
                    (topology == MPI_CART         ? grid(comm.handle, thread, found)
                     : topology == MPI_GRAPH      ? graph(comm, thread, found)
                     : topology == MPI_DIST_GRAPH ? distributed_graph(comm.handle, thread, found)
                                                  : false);
  if (!good) trouble(Trouble::neighbours_unknown);
  return good;
}

}  // namespace ww::interpose
