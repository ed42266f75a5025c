#include "view/index.hpp"

#include <algorithm>
#include <tuple>

#include "view/checksum.hpp"
#include "view/index_parts.hpp"

namespace ww::view {
namespace {

constexpr const char* is_damaged = "the viewer's index is damaged";
constexpr std::uint32_t highest_level = 54;  // 256 bins of it are within 64 bits
constexpr std::uint32_t highest_group = 16;  // 4^16 ranks

std::uint64_t ranks_of_group(std::uint32_t group) {
  return std::uint64_t{1} << (2 * group);
}

std::uint64_t seed_of(const TileAt& at) {
  return ((std::uint64_t{at.group} << 32 | at.level) * 31 + at.block) * 31 + at.tile;
}

}  // namespace

const char* part_name(std::size_t key, const OccupancyKey& of) {
  if (key == outside_key) return "outside";
  if (key == compute_key) return "compute";
  switch (of.part) {
    case TimePart::library:
      return "library";
    case TimePart::algorithmic:
      return "algorithmic";
    case TimePart::service:
      return "service";
  }
  return "";
}

tl::unexpected<Error> Index::damaged() {
  return fail(is_damaged, "", "remove view.index in the trace's directory: it is made again");
}

bool Index::is_damage(const Error& error) {
  return error.what == is_damaged;
}

std::uint32_t tile_checksum(std::span<const char> bytes, const TileAt& at) {
  return checksum(bytes, seed_of(at));
}

// Of what is small and looked at when the index is opened.
std::uint64_t Index::check_of_small() const {
  IndexHead head = head_.front();
  head.check = 0;
  std::uint64_t check = 0;
  const auto with = [&](std::uint32_t more) { check = check * 0x9e3779b97f4a7c15 + more; };
  with(checksum_of(std::span<const IndexHead>(&head, 1), 1));
  with(checksum_of(ranks_, 2));
  with(checksum_of(keys_, 3));
  with(checksum_of(names_text_, 4));
  with(checksum_of(tokens_, 5));
  with(checksum_of(tiles_, 6));
  with(checksum_of(facts_, 7));
  return check;
}

Index::Index(const std::shared_ptr<IndexParts>& parts) {
  head_ = {&parts->head, 1};
  ranks_ = parts->ranks;
  keys_ = parts->keys;
  names_text_ = {parts->names.data(), parts->names.size()};
  tokens_ = parts->tokens;
  blocks_ = {parts->blocks.data(), parts->blocks.size()};
  calls_ = {parts->calls.data(), parts->calls.size()};
  made_ = parts->made.get();
  tiles_ = parts->tiles;
  cells_ = {parts->cells.data(), parts->cells.size()};
  facts_ = {parts->facts.data(), parts->facts.size()};
  parts->head.check = check_of_small();
  keeps_ = parts;
  WW_INVARIANT(take_small());
}

Result<std::shared_ptr<const Index>> Index::open(const std::filesystem::path& file, std::uint64_t made_from) {
  WW_TRY(SectionReader in, SectionReader::open(file, StoredKind::view_index));
  if (in.made_from() != made_from)
    return fail("the viewer's index is of another trace or version", file.string(),
                "remove it: whatwire view makes it again");
  const std::shared_ptr<Index> index(new Index());
  const bool all = in.take(index->head_) && in.take(index->ranks_) && in.take(index->keys_) &&
                   in.take(index->names_text_) && in.take(index->tokens_) && in.take(index->blocks_) &&
                   in.take(index->calls_) && in.take(index->tiles_) && in.take(index->cells_) &&
                   in.take(index->facts_);
  index->keeps_ = in.file();
  if (!all || index->head_.size() != 1 || index->head_.front().version != index_version ||
      index->head_.front().check != index->check_of_small() || !index->take_small())
    return damaged();
  return index;
}

Result<void> Index::save(const std::filesystem::path& file, std::uint64_t made_from) const {
  WW_INVARIANT(made_ == nullptr);
  SectionWriter out(file, StoredKind::view_index, made_from);
  out.section(head_);
  out.section(ranks_);
  out.section(keys_);
  out.section(names_text_);
  out.section(tokens_);
  out.section(blocks_);
  out.section(calls_);
  out.section(tiles_);
  out.section(cells_);
  out.section(facts_);
  return out.finish();
}

bool Index::take_small() {
  const IndexHead& head = head_.front();
  if (head.top_level > highest_level || head.from_ns > head.to_ns ||
      ranks_.size() > ranks_of_group(highest_group))
    return false;
  for (std::size_t from = 0; from < names_text_.size();) {
    const auto end =
        std::find(names_text_.begin() + static_cast<std::ptrdiff_t>(from), names_text_.end(), '\n');
    if (end == names_text_.end()) return false;
    names_.emplace_back(names_text_.begin() + static_cast<std::ptrdiff_t>(from), end);
    from = static_cast<std::size_t>(end - names_text_.begin()) + 1;
  }
  if (keys_.size() < first_call_key || keys_.size() > 0xffff) return false;
  key_of_.assign(names_.size() * call_parts, compute_key);
  for (std::size_t k = first_call_key; k < keys_.size(); ++k) {
    const auto name = static_cast<std::uint32_t>(keys_[k].name),
               part = static_cast<std::uint32_t>(keys_[k].part);
    if (name >= names_.size() || part >= call_parts) return false;
    key_of_[name * call_parts + part] = static_cast<std::uint16_t>(k);
  }
  const auto lies_in = [](std::uint64_t first, std::uint64_t count, std::uint64_t size) {
    return first <= size && count <= size - first;
  };
  for (const RankPlace& rank : ranks_)
    if (!lies_in(rank.first_block, rank.blocks, blocks_.size()) ||
        !lies_in(rank.first_token, rank.tokens, tokens_.size()) ||
        !lies_in(rank.first_byte, rank.bytes + sizeof(std::uint64_t), calls_.size()) ||
        rank.program.begin_ns > rank.program.end_ns)
      return false;
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    if (!lies_in(tiles_[t].first_byte, tiles_[t].bytes, cells_.size()) || !has(tiles_[t].at()) ||
        (t > 0 && !tile_order(tiles_[t - 1].at(), tiles_[t].at())))
      return false;
  sound_ = std::make_unique<std::atomic<std::uint8_t>[]>(ranks_.size());
  return true;
}

std::size_t Index::ranks() const {
  return ranks_.size();
}
std::size_t Index::stored_tiles() const {
  return tiles_.size();
}
RankProper Index::program(std::size_t rank) const {
  return ranks_[rank].program;
}
std::uint64_t Index::calls() const {
  return head_.front().calls;
}
std::uint64_t Index::calls(std::size_t rank) const {
  return ranks_[rank].calls;
}
std::int64_t Index::from_ns() const {
  return head_.front().from_ns;
}
std::int64_t Index::to_ns() const {
  return head_.front().to_ns;
}
std::uint32_t Index::top_level() const {
  return head_.front().top_level;
}

std::uint32_t Index::top_group() const {
  std::uint32_t group = 0;
  while (ranks_of_group(group) < ranks_.size()) ++group;
  return group;
}

std::uint32_t Index::whole_group() const {
  std::uint32_t group = 0;
  while (rows(group, 1) > 0) ++group;
  return group;
}

std::uint64_t Index::bytes() const {
  return head_.size_bytes() + ranks_.size_bytes() + keys_.size_bytes() + names_text_.size_bytes() +
         tokens_.size_bytes() + blocks_.size_bytes() + calls_.size_bytes() + tiles_.size_bytes() +
         cells_.size_bytes() + facts_.size_bytes();
}

std::uint32_t Index::rows(std::uint32_t group, std::uint32_t block) const {
  const std::uint64_t each = ranks_of_group(group), rows = (ranks_.size() + each - 1) / each;
  const std::uint64_t before = std::uint64_t{block} * tile_rows;
  return before >= rows ? 0 : static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_rows, rows - before));
}

