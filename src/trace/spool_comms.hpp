// One numbering of the communicators that each rank numbered for itself.
#pragma once
#include <unordered_map>

#include "trace/spool.hpp"

namespace ww::spool {

// By spool: local id to index into the communicators, none for those with members that were not recorded.
using CommNumbers = std::vector<std::unordered_map<std::uint32_t, std::uint32_t>>;

// Fills `comms`. A communicator is the same on all ranks if it has the same members and as many of the same
// members came before it.
CommNumbers number_comms(const std::vector<RankSpool>& spools, std::size_t world_size,
                         std::vector<Comm>& comms);

}  // namespace ww::spool
