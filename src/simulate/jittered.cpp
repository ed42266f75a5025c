#include "simulate/jittered.hpp"

#include <algorithm>
#include <random>

namespace ww::simulate {

namespace {

// Not of loops that only ask, which take no time.
bool is_computation(const RankProgram& rank, std::size_t i) {
  return rank.kind[i] == OpKind::compute && rank.seconds[rank.argument[i]] > 0;
}

std::size_t computations(const RankProgram& rank) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < rank.size(); ++i) out += is_computation(rank, i) ? 1 : 0;
  return out;
}

std::shared_ptr<const Program> jittered_by(unsigned seed, const Program& program) {
  auto out = std::make_shared<Program>(program);
  const double all_s = most_jitter * program.recorded.elapsed_s;
  const double longest_s = std::min(longest_jitter_s, all_s);
  const double delays = 2 * all_s / longest_s;  // half as long each, in the mean
  for (std::size_t rank = 0; rank < out->ranks.size(); ++rank) {
    RankProgram& operations = out->ranks[rank];
    const std::size_t of = computations(operations);
    if (of == 0 || !(longest_s > 0)) continue;
    std::mt19937_64 random(seed * std::uint64_t{1'000'003} + rank);
    std::bernoulli_distribution is_longer(std::min(1.0, delays / static_cast<double>(of)));
    std::uniform_real_distribution<double> by_s(0, longest_s);
    for (std::size_t i = 0; i < operations.size(); ++i)
      if (is_computation(operations, i) && is_longer(random))
        operations.seconds.change(operations.argument[i]) += by_s(random);
  }
  return out;
}

}  // namespace

std::vector<std::shared_ptr<const Program>> jittered(const Program& program) {
  if (std::none_of(program.ranks.begin(), program.ranks.end(),
                   [](const RankProgram& rank) { return computations(rank) > 0; }))
    return {};
  return {jittered_by(1, program), jittered_by(2, program), jittered_by(3, program)};
}

}  // namespace ww::simulate
