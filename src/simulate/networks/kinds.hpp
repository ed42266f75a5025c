// Every network's entry, each defined beside its network.
#pragma once
#include "simulate/networks/registry.hpp"

namespace ww::simulate {

extern const NetworkKind ports_kind, ideal_kind, bus_kind, switch_kind, torus_kind, hypercube_kind,
    fat_tree_kind, dragonfly_kind;

}  // namespace ww::simulate
