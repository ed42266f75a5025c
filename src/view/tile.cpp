#include "view/tile.hpp"

#include "view/bytes_out.hpp"

namespace ww::view {

std::string tile_bytes(const Cells& cells, std::uint32_t level, std::span<const std::uint32_t> ranks_of_row) {
  WW_INVARIANT(ranks_of_row.size() == cells.rows);
  std::vector<float> shares;
  shares.reserve(cells.ns.size());
  for (std::uint32_t row = 0; row < cells.rows; ++row) {
    const double whole_ns =
        static_cast<double>(std::uint64_t{1} << level) * static_cast<double>(ranks_of_row[row]);
    const std::size_t end = cells.first[std::size_t{row + 1} * cells.bins];
    for (std::size_t i = shares.size(); i < end; ++i)
      shares.push_back(static_cast<float>(static_cast<double>(cells.ns[i]) / whole_ns));
  }
  BytesOut out("WWT1");
  out.value(cells.rows);
  out.value(cells.bins);
  out.value(static_cast<std::uint32_t>(cells.ns.size()));
  out.values(std::span<const std::uint32_t>(cells.first));
  out.values(std::span<const float>(shares));
  out.values(std::span<const std::uint16_t>(cells.key));
  return out.take();
}

Result<std::string> tile_bytes(const Index& index, const TileAt& at) {
  WW_TRY(const Cells cells, index.cells(at));
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t row = 0; row < cells.rows; ++row)
    ranks.push_back(index.ranks_of_row(at.group, at.block, row));
  return tile_bytes(cells, at.level, ranks);
}

}  // namespace ww::view
