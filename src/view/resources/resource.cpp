#include "view/resources/resource.hpp"

#include "view/resources/resources.hpp"

namespace ww::view {

std::span<const Resource* const> resources() {
#define WW_ADDRESS(name) &name##_resource,
  static constexpr const Resource* all[] = {WW_RESOURCES(WW_ADDRESS)};
#undef WW_ADDRESS
  return all;
}

}  // namespace ww::view
