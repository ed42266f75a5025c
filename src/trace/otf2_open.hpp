// What the events about windows and those about files have in common: operations that begin and end in
// different records, which name the window or handle and a number that joins them.
#pragma once
#include <cstdint>
#include <unordered_map>

namespace ww::otf2 {

// Our index of what a record refers to; nullptr: it is not defined.
template <class Map>
const std::uint32_t* index_of(const Map& map, typename Map::key_type reference) {
  const auto found = map.find(reference);
  return found == map.end() ? nullptr : &found->second;
}

// The operations of a rank that are open, each by the index of its window or handle and its number.
class OpenOperations {
 public:
  // `place`: its index in the list of the rank's operations.
  void begin(std::uint32_t object, std::uint64_t number, std::size_t place) {
    places_[object][number] = place;
  }
  // nullptr: its beginning was not recorded, or its end was said before.
  const std::size_t* find(std::uint32_t object, std::uint64_t number) const {
    const auto of_object = places_.find(object);
    if (of_object == places_.end()) return nullptr;
    const auto found = of_object->second.find(number);
    return found == of_object->second.end() ? nullptr : &found->second;
  }
  void end(std::uint32_t object, std::uint64_t number) { places_[object].erase(number); }

 private:
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, std::size_t>> places_;
};

}  // namespace ww::otf2
