// Computation by the time that its rank was away from it (cooling.hpp), as a replay meets it.
#pragma once
#include <cstdint>

#include "simulate/cooling.hpp"
#include "simulate/events/state.hpp"

namespace ww::simulate {

// By how much the rank's next computation takes longer than recorded, as it begins after another time away.
inline double cooled(RankState& rank, std::int32_t number, double seconds, const CoolingInReplay& cooling) {
  const auto of = static_cast<std::size_t>(number);
  const std::size_t i = rank.computations++;
  const std::uint32_t kind = cooling.cooling->kind_of[of][i];
  if (kind == Cooling::too_short) return 1;
  const double recorded_s = (*cooling.away_s)[of][i];
  double factor = 1;
  if (rank.computed_until_s >= 0 && recorded_s != never_before)
    factor = cooling.rule.factor(kind, rank.now_s - rank.computed_until_s, recorded_s);
  rank.computed_until_s = rank.now_s + factor * seconds;
  return factor;
}

}  // namespace ww::simulate