std::uint32_t Index::ranks_of_row(std::uint32_t group, std::uint32_t block, std::uint32_t row) const {
  const std::uint64_t each = ranks_of_group(group), first = (std::uint64_t{block} * tile_rows + row) * each;
  return first >= ranks_.size() ? 0 : static_cast<std::uint32_t>(std::min(each, ranks_.size() - first));
}

std::int64_t Index::tile_from_ns(const TileAt& at) const {
  return from_ns() + static_cast<std::int64_t>(at.tile * tile_bins << at.level);
}

bool Index::has(const TileAt& at) const {
  return at.level <= top_level() && at.group <= top_group() &&
         at.tile < std::uint64_t{1} << (top_level() - at.level) && rows(at.group, at.block) > 0;
}

PackedCalls Index::packed(std::size_t rank) const {
  const RankPlace& place = ranks_[rank];
  return {tokens_.subspan(place.first_token, place.tokens),
          blocks_.subspan(place.first_block, place.blocks),
          calls_.subspan(place.first_byte, place.bytes),
          place.calls,
          rank,
          static_cast<std::uint32_t>(names_.size()),
          made_};
}

Result<PackedCalls> Index::sound_calls(std::size_t rank) const {
  constexpr std::uint8_t unknown = 0, sound = 1, unsound = 2;
  const PackedCalls calls = packed(rank);
  std::uint8_t known = sound_[rank];
  if (known == unknown) {
    known = checksum_of(calls.blocks, rank) == ranks_[rank].check && calls.is_sound() ? sound : unsound;
    sound_[rank] = known;
  }
  if (known == unsound) return damaged();
  return calls;
}

