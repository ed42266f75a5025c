#include "measure/program/common_clock.hpp"

#include "measure/program/session.hpp"

namespace ww::measure {
namespace {
constexpr int exchanges = 12, clock_tag = 7;
}

CommonClock::CommonClock(MPI_Comm comm) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int other = 1; other < ranks; ++other) {
    if (rank == 0) {
      for (int i = 0; i < exchanges; ++i) {
        double word = 0;
        MPI_Recv(&word, 1, MPI_DOUBLE, other, clock_tag, comm, MPI_STATUS_IGNORE);
        word = measure::now_s();
        MPI_Send(&word, 1, MPI_DOUBLE, other, clock_tag, comm);
      }
    } else if (rank == other) {
      double shortest_s = 1e9;
      for (int i = 0; i < exchanges; ++i) {
        double word = 0;
        const double begin = measure::now_s();
        MPI_Send(&word, 1, MPI_DOUBLE, 0, clock_tag, comm);
        MPI_Recv(&word, 1, MPI_DOUBLE, 0, clock_tag, comm, MPI_STATUS_IGNORE);
        const double end = measure::now_s();
        if (end - begin >= shortest_s) continue;
        shortest_s = end - begin;
        ahead_s_ = (begin + end) / 2 - word;
      }
      doubt_s_ = shortest_s / 2;
    }
  }
}

double CommonClock::now_s() const {
  return measure::now_s() - ahead_s_;
}

void CommonClock::wait_until(double common_s) const {
  while (now_s() < common_s) {
  }
}

}  // namespace ww::measure
