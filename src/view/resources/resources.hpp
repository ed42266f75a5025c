// Every resource: one line each, whose file defines NAME_resource.
#pragma once
#include "view/resources/resource.hpp"

#define WW_RESOURCES(ONE) \
  ONE(traces)             \
  ONE(trace)              \
  ONE(tile)               \
  ONE(calls)              \
  ONE(messages)           \
  ONE(series)             \
  ONE(state)              \
  ONE(skew)               \
  ONE(report)             \
  ONE(ask)                \
  ONE(first)              \
  ONE(find)               \
  ONE(live)               \
  ONE(picture)            \
  ONE(predict)            \
  ONE(query)              \
  ONE(marks)              \
  ONE(call)               \
  ONE(jump)               \
  ONE(compare)            \
  ONE(curves)             \
  ONE(scenarios)          \
  ONE(dilation)           \
  ONE(machine)

namespace ww::view {

#define WW_DECLARE(name) extern const Resource name##_resource;
WW_RESOURCES(WW_DECLARE)
#undef WW_DECLARE

}  // namespace ww::view
