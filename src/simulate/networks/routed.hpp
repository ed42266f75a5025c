// Messages as flows over the links of a topology, which share them by max-min fairness (shared_links.hpp). A
// message occupies the links of its route, all at once, until its bytes are through; its last byte arrives
// the model's latency and what the switches on its way take later. Requests and replies take their latency
// only.
#pragma once
#include <memory>
#include <optional>

#include "simulate/networks/registry.hpp"
#include "simulate/networks/topology.hpp"

namespace ww::simulate {

// The keys of every routed network beside its own: link= and hop=.
std::vector<std::string> with_link_keys(std::vector<std::string> keys);
void read_link_keys(NetworkKeys& keys);

// Errors: more hosts than nodes.
Result<void> enough_nodes(const NetworkContext& context, int nodes);
// Errors: these, and errors in the keys.
Result<std::unique_ptr<Network>> make_routed(NetworkKeys& keys, const NetworkContext& context,
                                             std::unique_ptr<Topology> topology);

}  // namespace ww::simulate
