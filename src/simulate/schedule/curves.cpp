#include "simulate/schedule/curves.hpp"

#include <algorithm>

namespace ww::schedule {
namespace {

__extension__ typedef __int128 Wide;  // a slope times a parameter

Wide at(const Tangent& tangent, Ticks x) {
  return static_cast<Wide>(tangent.finish) + static_cast<Wide>(tangent.slope) * (x - tangent.at);
}

Ticks floor_divide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return static_cast<Ticks>(a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient);
}

class Finder {
 public:
  Finder(const Evaluate& evaluate, std::size_t most, PieceCurve& out)
      : evaluate_(evaluate), most_(most), out_(out) {}

  Result<Tangent> tangent(Ticks x) {
    ++out_.evaluations;
    return evaluate_(x);
  }

  // All breakpoints between two tangents, the left one's piece being there.
  Result<void> between(const Tangent& left, const Tangent& right) {
    // The left tangent still holds at the right end: one piece, whatever the chain there is.
    if (left.slope >= right.slope || at(left, right.at) == right.finish) return {};
    if (out_.pieces.size() >= most_) {
      out_.cut = true;
      return {};
    }
    // Where the tangents meet, rounded down. A third piece shows itself there or right behind.
    const Ticks meet = floor_divide(at(right, 0) - at(left, 0), static_cast<Wide>(left.slope) - right.slope);
    const Ticks middle = std::clamp(meet, left.at, right.at - 1);
    for (const Ticks probe : {middle, middle + 1}) {
      if (probe <= left.at || probe >= right.at) continue;
      WW_TRY(const Tangent there, tangent(probe));
      if (there.finish <= std::max(at(left, probe), at(right, probe))) continue;
      WW_CHECK(between(left, there));
      begin_piece(there);
      return between(there, right);
    }
    const Ticks begin = at(right, middle) == at(left, middle) ? middle : middle + 1;
    begin_piece({begin, static_cast<Ticks>(at(right, begin)), right.slope});
    return {};
  }

 private:
  void begin_piece(const Tangent& tangent) {
    Piece& last = out_.pieces.back();
    if (last.slope == tangent.slope) return;
    if (last.from == tangent.at)
      last.slope = tangent.slope;
    else
      out_.pieces.push_back({tangent.at, tangent.finish, tangent.slope});
  }

  const Evaluate& evaluate_;
  std::size_t most_;
  PieceCurve& out_;
};

}  // namespace

Result<PieceCurve> all_pieces(const Evaluate& evaluate, Ticks from, Ticks to, std::size_t most) {
  PieceCurve out;
  out.to = to;
  Finder finder(evaluate, most, out);
  WW_TRY(const Tangent left, finder.tangent(from));
  out.pieces.push_back({left.at, left.finish, left.slope});
  if (to <= from) return out;
  WW_TRY(const Tangent right, finder.tangent(to));
  WW_CHECK(finder.between(left, right));
  return out;
}

Result<Ticks> largest_within(const Evaluate& evaluate, Ticks from, Ticks limit, Ticks beyond) {
  WW_TRY(Tangent far, evaluate(beyond));
  if (far.finish <= limit) return -1;
  // Newton's steps from the right: a tangent of a convex curve lies below it, so no step passes the value.
  while (far.finish > limit) {
    WW_INVARIANT(far.slope > 0 && far.at > from);
    const Ticks next = far.at - (far.finish - limit + far.slope - 1) / far.slope;
    WW_TRY(far, evaluate(std::max(from, next)));
  }
  return far.at;
}

Evaluate by(Parameter parameter, const Growing& growing, const Parameters& at) {
  return [=](Ticks value) -> Result<Tangent> {
    Parameters changed = at;
    changed[parameter] = value;
    WW_TRY(Grown grown, growing(changed, true));
    return Tangent{value, grown.finish, grown.slopes[parameter]};
  };
}

}  // namespace ww::schedule
