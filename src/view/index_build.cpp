#include "view/index_build.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "view/checksum.hpp"
#include "view/index_parts.hpp"

namespace ww::view {
namespace {

// A key has 16 bits, and there are three for each name.
constexpr std::size_t most_names = 21'000;
// Tiles of fewer calls than Building::calls_a_tile, down to a third, are stored where all of them take at most an
// eighth of what the calls take: an index is at most a fifth of its archive, and of many ranks small tiles are many.
constexpr std::uint64_t small_tile_part = 3;
constexpr std::size_t small_tiles_part = 8;
// Pieces of work have so many times the calls of the smallest stored tile.
constexpr std::uint64_t tiles_a_piece = 8;

std::uint32_t level_for(std::uint64_t span_ns) {
  std::uint32_t level = 0;
  while (std::uint64_t{tile_bins} << level < span_ns) ++level;
  return level;
}

class Packing {
 public:
  Packing(const CallSource& source, const Building& building, std::size_t threads)
      : source_(source), building_(building), threads_(threads) {
    parts_.blocks.keep_in(building.store);
    parts_.calls.keep_in(building.store);
    parts_.cells.keep_in(building.store);
  }

  Result<IndexParts> pack() {
    const std::span<const RankProper> programs = source_.ranks();
    // So many ranks at once, so that not all are in memory twice.
    const std::size_t at_once = std::max<std::size_t>(threads_ * 4, 16);
    for (std::size_t first = 0; first < programs.size(); first += at_once) {
      std::vector<CallPacker> packers;
      for (std::size_t r = first; r < std::min(first + at_once, programs.size()); ++r)
        packers.emplace_back(r, building_.store);
      WW_CHECK(in_parallel(packers.size(), threads_, [&](std::size_t i) -> Result<void> {
        WW_CHECK(source_.read(first + i, [&](std::span<const CallInterval> calls) {
          if (source_.names().size() <= most_names) return packers[i].add(calls);
          std::vector<CallInterval> named(calls.begin(), calls.end());
          for (CallInterval& call : named)
            call.name = std::min(call.name, static_cast<std::uint32_t>(most_names - 1));
          packers[i].add(named);
        }));
        packers[i].finish();
        return {};
      }));
      for (std::size_t i = 0; i < packers.size(); ++i) keep(first + i, packers[i]);
    }
    return finished();
  }

  Result<IndexParts> list(const std::shared_ptr<const CallBlocks>& made) {
    std::vector<RankCalls> ranks(source_.ranks().size());
    WW_CHECK(in_parallel(ranks.size(), threads_, [&](std::size_t rank) -> Result<void> {
      ranks[rank] = made->list(rank);
      return {};
    }));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) keep(rank, ranks[rank]);
    parts_.made = made;
    return finished();
  }

 private:
  IndexParts finished() {
    parts_.calls.resize(parts_.calls.size() + sizeof(std::uint64_t));
    take_names();
    take_span();
    if (building_.facts) parts_.facts = building_.facts();
    return std::move(parts_);
  }

  void keep(std::size_t rank, const RankCalls& packer) {
    RankPlace place;
    place.program = source_.ranks()[rank];
    place.program.end_ns = std::max(place.program.begin_ns, place.program.end_ns);
    place.calls = packer.calls;
    place.first_block = parts_.blocks.size();
    place.blocks = packer.blocks.size();
    place.first_byte = parts_.calls.size();
    place.bytes = packer.bytes.size();
    place.first_token = static_cast<std::uint32_t>(parts_.tokens.size());
    place.tokens = static_cast<std::uint32_t>(packer.tokens.size());
    place.check = checksum_of(std::span<const Block>(packer.blocks.data(), packer.blocks.size()), rank);
    parts_.ranks.push_back(place);
    parts_.tokens.insert(parts_.tokens.end(), packer.tokens.begin(), packer.tokens.end());
    parts_.blocks.append(packer.blocks.begin(), packer.blocks.end());
    parts_.calls.append(packer.bytes.begin(), packer.bytes.end());
    parts_.head.calls += packer.calls;
    if (packer.parts_used.size() > used_.size()) used_.resize(packer.parts_used.size());
    for (std::size_t i = 0; i < packer.parts_used.size(); ++i)
      if (packer.parts_used[i]) used_[i] = true;
  }

