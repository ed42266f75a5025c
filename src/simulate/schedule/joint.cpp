#include "simulate/schedule/joint.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace ww::schedule {
namespace {

__extension__ typedef __int128 Wide;

// Beyond these, products of three would not fit in 128 bits: 2^31 messages one after the other, 35 TB.
constexpr std::int64_t most_by_x = std::int64_t{1} << 31, most_by_y = std::int64_t{1} << 45;
constexpr Ticks too_far = Ticks{1} << 48;

// c + x a + y b, of which a polygon's edge is where it is 0.
struct Line {
  Wide c = 0;
  std::int64_t a = 0, b = 0;
};

// (whole.x + rest_x / over, whole.y + rest_y / over), the rests from 0 to below over.
struct Corner {
  Place2 whole;
  Wide rest_x = 0, rest_y = 0, over = 1;
};

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// Of lines that are not parallel.
Corner meet(const Line& l, const Line& m) {
  Wide over = static_cast<Wide>(l.a) * m.b - static_cast<Wide>(m.a) * l.b;
  Wide x = l.b * m.c - m.b * l.c, y = m.a * l.c - l.a * m.c;
  if (over < 0) over = -over, x = -x, y = -y;
  WW_INVARIANT(over != 0);
  const Wide whole_x = floor_of(x, over), whole_y = floor_of(y, over);
  return {{static_cast<Ticks>(whole_x), static_cast<Ticks>(whole_y)},
          x - whole_x * over,
          y - whole_y * over,
          over};
}

// The sign of a line's expression at a corner.
int side(const Line& line, const Corner& corner) {
  const Wide whole =
      line.c + static_cast<Wide>(line.a) * corner.whole.x + static_cast<Wide>(line.b) * corner.whole.y;
  // What the rests add is below this.
  const Wide reach =
      (line.a < 0 ? -static_cast<Wide>(line.a) : line.a) + (line.b < 0 ? -static_cast<Wide>(line.b) : line.b);
  if (whole > reach) return 1;
  if (whole < -reach) return -1;
  const Wide all = whole * corner.over + line.a * corner.rest_x + line.b * corner.rest_y;
  return all > 0 ? 1 : all < 0 ? -1 : 0;
}

// Where `plane` is the greatest: edges in a circle, and where each meets the one after it.
struct Cell {
  struct Edge {
    Line line;
    Corner end;
  };
  Plane plane;
  std::vector<Edge> edges;
};

Line above(const Plane& a, const Plane& b) {
  return {static_cast<Wide>(a.rest) - b.rest, a.by_x - b.by_x, a.by_y - b.by_y};
}

// Keeps the part of the cell where the line is not negative; none is left if that has no area.
void clip(Cell& cell, const Line& line) {
  std::vector<int> sides;
  bool none_below = true, none_above = true;
  for (const Cell::Edge& edge : cell.edges) {
    sides.push_back(side(line, edge.end));
    none_below = none_below && sides.back() >= 0;
    none_above = none_above && sides.back() <= 0;
  }
  if (none_above) {
    cell.edges.clear();
    return;
  }
  if (none_below) return;
  const std::size_t count = cell.edges.size();
  std::vector<Cell::Edge> kept;
  std::size_t entered = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool starts = sides[(i + count - 1) % count] > 0, ends = sides[i] > 0;
    if (!starts && !ends) continue;
    kept.push_back(cell.edges[i]);
    if (ends) continue;
    // The edge leaves; the line goes on from here to where the next one that is kept enters.
    kept.back().end = meet(kept.back().line, line);
    entered = kept.size();
    kept.push_back({line, {}});
  }
  kept[entered].end = meet(line, kept[(entered + 1) % kept.size()].line);
  cell.edges = std::move(kept);
}

class Mapper {
 public:
  Mapper(const Growing& growing, std::int64_t overhead, const Rectangle& box, const JointLimits& limits)
      : growing_(growing), overhead_(overhead), box_(box), limits_(limits) {}

