// What an index is made of, in memory and as sections of its file.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/column.hpp"
#include "view/index.hpp"

namespace ww::view {

inline constexpr std::uint32_t index_version = 1;

struct IndexHead {
  std::uint32_t version = index_version;
  std::uint32_t top_level = 0;
  std::int64_t from_ns = 0, to_ns = 0;
  std::uint64_t calls = 0;
  std::uint64_t check = 0;  // of everything but blocks, calls and cells
};

struct RankPlace {
  RankProper program;
  std::uint64_t calls = 0;
  std::uint64_t first_block = 0, blocks = 0;
  std::uint64_t first_byte = 0, bytes = 0;
  std::uint32_t first_token = 0, tokens = 0;
  std::uint32_t check = 0;  // of its blocks
  std::uint32_t unused = 0;
};

struct TilePlace {
  std::uint32_t group = 0, level = 0, block = 0;
  std::uint32_t check = 0;
  std::uint64_t tile = 0;
  std::uint64_t first_byte = 0, bytes = 0;

  TileAt at() const { return {level, group, block, tile}; }
};

struct IndexParts {
  IndexHead head;
  std::vector<RankPlace> ranks;
  std::vector<OccupancyKey> keys;
  std::string names;  // each with a '\n' behind it
  std::vector<Token> tokens;
  Column<Block> blocks;
  Column<char> calls;                      // and 8 more
  std::shared_ptr<const CallBlocks> made;  // by which calls are made when they are read, if so
  std::vector<TilePlace> tiles;            // in the order of tile_order
  Column<char> cells;
  std::string facts;
};

inline bool tile_order(const TileAt& a, const TileAt& b) {
  return std::tuple(a.group, a.level, a.block, a.tile) < std::tuple(b.group, b.level, b.block, b.tile);
}

std::uint32_t tile_checksum(std::span<const char> bytes, const TileAt& at);

}  // namespace ww::view