void Index::add_rank(CellSums& sums, const PackedCalls& packed, std::size_t rank, bool& good) const {
  const RankProper program = ranks_[rank].program;
  sums.add(outside_key, sums.from_ns(), program.begin_ns);
  sums.add(outside_key, program.end_ns, sums.to_ns());
  const std::int64_t to_ns = std::min(sums.to_ns(), program.end_ns);
  const auto take = [&](std::size_t, const CallInterval& call) {
    if (call.enter_ns >= to_ns) return false;
    if (call.leave_ns <= sums.from_ns()) return true;
    const std::uint16_t* const key = key_of_.data() + call.name * call_parts;
    const std::int64_t begin = std::max(call.enter_ns, program.begin_ns),
                       end = std::min(call.leave_ns, program.end_ns);
    const std::int64_t blocked = begin + call.algorithmic_ns, waited = blocked + call.service_ns;
    if (call.algorithmic_ns > 0)
      sums.add(key[static_cast<std::size_t>(TimePart::algorithmic)], begin, std::min(blocked, end));
    if (call.service_ns > 0)
      sums.add(key[static_cast<std::size_t>(TimePart::service)], blocked, std::min(waited, end));
    sums.add(key[static_cast<std::size_t>(TimePart::library)], waited, end);
    return true;
  };
  good = for_each_call(packed, packed.first_left_after(std::max(sums.from_ns(), program.begin_ns)), take) &&
         good;
}

Result<Cells> Index::computed_cells(const TileAt& at) const {
  if (!has(at))
    return wrong_usage("the trace has no such tile", "", "data/N/trace says which levels there are");
  CellSums sums(tile_from_ns(at), at.level, tile_bins, keys_.size());
  bool good = true;
  const std::uint64_t each = ranks_of_group(at.group);
  for (std::uint32_t row = 0; row < rows(at.group, at.block); ++row) {
    const std::uint64_t first = (std::uint64_t{at.block} * tile_rows + row) * each;
    for (std::uint64_t rank = first; rank < first + ranks_of_row(at.group, at.block, row); ++rank) {
      WW_TRY(const PackedCalls calls, sound_calls(rank));
      add_rank(sums, calls, rank, good);
    }
    sums.end_row();
  }
  if (!good) return damaged();
  return sums.take();
}