  Result<JointMap> map() {
    WW_INVARIANT(box_.from.x >= 0 && box_.from.y >= 0 && box_.from.x < box_.to.x && box_.from.y < box_.to.y);
    WW_CHECK(visit(box_.from));
    while (!cut_) {
      WW_TRY(const bool near, look(true));
      if (near) continue;
      WW_TRY(const bool others, look(false));
      if (!others) break;
    }
    JointMap out;
    out.box = box_;
    WW_TRY(out.off, off());
    for (const Cell& cell : cells_) {
      JointMap::Region& region = out.regions.emplace_back();
      region.plane = cell.plane;
      for (const Cell::Edge& edge : cell.edges)
        region.corners.emplace_back(value(edge.end.whole.x, edge.end.rest_x, edge.end.over),
                                    value(edge.end.whole.y, edge.end.rest_y, edge.end.over));
    }
    out.evaluations = evaluations_;
    out.cut = cut_;
    return out;
  }

 private:
  static double value(Ticks whole, Wide rest, Wide over) {
    return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(over);
  }

  Ticks greatest(const Place2& place) const {
    Ticks out = 0;
    for (const Cell& cell : cells_) out = std::max(out, cell.plane.at(place));
    return out;
  }

  Result<Ticks> finish(const Place2& place) {
    const auto known = known_.find({place.x, place.y});
    if (known != known_.end()) return known->second;
    ++evaluations_;
    WW_TRY(const Grown there, growing_({place.x, place.y, overhead_}, false));
    if (!cells_.empty() && there.finish < greatest(place)) return not_convex();
    known_.emplace(std::pair{place.x, place.y}, there.finish);
    return there.finish;
  }

  // True: the place was not explained by the planes, and there is one more.
  Result<bool> visit(const Place2& place) {
    WW_TRY(const Ticks there, finish(place));
    if (!cells_.empty() && there == greatest(place)) return false;
    ++evaluations_;
    WW_TRY(const Grown touch, growing_({place.x, place.y, overhead_}, true));
    WW_INVARIANT(touch.finish == there);
    const auto [by_x, by_y, unused] = touch.slopes;
    if (by_x < 0 || by_x > most_by_x || by_y < 0 || by_y > most_by_y)
      return fail("a time that grows faster with a parameter than can be counted");
    const Plane plane{there - by_x * place.x - by_y * place.y, by_x, by_y};
    for (const auto& [seen, finish] : known_)
      if (plane.at({seen.first, seen.second}) > finish) return not_convex();
    add(plane);
    limit(limits_.planes <= cells_.size());
    return true;
  }

  void limit(bool reached) { cut_ = cut_ || reached || evaluations_ >= limits_.evaluations; }

  static tl::unexpected<Error> not_convex() {
    return fail("the time does not grow convexly with both parameters together");
  }

  void add(const Plane& plane) {
    const auto edge = [](Ticks c, std::int64_t a, std::int64_t b) { return Cell::Edge{{c, a, b}, {}}; };
    Cell cell{
        plane,
        {edge(-box_.from.y, 0, 1), edge(box_.to.x, -1, 0), edge(box_.to.y, 0, -1), edge(-box_.from.x, 1, 0)}};
    for (std::size_t i = 0; i < 4; ++i)
      cell.edges[i].end = meet(cell.edges[i].line, cell.edges[(i + 1) % 4].line);
    for (Cell& other : cells_) {
      if (!cell.edges.empty()) clip(cell, above(plane, other.plane));
      clip(other, above(other.plane, plane));
    }
    WW_INVARIANT(!cell.edges.empty());  // where it was found it is above the others
    std::erase_if(cells_, [](const Cell& other) { return other.edges.empty(); });
    cells_.push_back(std::move(cell));
  }

