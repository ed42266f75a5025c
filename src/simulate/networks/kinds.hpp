// Every network's entry: one line a network, whose file defines NAME_kind.
#pragma once
#include "simulate/networks/registry.hpp"

// In the order in which they are listed.
#define WW_NETWORKS(ONE) \
  ONE(ports)             \
  ONE(ideal)             \
  ONE(bus)               \
  ONE(switch)            \
  ONE(torus)             \
  ONE(hypercube)         \
  ONE(fat_tree)          \
  ONE(dragonfly)

namespace ww::simulate {

#define WW_DECLARE(name) extern const NetworkKind name##_kind;
WW_NETWORKS(WW_DECLARE)
#undef WW_DECLARE

}  // namespace ww::simulate
