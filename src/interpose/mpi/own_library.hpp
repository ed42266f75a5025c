// The description of the library whose programs this recorder is loaded into: as CMakeLists.txt says.
#pragma once
#define WW_HEADER_OF_LIBRARY <library/WW_LIBRARY.hpp>
#include WW_HEADER_OF_LIBRARY

namespace ww::interpose {
inline constexpr const Library& own_library = library::WW_LIBRARY;
}  // namespace ww::interpose