  // The whole points around a corner, of which it is between three at most; the nearest first.
  struct Around {
    Place2 at[3];
    Wide part[3];  // of each in the corner, over Corner::over
    int count = 1;
  };
  static Around around(const Corner& corner) {
    Around out;
    Wide x = corner.rest_x, y = corner.rest_y;
    const Wide over = corner.over;
    Place2 near = corner.whole, other = {near.x + 1, near.y + 1};
    // From the opposite point of the square the corner is seen within the half that it lies in.
    if (x + y > over) {
      std::swap(near, other);
      x = over - x;
      y = over - y;
    }
    const std::pair<Place2, Wide> all[] = {
        {near, over - x - y}, {{other.x, near.y}, x}, {{near.x, other.y}, y}};
    out.count = 0;
    for (const auto& [place, part] : all)
      if (part > 0) {
        out.at[out.count] = place;
        out.part[out.count++] = part;
      }
    for (int i = 1; i < out.count; ++i)
      if (out.part[i] > out.part[0]) {
        std::swap(out.at[0], out.at[i]);
        std::swap(out.part[0], out.part[i]);
      }
    return out;
  }

  // Visits what is around the corners, the nearest points or all: of each polygon until it has changed, so
  // that no part of the box is known much better than another when a limit is reached. True: planes were
  // found.
  Result<bool> look(bool nearest) {
    bool found = false;
    for (std::size_t i = 0; i < cells_.size() && !cut_; ++i) {
      WW_TRY(const bool changed, look_at(i, nearest));
      found = found || changed;
    }
    return found;
  }

  Result<bool> look_at(std::size_t cell, bool nearest) {
    for (std::size_t edge = 0; edge < cells_[cell].edges.size(); ++edge) {
      const Around points = around(cells_[cell].edges[edge].end);
      for (int point = 0; point < (nearest ? 1 : points.count); ++point) {
        const Place2& place = points.at[point];
        if (known_.contains({place.x, place.y})) continue;
        WW_TRY(const bool found, visit(place));
        if (found) return true;
        limit(false);
        if (cut_) return false;
      }
    }
    return false;
  }

  // The most that the finish may be above the planes. It is convex, so at a corner at most the mean of the
  // points around by their parts; and it grows, so at most what it is at the next whole point.
  Result<Ticks> off() {
    Ticks most = 0;
    for (const Cell& cell : cells_)
      for (const Cell::Edge& edge : cell.edges) {
        const Corner& corner = edge.end;
        const Around points = around(corner);
        Wide mean = 0;
        bool known = true;
        for (int point = 0; point < points.count && known; ++point) {
          const Place2& place = points.at[point];
          const auto there = known_.find({place.x, place.y});
          known = there != known_.end() && there->second - cell.plane.at(place) < too_far;
          if (known) mean += points.part[point] * (there->second - cell.plane.at(place));
        }
        if (known) {
          most = std::max(most, static_cast<Ticks>(floor_of(mean + corner.over - 1, corner.over)));
          continue;
        }
        const Place2 next{corner.whole.x + (corner.rest_x > 0), corner.whole.y + (corner.rest_y > 0)};
        WW_TRY(const Ticks there, finish(next));
        most = std::max(most, there - cell.plane.at(corner.whole));
      }
    return most;
  }

  const Growing& growing_;
  const std::int64_t overhead_;
  const Rectangle box_;
  const JointLimits limits_;
  std::vector<Cell> cells_;
  std::map<std::pair<Ticks, Ticks>, Ticks> known_;
  std::uint64_t evaluations_ = 0;
  bool cut_ = false;
};

}  // namespace

Ticks JointMap::at(const Place2& place) const {
  Ticks out = 0;
  for (const Region& region : regions) out = std::max(out, region.plane.at(place));
  return out;
}

Result<JointMap> joint_map(const Growing& growing, std::int64_t overhead, const Rectangle& box,
                           const JointLimits& limits) {
  return Mapper(growing, overhead, box, limits).map();
}

JointLimits limits_for(std::uint64_t events) {
  JointLimits out;
  constexpr std::uint64_t all_events = 200'000'000, fewest = 60;
  out.evaluations = std::clamp(all_events / std::max<std::uint64_t>(1, events), fewest, out.evaluations);
  return out;
}

}  // namespace ww::schedule
