// S1's echo over d hops, the forwarding done by processes: a message goes from rank 0 through 1, 2, .. to
// rank d and back the same way. MPI forwards nothing by itself, so a hop costs a receive and a send of a
// process that waits for it.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr int tag = 9, most_hops = 5;
constexpr std::int64_t sizes[] = {16, 500, 1000, 1500, 2000}, most_echoes = 60;

void echo(ProcessGroup& group, int hops, std::int64_t bytes) {
  const int rank = group.rank(), n = static_cast<int>(bytes);
  char *out = group.out(bytes), *in = group.in(bytes);
  const auto receive = [&](int from) {
    MPI_Recv(in, n, MPI_BYTE, from, tag, group.comm(), MPI_STATUS_IGNORE);
  };
  const auto send = [&](int to) { MPI_Send(out, n, MPI_BYTE, to, tag, group.comm()); };
  if (rank > 0) receive(rank - 1);
  if (rank < hops) {
    send(rank + 1);
    receive(rank + 1);
  }
  if (rank > 0) send(rank - 1);
}

void run(ProcessGroup& group, double budget_s) {
  const int most = std::min(most_hops, group.ranks() - 1);
  const double each_s = budget_s / (most * static_cast<double>(std::size(sizes)));
  for (int hops = 1; hops <= most; ++hops)
    for (const std::int64_t bytes : sizes) {
      std::vector<double> seconds;
      if (group.rank() <= hops) {
        std::int64_t count = 1;
        const double begin = now_s();
        echo(group, hops, bytes);
        echo(group, hops, bytes);
        if (group.leads())
          count = std::clamp<std::int64_t>(std::llround(each_s / ((now_s() - begin) / 2)), 3, most_echoes);
        // the number goes along the chain as a message
        if (group.rank() > 0)
          MPI_Recv(&count, 1, MPI_INT64_T, group.rank() - 1, tag, group.comm(), MPI_STATUS_IGNORE);
        if (group.rank() < hops) MPI_Send(&count, 1, MPI_INT64_T, group.rank() + 1, tag, group.comm());
        for (std::int64_t i = 0; i < count; ++i) {
          const double start = now_s();
          echo(group, hops, bytes);
          if (i > 0) seconds.push_back(now_s() - start);
        }
      }
      group.meet();
      if (!seconds.empty()) group.emit("relay", {{"hops", hops}, {"bytes", bytes}, {"echo_s", seconds}});
    }
}

}  // namespace

const GroupExperiment relay{"relay", "echoes through processes that pass them on", 0.08, 3, run};

}  // namespace ww::measure
