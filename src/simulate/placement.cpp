#include "simulate/placement.hpp"

#include <fmt/format.h>

namespace ww::simulate {

std::string host_name(std::int32_t placed) {
  return fmt::format("host {}", placed);
}

void place_ranks(Program& program, int ranks_per_host) {
  WW_INVARIANT(ranks_per_host > 0);
  program.hosts.clear();
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const std::int32_t host = static_cast<std::int32_t>(rank) / ranks_per_host;
    program.ranks[rank].host = host;
    if (static_cast<std::size_t>(host) == program.hosts.size()) program.hosts.push_back(host_name(host));
  }
  program.recorded.network = program.hosts.size() > 1 ? Place::inter : Place::intra;
}

std::string placement_in_words(int ranks_per_host) {
  return fmt::format(
      "{} and not where it was recorded: computation takes as long there, and the library takes the "
      "algorithms for its collectives that it took when recorded",
      ranks_per_host == 1 ? "each rank has a host of its own"
                          : fmt::format("{} ranks share a host, in their order,", ranks_per_host));
}

int ranks_per_host_on(const MachineModel& model, const Program& program, int asked) {
  if (asked > 0 || program.graph) return asked;
  const auto has = [&](Place place) {
    const Link* link = model.link(place);
    return link != nullptr && !link->one_way.empty();
  };
  return program.hosts.size() < program.ranks.size() && has(Place::inter) && !has(Place::intra) ? 1 : 0;
}

}  // namespace ww::simulate
