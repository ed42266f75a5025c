// What a program says of itself (whatwire/marker.h; Score-P's user regions, metrics and parameters): no MPI
// calls, and no part of what is matched or replayed.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "base/column.hpp"

namespace ww {

struct ValueName {
  std::string name, unit;
  bool whole = false;  // an std::int64_t, else a double
};

struct UserNames {
  std::vector<std::string> regions;
  std::vector<ValueName> values;
  std::vector<std::string> texts;  // of markers
};

// `thread` numbers the threads of the rank as the archive does; 0 is the one that called MPI_Init.
struct UserRegion {
  std::int64_t enter_ns = 0, leave_ns = 0;
  std::uint32_t region = 0;  // index into UserNames::regions
  std::uint32_t thread = 0;
};
struct UserValue {
  std::int64_t at_ns = 0;
  std::uint32_t name = 0;  // index into UserNames::values
  std::uint32_t thread = 0;
  std::uint64_t bits = 0;

  double number(const ValueName& of) const {
    return of.whole ? static_cast<double>(std::bit_cast<std::int64_t>(bits)) : std::bit_cast<double>(bits);
  }
};
struct UserMarker {
  std::int64_t at_ns = 0;
  std::uint32_t text = 0;  // index into UserNames::texts
  std::uint32_t thread = 0;
};

// Of one rank. Regions in the order of entering, those of a thread within one another; the others by time.
struct UserEvents {
  Column<UserRegion> regions;
  Column<UserValue> values;
  Column<UserMarker> markers;

  bool any() const { return !regions.empty() || !values.empty() || !markers.empty(); }
  // `move` changes every time.
  void move_times(const auto& move) {
    for (UserRegion& region : regions) {
      region.enter_ns = move(region.enter_ns);
      region.leave_ns = move(region.leave_ns);
    }
    for (UserValue& value : values) value.at_ns = move(value.at_ns);
    for (UserMarker& marker : markers) marker.at_ns = move(marker.at_ns);
  }
};

// One of them on its way into an archive.
struct UserEvent {
  enum class Kind : std::uint8_t { enter, leave, value, marker } kind = Kind::marker;
  std::int64_t at_ns = 0;
  std::uint32_t name = 0;  // index into that list of UserNames
  std::uint64_t bits = 0;  // of a value
};

struct UserSaying {
  std::size_t thread = 0;
  UserEvent event;
};

// All of a rank by time; of each thread, enter and leave in pairs that lie within one another.
std::vector<UserSaying> in_order(const UserEvents& events);

}  // namespace ww
