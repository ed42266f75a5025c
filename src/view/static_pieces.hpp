// A trace cut into pieces of time that are files, so that a picture needs few of them and no program to work them out
// (docs/design/viewing.md, "The exported folder").
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "analyze/selection.hpp"
#include "view/index.hpp"

namespace ww::view {

// A node is a tile's time. It is 'l', a leaf: its piece holds all that there is in it; 'i': its piece is a part or a sum of it, and the
// two halves of its time are nodes; '.': there is nothing, and no piece. In preorder; of each that is not '.' the count.
struct PieceTree {
  std::string nodes;
  std::vector<std::uint64_t> counts;
};

// A node's time in ns, to_ns excluded.
struct PieceTime {
  TileAt at;
  std::int64_t from_ns = 0, to_ns = 0;
};

// From the tile `top`, which has the whole span, downwards. `count`: how many lie in a time; more than `most` are halved. `write`
// writes a piece and gives how many are in that time; is_leaf: all of them are to be in it.
Result<PieceTree> piece_tree(
    const Index& index, const TileAt& top, std::uint64_t most,
    const std::function<std::uint64_t(const PieceTime&)>& count,
    const std::function<Result<std::uint64_t>(const PieceTime&, bool is_leaf)>& write);

struct CallsPiece {
  std::string bytes;
  std::uint64_t all = 0;  // that there are
};

// The calls of the ranks of a block of group 0 that reach into the time or begin in it; of more than `limit` the longest. "WWK1".
// Errors: the index is damaged.
Result<CallsPiece> piece_of_calls(const Index& index, const PieceTime& time, std::size_t limit);

}  // namespace ww::view
