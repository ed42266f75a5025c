// How a finish without contention grows with one parameter of the machine: convex, straight between
// breakpoints, each of which is found, since a tangent says how far it may be trusted.
//
// (Where two straight pieces meet, the longest chain is another one. LLAMP, arXiv 2404.14193, finds these by
// a linear program in steps; a step that is longer than a piece misses it.)
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "base/result.hpp"
#include "simulate/schedule/loggops.hpp"

namespace ww::schedule {

enum class Parameter : std::uint8_t { latency, per_byte, overhead };  // LogGOPS: L, G, o
inline constexpr std::array<Parameter, 3> all_parameters{Parameter::latency, Parameter::per_byte,
                                                         Parameter::overhead};

// A number for each: its value, or how often it is in a time.
struct Parameters {
  std::int64_t latency = 0, per_byte = 0, overhead = 0;
  std::int64_t& operator[](Parameter parameter) {
    return parameter == Parameter::latency ? latency : parameter == Parameter::per_byte ? per_byte : overhead;
  }
  Parameters operator+(const Parameters& b) const {
    return {latency + b.latency, per_byte + b.per_byte, overhead + b.overhead};
  }
  Parameters operator*(std::int64_t times) const {
    return {latency * times, per_byte * times, overhead * times};
  }
};

struct Grown {
  Ticks finish = 0;
  Parameters slopes;  // ticks of the finish a tick of each
};
// An evaluation with other parameters. Without `slopes`, which may be cheaper, only the finish is told.
using Growing = std::function<Result<Grown>(const Parameters& at, bool slopes)>;

// What an evaluation at one value tells: the finish, and how fast it grows there.
struct Tangent {
  Ticks at = 0, finish = 0;
  std::int64_t slope = 0;  // ticks of the finish a tick of the parameter
};
using Evaluate = std::function<Result<Tangent>(Ticks at)>;

// From `from` on, up to the next piece's: finish + slope (x - from). `from` is exact to a tick.
struct Piece {
  Ticks from = 0, finish = 0;
  std::int64_t slope = 0;
};

struct PieceCurve {
  std::vector<Piece> pieces;
  Ticks to = 0;
  std::uint64_t evaluations = 0;
  bool cut = false;  // more pieces than `most`: some breakpoints are not told
};

inline constexpr std::size_t most_pieces = 1000;
// All pieces between two values.
Result<PieceCurve> all_pieces(const Evaluate& evaluate, Ticks from, Ticks to, std::size_t most = most_pieces);
// The largest value at which the finish is at most `limit`, or -1 where it stays below for ever (up to
// `beyond`). evaluate(from) must be within the limit.
Result<Ticks> largest_within(const Evaluate& evaluate, Ticks from, Ticks limit, Ticks beyond);

// The finish by one parameter, the others as they are `at`.
Evaluate by(Parameter parameter, const Growing& growing, const Parameters& at);

}  // namespace ww::schedule
