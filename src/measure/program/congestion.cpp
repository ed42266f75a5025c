// Many pairs at once: 1, 2, 4, .. pairs of ranks, between hosts where there are several, exchange messages in
// turn at the same time; how long a message takes then, next to one pair alone.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "measure/program/experiment.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr int tag = 12;
constexpr std::int64_t sizes[] = {1024, 65536}, most_trips = 100;

// Each rank once; partners on different hosts first.
std::vector<std::pair<int, int>> disjoint_pairs(const std::vector<std::string>& hosts) {
  std::vector<std::pair<int, int>> pairs;
  std::vector<bool> taken(hosts.size(), false);
  for (const bool apart : {true, false})
    for (std::size_t a = 0; a < hosts.size(); ++a)
      for (std::size_t b = a + 1; b < hosts.size() && !taken[a]; ++b)
        if (!taken[b] && (hosts[a] != hosts[b]) == apart) {
          taken[a] = taken[b] = true;
          pairs.emplace_back(static_cast<int>(a), static_cast<int>(b));
        }
  return pairs;
}

double one_way(ProcessGroup& group, int partner, bool leads, std::int64_t bytes) {
  char *out = group.out(bytes), *in = group.in(bytes);
  const int n = static_cast<int>(bytes);
  const double begin = now_s();
  if (leads) MPI_Send(out, n, MPI_BYTE, partner, tag, group.comm());
  MPI_Recv(in, n, MPI_BYTE, partner, tag, group.comm(), MPI_STATUS_IGNORE);
  if (!leads) MPI_Send(out, n, MPI_BYTE, partner, tag, group.comm());
  return (now_s() - begin) / 2;
}

void run(ProcessGroup& group, double budget_s) {
  const auto pairs = disjoint_pairs(group.hosts());
  std::vector<std::size_t> counts;
  for (std::size_t count = 1; count < pairs.size(); count *= 2) counts.push_back(count);
  counts.push_back(pairs.size());
  const double each_s = budget_s / static_cast<double>(std::size(sizes) * counts.size());
  for (const std::int64_t bytes : sizes) {
    double alone_s = 0;
    for (const std::size_t count : counts) {
      std::size_t mine = count;
      for (std::size_t i = 0; i < count; ++i)
        if (pairs[i].first == group.rank() || pairs[i].second == group.rank()) mine = i;
      // pair 0 measures alone what others will have at least
      std::int64_t trips = 4;
      const auto pair_trips = [&](std::int64_t number, std::vector<double>* times) {
        if (mine == count) return;
        const bool leads = pairs[mine].first == group.rank();
        const int partner = leads ? pairs[mine].second : pairs[mine].first;
        for (std::int64_t i = 0; i < number; ++i) {
          const double one_s = one_way(group, partner, leads, bytes);
          if (times != nullptr && i > 0) times->push_back(one_s);
        }
      };
      const double begin = now_s();
      pair_trips(trips, nullptr);
      const double seconds = (now_s() - begin) / static_cast<double>(trips);
      group.meet();
      trips = group.agreed(
          std::clamp<std::int64_t>(std::llround(each_s / std::max(1e-6, seconds)), 4, most_trips));
      std::vector<double> times;
      pair_trips(trips, &times);
      group.meet();
      const bool leads = mine < count && pairs[mine].first == group.rank();
      const auto medians = group.gathered({leads ? stats::median(times) : 0.0});
      std::vector<double> message_s;
      for (const double one_s : medians)
        if (one_s > 0) message_s.push_back(one_s);
      if (!group.leads()) continue;
      if (count == 1) alone_s = stats::median(message_s);
      group.emit("congestion",
                 {{"pairs", count}, {"bytes", bytes}, {"message_s", message_s}, {"alone_s", alone_s}});
    }
  }
}

}  // namespace

const GroupExperiment congestion{"congestion", "many pairs at once", 0.1, 4, run};

}  // namespace ww::measure
