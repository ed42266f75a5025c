// Latency and bandwidth between every two ranks: half the round trip of a small message, and a stream of
// large ones each way. One pair at a time, in random order, the others asleep; where the time does not
// suffice for all pairs, those that were not reached are empty.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "measure/program/experiment.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr std::int64_t small_bytes = 8, large_bytes = 262144;
constexpr int tag = 8, round_trips = 40, streamed = 4;
constexpr double long_stream_s = 0.25;

double latency(ProcessGroup& group, int partner, bool leads) {
  std::vector<double> seconds;
  char *out = group.out(small_bytes), *in = group.in(small_bytes);
  for (int i = 0; i < round_trips; ++i) {
    const double begin = now_s();
    if (leads) MPI_Send(out, small_bytes, MPI_BYTE, partner, tag, group.comm());
    MPI_Recv(in, small_bytes, MPI_BYTE, partner, tag, group.comm(), MPI_STATUS_IGNORE);
    if (!leads) MPI_Send(out, small_bytes, MPI_BYTE, partner, tag, group.comm());
    if (i >= round_trips / 4) seconds.push_back((now_s() - begin) / 2);
  }
  return stats::median(seconds);
}

// Seconds a message of a stream takes, by its sender, which hears when all have come.
double stream(ProcessGroup& group, int partner, bool sends, std::int64_t bytes, int count) {
  char *out = group.out(bytes), *in = group.in(bytes), word = 0;
  const double begin = now_s();
  for (int i = 0; i < count; ++i)
    if (sends)
      MPI_Send(out, static_cast<int>(bytes), MPI_BYTE, partner, tag, group.comm());
    else
      MPI_Recv(in, static_cast<int>(bytes), MPI_BYTE, partner, tag, group.comm(), MPI_STATUS_IGNORE);
  if (sends)
    MPI_Recv(&word, 1, MPI_BYTE, partner, tag, group.comm(), MPI_STATUS_IGNORE);
  else
    MPI_Send(&word, 1, MPI_BYTE, partner, tag, group.comm());
  return (now_s() - begin) / count;
}

void run(ProcessGroup& group, double budget_s) {
  const double end = now_s() + budget_s;
  const int ranks = group.ranks();
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < ranks; ++a)
    for (int b = a + 1; b < ranks; ++b) pairs.emplace_back(a, b);
  std::shuffle(pairs.begin(), pairs.end(), group.random());
  const std::int64_t bytes = std::min(large_bytes, group.largest_bytes());
  // [a][b]: from a to b; a rank fills what it measured, rank 0 joins them
  const auto cells = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  std::vector<double> latency_s(cells, 0), stream_s(cells, 0);
  for (const auto& [a, b] : pairs) {
    if (group.agreed(std::int64_t{now_s() < end ? 1 : 0}) == 0) break;
    if (group.rank() == a || group.rank() == b) {
      const bool leads = group.rank() == a;
      const int partner = leads ? b : a;
      const auto there = static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks) +
                         static_cast<std::size_t>(b),
                 back = static_cast<std::size_t>(b) * static_cast<std::size_t>(ranks) +
                        static_cast<std::size_t>(a);
      const double seconds = latency(group, partner, leads);
      if (leads) latency_s[there] = latency_s[back] = seconds;
      const double probe_s = stream(group, partner, leads, bytes, 1);
      int count = probe_s * streamed < long_stream_s ? streamed : 1;
      if (leads)
        MPI_Send(&count, 1, MPI_INT, partner, tag, group.comm());
      else
        MPI_Recv(&count, 1, MPI_INT, partner, tag, group.comm(), MPI_STATUS_IGNORE);
      const double first_s = stream(group, partner, leads, bytes, count);
      if (leads) stream_s[there] = first_s;
      const double second_s = stream(group, partner, !leads, bytes, count);
      if (!leads) stream_s[back] = second_s;
    }
    group.meet();
  }
  std::vector<double> all_latency_s(cells), all_stream_s(cells);
  MPI_Reduce(latency_s.data(), all_latency_s.data(), static_cast<int>(cells), MPI_DOUBLE, MPI_MAX, 0,
             group.comm());
  MPI_Reduce(stream_s.data(), all_stream_s.data(), static_cast<int>(cells), MPI_DOUBLE, MPI_MAX, 0,
             group.comm());
  group.emit("matrix", {{"ranks", ranks},
                        {"hosts", group.hosts()},
                        {"small_bytes", small_bytes},
                        {"latency_s", all_latency_s},
                        {"large_bytes", bytes},
                        {"stream_s", all_stream_s}});
}

}  // namespace

const GroupExperiment matrix{"matrix", "latency and bandwidth between every two ranks", 0.15, 2, run};

}  // namespace ww::measure