  void take_names() {
    const std::vector<std::string>& names = source_.names();
    for (std::size_t n = 0; n < std::min(names.size(), most_names); ++n) {
      std::string name = n + 1 == most_names && names.size() > most_names ? "other calls" : names[n];
      std::replace(name.begin(), name.end(), '\n', ' ');
      parts_.names += name + "\n";
    }
    parts_.keys.resize(first_call_key);
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (used_[i])
        parts_.keys.push_back(
            {static_cast<std::int32_t>(i / call_parts), static_cast<TimePart>(i % call_parts), {}});
  }

  void take_span() {
    IndexHead& head = parts_.head;
    head.from_ns = building_.from_ns;
    head.to_ns = std::max(building_.from_ns, building_.to_ns);
    for (const RankPlace& rank : parts_.ranks) {
      head.from_ns = std::min(head.from_ns, rank.program.begin_ns);
      head.to_ns = std::max(head.to_ns, rank.program.end_ns);
      if (rank.blocks == 0) continue;
      head.from_ns = std::min(head.from_ns, parts_.blocks[rank.first_block].enter_ns);
      head.to_ns = std::max(head.to_ns, parts_.blocks[rank.first_block + rank.blocks - 1].left_ns);
    }
    head.top_level = level_for(static_cast<std::uint64_t>(head.to_ns - head.from_ns));
  }

  const CallSource& source_;
  const Building& building_;
  std::size_t threads_;
  IndexParts parts_;
  std::vector<bool> used_;
};

// The tiles that are stored, from the smallest up: of the two that make one up the occupancy is added.
class Pyramid {
 public:
  Pyramid(const Index& calls, std::uint64_t calls_a_tile, std::size_t threads)
      : calls_(calls),
        always_stored_(calls_a_tile),
        calls_a_tile_(std::max<std::uint64_t>(1, calls_a_tile / small_tile_part)),
        threads_(threads) {}

  struct Stored {
    TileAt at;
    std::vector<char> bytes;
  };

  Result<std::vector<Stored>> run() {
    std::vector<TileAt> tops;
    for (std::uint32_t group = 0; group <= calls_.whole_group(); ++group)
      for (std::uint32_t block = 0; calls_.rows(group, block) > 0; ++block)
        tops.push_back({calls_.top_level(), group, block, 0});
    for (const TileAt& top : tops)
      if (count(top) > calls_a_tile_) find_pieces(top);
    WW_CHECK(in_parallel(pieces_.size(), threads_, [&](std::size_t p) -> Result<void> {
      WW_TRY(pieces_[p].cells, build(pieces_[p].at, pieces_[p].stored));
      return {};
    }));
    std::vector<Stored> stored;
    std::size_t next = 0;
    for (const TileAt& top : tops)
      if (count(top) > calls_a_tile_) above_pieces(top, next, stored);
    for (Piece& piece : pieces_)
      for (Stored& tile : piece.stored) stored.push_back(std::move(tile));
    std::sort(stored.begin(), stored.end(),
              [](const Stored& a, const Stored& b) { return tile_order(a.at, b.at); });
    leave_out_small(stored);
    return stored;
  }

 private:
  struct Piece {
    TileAt at;
    Cells cells;
    std::vector<Stored> stored;
  };

