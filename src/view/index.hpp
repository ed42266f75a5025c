// A trace as occupancy: what each rank's time went to, at any scale of time and for any number of neighbouring ranks,
// exactly. It has the calls of each rank in few bytes (packed_calls.hpp), and the occupancy of those tiles that hold
// too many calls to be worked out of them when asked for. It lies in a file that is mapped, so that opening it reads
// almost nothing, or in memory.
//
// At level l a bin is 2^l ns, at group g a row is 4^g neighbouring ranks; a tile has 256 bins and up to 64 rows.
#pragma once
#include <atomic>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sectioned_file.hpp"
#include "view/cells.hpp"
#include "view/packed_calls.hpp"

namespace ww::view {

// What a rank's time goes to. OccupancyKey 0 is `outside` (of the program proper), key 1 `compute` (outside of calls; it is
// what other keys leave, and never stored), the others are parts of calls of a name, by name and part.
inline constexpr std::uint16_t outside_key = 0, compute_key = 1, first_call_key = 2;
struct OccupancyKey {
  std::int32_t name = -1;  // index into names(); -1: no call
  TimePart part = TimePart::library;
  std::uint8_t unused[3] = {};
  bool operator==(const OccupancyKey&) const = default;
};

// "outside", "compute", "library", "algorithmic", "service".
const char* part_name(std::size_t key, const OccupancyKey& of);

struct TileAt {
  std::uint32_t level = 0, group = 0, block = 0;
  std::uint64_t tile = 0;
  bool operator==(const TileAt&) const = default;
};

// One call as it was asked for.
struct FoundCall {
  std::uint32_t rank = 0;
  std::uint64_t call = 0;  // index into the rank's calls
  CallInterval interval;
};

// index_parts.hpp
struct IndexParts;
struct IndexHead;
struct RankPlace;
struct TilePlace;

// What a rank is in at an instant.
struct Moment {
  std::optional<FoundCall> in;          // of several threads' calls the one that was entered last
  std::optional<std::int64_t> left_ns;  // when the latest call before had returned
  std::optional<std::int64_t> next_ns;  // when the next one is entered
};

class Index {
 public:
  // Of what `made_from` says. Errors: unreadable, made from something else or by another version, damaged.
  static Result<std::shared_ptr<const Index>> open(const std::filesystem::path& file,
                                                   std::uint64_t made_from);
  // As it was built.
  explicit Index(const std::shared_ptr<IndexParts>& parts);
  // Beside the file, then in its place. Not of one whose calls are made when they are read.
  Result<void> save(const std::filesystem::path& file, std::uint64_t made_from) const;

  const std::vector<std::string>& names() const { return names_; }
  std::span<const OccupancyKey> keys() const { return keys_; }
  // What no call has done has none: then it is compute_key.
  std::uint16_t key_of(std::uint32_t name, TimePart part) const {
    return key_of_[name * call_parts + static_cast<std::size_t>(part)];
  }
  std::size_t ranks() const;
  RankProper program(std::size_t rank) const;
  std::uint64_t calls() const;
  std::uint64_t calls(std::size_t rank) const;
  // From the first event (or the begin of the program) to the last, since the begin of the program.
  std::int64_t from_ns() const;
  std::int64_t to_ns() const;
  std::uint32_t top_level() const;  // the smallest whose one tile holds the span
  std::uint32_t top_group() const;  // the smallest with one row
  // The smallest whose one block has all ranks; of larger groups no tile is stored, their rows are added up.
  std::uint32_t whole_group() const;
  std::uint64_t bytes() const;
  std::size_t stored_tiles() const;
  // What was given to keep with it (the description of the trace as JSON).
  std::string_view facts() const { return {facts_.data(), facts_.size()}; }

  std::uint32_t rows(std::uint32_t group, std::uint32_t block) const;
  // How many ranks the row has: at the end fewer than 4^group.
  std::uint32_t ranks_of_row(std::uint32_t group, std::uint32_t block, std::uint32_t row) const;
  std::int64_t tile_from_ns(const TileAt& at) const;
  bool has(const TileAt& at) const;
  bool is_stored(const TileAt& at) const;

  // Errors: no such tile; the index is damaged (is_damage).
  Result<Cells> cells(const TileAt& at) const;
  // The same whether or not it is stored.
  Result<Cells> computed_cells(const TileAt& at) const;
  // Of one rank, in `bins` of 2^level ns from any instant.
  Result<Cells> cells_of_rank(std::size_t rank, std::int64_t from_ns, std::uint32_t level,
                              std::uint32_t bins) const;

  // take(call, interval) for all calls of the rank that reach into [from_ns, to_ns) or begin in it, in order of
  // entering, until it gives false. Error: the index is damaged.
  template <class Take>
  Result<void> calls_in(std::size_t rank, std::int64_t from_ns, std::int64_t to_ns, Take take) const {
    WW_TRY(const PackedCalls packed, sound_calls(rank));
    // One that ends where the span begins, and has no length, begins in it.
    const bool good = for_each_call(packed, packed.first_left_after(from_ns - 1),
                                    [&](std::size_t call, const CallInterval& interval) {
                                      if (interval.enter_ns >= to_ns) return false;
                                      if (interval.leave_ns <= from_ns && interval.enter_ns < from_ns)
                                        return true;
                                      return take(call, interval);
                                    });
    if (!good) return damaged();
    return {};
  }
  // One call by its number. Errors: there is none, the index is damaged.
  Result<CallInterval> call(std::size_t rank, std::uint64_t call) const;
  // The calls of the rank in blocks of block_calls, and how many are in this one. Errors: so.
  Result<std::size_t> block(std::size_t rank, std::uint64_t number,
                            std::array<CallInterval, block_calls>& out) const;
  Result<Moment> moment(std::size_t rank, std::int64_t at_ns) const;
  // About so many calls are entered in [from_ns, to_ns) by ranks from `first_rank` on, before `last_rank`: told by
  // where blocks begin.
  std::uint64_t calls_about(std::size_t first_rank, std::size_t last_rank, std::int64_t from_ns,
                            std::int64_t to_ns) const;

  static bool is_damage(const Error& error);

 private:
  Index() = default;
  bool take_small();
  std::uint64_t check_of_small() const;
  const TilePlace* stored(const TileAt& at) const;
  PackedCalls packed(std::size_t rank) const;
  Result<PackedCalls> sound_calls(std::size_t rank) const;
  void add_rank(CellSums& sums, const PackedCalls& packed, std::size_t rank, bool& good) const;
  static tl::unexpected<Error> damaged();

  std::shared_ptr<const void> keeps_;
  std::span<const IndexHead> head_;
  std::span<const RankPlace> ranks_;
  std::span<const OccupancyKey> keys_;
  std::span<const char> names_text_;
  std::span<const Token> tokens_;
  std::span<const Block> blocks_;
  std::span<const char> calls_;
  const CallBlocks* made_ = nullptr;  // by which calls are made, if so
  std::span<const TilePlace> tiles_;
  std::span<const char> cells_, facts_;
  std::vector<std::string> names_;
  std::vector<std::uint16_t> key_of_;                           // by name * call_parts + part
  mutable std::unique_ptr<std::atomic<std::uint8_t>[]> sound_;  // by rank: 0 not looked at, 1 sound, 2 not
};

}  // namespace ww::view
