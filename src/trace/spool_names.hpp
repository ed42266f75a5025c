// One numbering of the names that each rank gave to its regions, values and markers.
#pragma once
#include <unordered_map>

#include "trace/spool.hpp"

namespace ww::spool {

struct KnownName {
  NameDefinition::Use use = NameDefinition::Use::marker;
  std::uint32_t index = 0;  // into the list of UserNames for that use
};
// Of one rank, by its own number.
using NameNumbers = std::unordered_map<std::uint32_t, KnownName>;

// By spool. Fills `names` in the order of the ranks and of their first uses.
std::vector<NameNumbers> number_names(const std::vector<RankSpool>& spools, UserNames& names);

}  // namespace ww::spool
