// some_spool DIR RANKS MESSAGES [THREADS CALLS]    a recording as the recorder leaves it in DIR/spool: a
// ring, with a second thread in rank 0 and a collective at its end; or with so many more threads in each
// rank, each with so many calls
#include <cstdlib>

#include "trace/spool_fixture.hpp"

int main(int argc, char** argv) {
  if (argc != 4 && argc != 6) return 2;
  namespace spool = ww::spool;
  const std::filesystem::path dir = argv[1];
  const int ranks = std::atoi(argv[2]), messages = std::atoi(argv[3]);
  std::vector<spool::SpoolWriter> writers(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    spool::SpoolWriter& writer = writers[static_cast<std::size_t>(r)];
    writer.standard(r, ranks);
    writer.clock(0, 0, 0, true);
    writer.add("MPI_Init", 1000, 1100);
    std::uint64_t now = 2000;
    for (int i = 0; i < messages; ++i, now += 40) {
      writer.add("MPI_Send", now, now + 5, spool::Kind::send, (r + 1) % ranks, 7, 100);
      writer.add("MPI_Recv", now + 10, now + 30, spool::Kind::recv, (r + ranks - 1) % ranks, 7, 100);
    }
    writer.add("MPI_Allreduce", now, now + 9, spool::Kind::collective, spool::no_peer, 0, 8, 8);
    writer.add("MPI_Finalize", now + 100, now + 110);
    writer.end(static_cast<std::int64_t>(now) + 120);
  }
  spool::write_spools(dir, writers);
  const int threads = argc == 6 ? std::atoi(argv[4]) : 1, calls = argc == 6 ? std::atoi(argv[5]) : 1;
  for (int r = 0; r < (argc == 6 ? ranks : 1); ++r)
    for (int t = 1; t <= threads; ++t) {
      spool::SpoolWriter thread;
      for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(calls); ++i)
        thread.add("MPI_Comm_rank", 2035 + 40 * i, 2036 + 40 * i);
      spool::write_bytes(
          dir / "spool" / ("rank-" + std::to_string(r) + ".thread-" + std::to_string(t) + ".spool"),
          thread.spool_bytes(r, 3, t));
    }
  return 0;
}
