// Bytes as gzip, which browsers read by themselves (DecompressionStream).
#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ww::view {

// Error: no memory for it.
Result<std::string> gzipped(std::string_view bytes);

}  // namespace ww::view
