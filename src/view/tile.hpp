// The binary form of cells: what the page is sent (docs/design/viewing.md, "Tiles").
#pragma once
#include <string>

#include "view/index.hpp"

namespace ww::view {

// "WWT1". `ranks_of_row`: how many ranks each row has, whose time together is 1.
std::string tile_bytes(const Cells& cells, std::uint32_t level, std::span<const std::uint32_t> ranks_of_row);

// The tile as it is sent. Errors: of Index::cells.
Result<std::string> tile_bytes(const Index& index, const TileAt& at);

}  // namespace ww::view