  std::uint64_t count(const TileAt& at) const {
    const std::uint64_t first = std::uint64_t{at.block} * tile_rows << (2 * at.group);
    const std::uint64_t last =
        std::min<std::uint64_t>(calls_.ranks(), first + (std::uint64_t{tile_rows} << (2 * at.group)));
    const std::int64_t from_ns = calls_.tile_from_ns(at);
    return calls_.calls_about(first, last, from_ns, from_ns + (std::int64_t{tile_bins} << at.level));
  }
  bool is_stored(const TileAt& at) const { return at.level > 0 && count(at) > calls_a_tile_; }
  static TileAt half(const TileAt& at, std::uint64_t which) {
    return {at.level - 1, at.group, at.block, 2 * at.tile + which};
  }
  bool is_piece(const TileAt& at) const {
    return at.level == 0 || count(at) <= tiles_a_piece * calls_a_tile_;
  }

  void leave_out_small(std::vector<Stored>& stored) const {
    const auto is_small = [&](const Stored& tile) { return count(tile.at) <= always_stored_; };
    std::size_t bytes = 0;
    for (const Stored& tile : stored)
      if (is_small(tile)) bytes += tile.bytes.size();
    if (bytes > calls_.bytes() / small_tiles_part) std::erase_if(stored, is_small);
  }

  void find_pieces(const TileAt& at) {
    if (is_piece(at)) {
      pieces_.push_back({at, {}, {}});
      return;
    }
    for (const std::uint64_t which : {0, 1}) find_pieces(half(at, which));
  }

  static void store(const TileAt& at, const Cells& cells, std::vector<Stored>& stored) {
    stored.push_back({at, {}});
    pack(cells, stored.back().bytes);
  }

  Result<Cells> build(const TileAt& at, std::vector<Stored>& stored) const {
    if (!is_stored(at)) return calls_.computed_cells(at);
    WW_TRY(const Cells earlier, build(half(at, 0), stored));
    WW_TRY(const Cells later, build(half(at, 1), stored));
    Cells cells = join(earlier, later);
    store(at, cells, stored);
    return cells;
  }

  Cells above_pieces(const TileAt& at, std::size_t& next, std::vector<Stored>& stored) {
    if (is_piece(at)) return std::move(pieces_[next++].cells);
    const Cells earlier = above_pieces(half(at, 0), next, stored);
    const Cells later = above_pieces(half(at, 1), next, stored);
    Cells cells = join(earlier, later);
    store(at, cells, stored);
    return cells;
  }

  const Index& calls_;
  std::uint64_t always_stored_, calls_a_tile_;
  std::size_t threads_;
  std::vector<Piece> pieces_;
};

Result<std::shared_ptr<const Index>> with_tiles(IndexParts made, const Building& building,
                                                std::size_t threads) {
  const auto parts = std::make_shared<IndexParts>(std::move(made));
  {
    const Index calls(parts);
    WW_TRY(const std::vector<Pyramid::Stored> stored, Pyramid(calls, building.calls_a_tile, threads).run());
    for (const Pyramid::Stored& tile : stored) {
      parts->tiles.push_back({tile.at.group, tile.at.level, tile.at.block, tile_checksum(tile.bytes, tile.at),
                              tile.at.tile, parts->cells.size(), tile.bytes.size()});
      parts->cells.append(tile.bytes.begin(), tile.bytes.end());
    }
  }
  return std::make_shared<const Index>(parts);
}

std::size_t threads_of(const Building& building) {
  return building.threads == 0 ? processors() : building.threads;
}

}  // namespace

Result<std::shared_ptr<const Index>> build_index(const CallSource& source, const Building& building) {
  WW_TRY(IndexParts parts, Packing(source, building, threads_of(building)).pack());
  return with_tiles(std::move(parts), building, threads_of(building));
}

Result<std::shared_ptr<const Index>> build_index(const CallSource& source,
                                                 const std::shared_ptr<const CallBlocks>& made,
                                                 const Building& building) {
  WW_TRY(IndexParts parts, Packing(source, building, threads_of(building)).list(made));
  return with_tiles(std::move(parts), building, threads_of(building));
}

}  // namespace ww::view
