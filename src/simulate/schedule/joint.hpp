// How the finish of a program grows with two parameters together, over a rectangle of their values: convex,
// a plane in each of some polygons.
//
// Every evaluation gives a plane that touches the finish and is nowhere above it. Where the greatest of the
// planes found so far equals the finish at all corners of its polygons, it is the finish everywhere: on a
// polygon the finish less its plane is convex, so greatest at a corner. A corner is a fraction and
// evaluations take whole ticks, so it is the whole points around it that are evaluated; what the finish may
// be above the planes between those is added up exactly and told (JointMap::off).
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "simulate/schedule/curves.hpp"

namespace ww::schedule {

struct Place2 {
  Ticks x = 0, y = 0;
  bool operator==(const Place2&) const = default;
};

// rest + by_x x + by_y y
struct Plane {
  Ticks rest = 0;
  std::int64_t by_x = 0, by_y = 0;
  bool operator==(const Plane&) const = default;
  Ticks at(const Place2& place) const { return rest + by_x * place.x + by_y * place.y; }
};

struct Rectangle {
  Place2 from, to;  // all values are at least 0
};

struct JointLimits {
  std::size_t planes = 1000;
  std::uint64_t evaluations = 20'000;
};

struct JointMap {
  struct Region {
    Plane plane;
    std::vector<std::pair<double, double>> corners;  // x, y in ticks, around the polygon
  };
  Rectangle box;
  std::vector<Region> regions;
  std::uint64_t evaluations = 0;
  Ticks off = 0;     // the finish is never below the greatest plane, and above it by at most this
  bool cut = false;  // the limits were reached: there are planes that are not told

  Ticks at(const Place2& place) const;
};

// By latency (x) and the time a byte (y). Errors: a finish that is below a plane (it does not grow convexly),
// numbers that do not fit, those of the evaluation.
Result<JointMap> joint_map(const Growing& growing, std::int64_t overhead, const Rectangle& box,
                           const JointLimits& limits = {});

// What a map's numbers mean to a reader: the parameters are latency and seconds a byte, and a place is what
// is added to a machine's, in ticks.
struct JointScale {
  double ticks_per_s = 1e15;
  double latency_s = 0, seconds_per_byte = 0;          // at the place 0, 0
  double now_latency_s = 0, now_seconds_per_byte = 0;  // of the machine
  std::vector<double> times;                           // of both that a table shows, in the box
};
nlohmann::json to_json(const JointMap& map, const JointScale& scale);
// The finish where both parameters are so many times what they are.
double finish_s(const JointMap& map, const JointScale& scale, double latency_times, double byte_times);

// So many evaluations that a map takes seconds, not minutes.
JointLimits limits_for(std::uint64_t events);

}  // namespace ww::schedule
