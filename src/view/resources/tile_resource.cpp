#include "view/resources/resources.hpp"
#include "view/tile.hpp"

namespace ww::view {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 31;
constexpr std::int64_t most_tiles = 8;  // of one answer: others are worked out beside it

Result<Response> answer_tile(const Inquiry& inquiry) {
  TileAt at;
  WW_TRY(const std::int64_t level, inquiry.query.integer("level", 0, 63));
  WW_TRY(const std::int64_t group, inquiry.query.integer("group", 0, 31));
  WW_TRY(const std::int64_t block, inquiry.query.integer("block", 0, most));
  WW_TRY(const std::int64_t tile, inquiry.query.integer("tile", 0, std::int64_t{1} << 62));
  at.level = static_cast<std::uint32_t>(level);
  at.group = static_cast<std::uint32_t>(group);
  at.block = static_cast<std::uint32_t>(block);
  at.tile = static_cast<std::uint64_t>(tile);
  WW_TRY(const std::int64_t count, inquiry.query.integer("count", 1, most_tiles, 1));
  std::string bytes;
  for (std::int64_t i = 0; i < count; ++i, ++at.tile) {
    if (inquiry.stop->requested()) return cancelled();
    WW_TRY(const std::string one,
           inquiry.trace->of_index([&](const Index& index) { return tile_bytes(index, at); }));
    bytes += one;
  }
  return binary_response(std::move(bytes), true);
}

}  // namespace

const Resource tile_resource = {.name = "tile",
                                .parameters = "level tile group block count",
                                .answer = answer_tile,
                                .heavy = false,
                                .of_calls = true};

}  // namespace ww::view
