#include "dilate/signature.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace ww {
namespace {

struct Sum {
  double normalised_s = 0;
  std::vector<RankComponents> ranks;
  int runs = 0;

  void add(const SignedRun& run) {
    ++runs;
    normalised_s += run.normalised_s;
    if (ranks.size() < run.ranks.size()) ranks.resize(run.ranks.size());
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
      ranks[i].rank = run.ranks[i].rank;
      ranks[i].elapsed_s += run.ranks[i].elapsed_s;
      ranks[i].components += run.ranks[i].components;
    }
  }

  Signature::Row row(double factor) const {
    Signature::Row out{factor, normalised_s / runs, ranks, {}};
    for (RankComponents& rank : out.ranks) {
      rank.elapsed_s /= runs;
      rank.components = rank.components / runs;
    }
    out.mean = mean_of(out.ranks);
    return out;
  }
};

// Of the rounds the most: the time at D = 1 over what no network takes away at `factor`.
double most_possible(const std::vector<SignedRun>& runs, double factor, SoftwareAtD software) {
  double most = 0;
  for (const SignedRun& run : runs) {
    if (run.factor != 1) continue;
    const Components mean = mean_of(run.ranks);
    const double stays_s =
        mean.user_s + mean.software_s() / (software == SoftwareAtD::stays ? 1 : std::max(1.0, factor));
    if (stays_s > 0) most = std::max(most, std::max(mean.elapsed_s(), run.normalised_s) / stays_s);
  }
  return most;
}

}  // namespace

Signature signature_of(const std::vector<SignedRun>& runs, SoftwareAtD software) {
  std::map<double, Sum> sums;
  std::vector<RoundTime> times;
  for (const SignedRun& run : runs) {
    sums[run.factor].add(run);
    times.push_back({run.factor, run.round, run.normalised_s});
  }
  Signature out;
  std::vector<Remaining> remaining;
  for (const auto& [factor, sum] : sums) {
    out.rows.push_back(sum.row(factor));
    remaining.push_back({factor, out.rows.back().mean});
  }
  out.speedup = speedup_curve(times);
  if (out.speedup.empty()) return out;
  out.flattens = flattening(out.speedup, remaining);
  const double most = most_possible(runs, out.rows.back().factor, software);
  out.verdict = judge({out.rows.front().mean, out.rows.back().mean, out.speedup, most});
  return out;
}

void withhold(Signature& signature, const std::string& reason) {
  signature.withheld = reason;
  signature.verdict.verdict.clear();
}

}  // namespace ww