Result<Cells> Index::cells_of_rank(std::size_t rank, std::int64_t from_ns, std::uint32_t level,
                                   std::uint32_t bins) const {
  CellSums sums(from_ns, level, bins, keys_.size());
  bool good = true;
  WW_TRY(const PackedCalls calls, sound_calls(rank));
  add_rank(sums, calls, rank, good);
  sums.end_row();
  if (!good) return damaged();
  return sums.take();
}

const TilePlace* Index::stored(const TileAt& at) const {
  const auto found =
      std::lower_bound(tiles_.begin(), tiles_.end(), at,
                       [](const TilePlace& place, const TileAt& one) { return tile_order(place.at(), one); });
  return found != tiles_.end() && found->at() == at ? &*found : nullptr;
}

bool Index::is_stored(const TileAt& at) const {
  return stored(at) != nullptr;
}

Result<Cells> Index::cells(const TileAt& at) const {
  const TilePlace* const place = stored(at);
  if (place == nullptr && has(at) && at.group > whole_group()) {
    WW_TRY(const Cells finer, cells({at.level, at.group - 1, at.block, at.tile}));
    return join_rows(finer);
  }
  if (place == nullptr) return computed_cells(at);
  const std::span<const char> bytes = cells_.subspan(place->first_byte, place->bytes);
  if (tile_checksum(bytes, at) != place->check) return damaged();
  auto cells = unpack(bytes, rows(at.group, at.block), keys_.size());
  if (!cells) return damaged();
  return *std::move(cells);
}

Result<CallInterval> Index::call(std::size_t rank, std::uint64_t call) const {
  if (rank >= ranks_.size() || call >= ranks_[rank].calls) return fail("the trace has no such call");
  std::array<CallInterval, block_calls> piece;
  WW_TRY(const std::size_t count, block(rank, call / block_calls, piece));
  if (count <= call % block_calls) return damaged();
  return piece[call % block_calls];
}

Result<std::size_t> Index::block(std::size_t rank, std::uint64_t number,
                                 std::array<CallInterval, block_calls>& out) const {
  if (rank >= ranks_.size() || number >= ranks_[rank].blocks) return fail("the trace has no such call");
  WW_TRY(const PackedCalls calls, sound_calls(rank));
  const std::size_t count = calls.unpack(number, out);
  if (count == 0) return damaged();
  return count;
}

Result<Moment> Index::moment(std::size_t rank, std::int64_t at_ns) const {
  WW_TRY(const PackedCalls calls, sound_calls(rank));
  Moment moment;
  const std::size_t block = calls.first_left_after(at_ns);
  if (block > 0) moment.left_ns = calls.blocks[block - 1].left_ns;
  const bool good = for_each_call(calls, block, [&](std::size_t call, const CallInterval& interval) {
    if (interval.enter_ns > at_ns) {
      moment.next_ns = interval.enter_ns;
      return false;
    }
    if (interval.leave_ns > at_ns)
      moment.in = FoundCall{static_cast<std::uint32_t>(rank), call, interval};
    else
      moment.left_ns = std::max(moment.left_ns.value_or(interval.leave_ns), interval.leave_ns);
    return true;
  });
  if (!good) return damaged();
  return moment;
}

std::uint64_t Index::calls_about(std::size_t first_rank, std::size_t last_rank, std::int64_t from_ns,
                                 std::int64_t to_ns) const {
  std::uint64_t blocks = 0;
  for (std::size_t rank = first_rank; rank < last_rank; ++rank) {
    const PackedCalls calls = packed(rank);
    blocks += calls.blocks_entered_before(to_ns) - calls.blocks_entered_before(from_ns);
  }
  return blocks * block_calls;
}

}  // namespace ww::view
