// For tests: spools of as many messages as are wanted.
#pragma once
#include <cstdint>
#include <vector>

#include "trace/spool_fixture.hpp"

namespace ww::spool {

// Each rank sends to its right neighbour, message i of `bytes_of(rank, i)` under tag i % 3, and posts its
// receives in another order than they were sent in, a wildcard among them; sizes of named receives are left
// to the sender (done_range).
inline std::uint64_t bytes_of(int rank, int i) {
  return static_cast<std::uint64_t>(100 * (rank + 1) + i);
}
inline std::vector<SpoolWriter> ring(int size, int rounds) {
  std::vector<SpoolWriter> ranks(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) {
    SpoolWriter& writer = ranks[static_cast<std::size_t>(r)];
    const int left = (r + size - 1) % size, right = (r + 1) % size;
    writer.standard(r, size);
    writer.clock(0, 0, 0, true);
    std::uint64_t now = 1000 + static_cast<std::uint64_t>(r), operation = 1;
    writer.add("MPI_Init", now, now + 10);
    for (int i = 0; i < rounds; i += 3) {
      now += 100;
      for (const int tag : {2, 0, 1}) {
        const bool wildcard = tag == 0;
        writer.add("MPI_Irecv", now, now + 1, Kind::irecv, wildcard ? any_peer : left, tag, 1 << 20,
                   operation + static_cast<std::uint64_t>(tag));
        now += 2;
      }
      for (int tag = 0; tag < 3; ++tag, now += 2)
        writer.add("MPI_Send", now, now + 1, Kind::send, right, tag, bytes_of(r, i + tag));
      writer.add("MPI_Wait", now, now + 50, Kind::irecv_done, left, 0, bytes_of(left, i), operation);
      now += 51;
      writer.add("MPI_Waitall", now, now + 50, Kind::done_range, no_peer, 0, 2, operation + 1);
      now += 51;
      operation += 3;
    }
    writer.add("MPI_Finalize", now, now + 10);
    writer.end(static_cast<std::int64_t>(now) + 10);
  }
  return ranks;
}

}  // namespace ww::spool
