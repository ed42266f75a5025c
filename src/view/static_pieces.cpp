#include "view/static_pieces.hpp"

#include "trace/packed_bytes.hpp"
#include "view/answers/calls_window.hpp"
#include "view/bytes_out.hpp"

namespace ww::view {
namespace {

class Tree {
 public:
  Tree(const Index& index, std::uint64_t most, const std::function<std::uint64_t(const PieceTime&)>& count,
       const std::function<Result<std::uint64_t>(const PieceTime&, bool)>& write)
      : index_(index), most_(most), count_(count), write_(write) {}

  Result<void> grow(const TileAt& at) {
    PieceTime time{at, index_.tile_from_ns(at), 0};
    time.to_ns = time.from_ns + (std::int64_t{tile_bins} << at.level);
    const bool is_leaf = at.level == 0 || count_(time) <= most_;
    std::uint64_t there = 0;
    if (time.from_ns <= index_.to_ns()) {
      WW_TRY(there, write_(time, is_leaf));
    }
    made_.nodes += there == 0 ? '.' : is_leaf ? 'l' : 'i';
    if (there == 0) return {};
    made_.counts.push_back(there);
    if (is_leaf) return {};
    for (const std::uint64_t half : {0u, 1u})
      WW_CHECK(grow({at.level - 1, at.group, at.block, 2 * at.tile + half}));
    return {};
  }
  PieceTree take() { return std::move(made_); }

 private:
  const Index& index_;
  std::uint64_t most_;
  const std::function<std::uint64_t(const PieceTime&)>& count_;
  const std::function<Result<std::uint64_t>(const PieceTime&, bool)>& write_;
  PieceTree made_;
};

}  // namespace

Result<PieceTree> piece_tree(const Index& index, const TileAt& top, std::uint64_t most,
                             const std::function<std::uint64_t(const PieceTime&)>& count,
                             const std::function<Result<std::uint64_t>(const PieceTime&, bool)>& write) {
  Tree tree(index, most, count, write);
  WW_CHECK(tree.grow(top));
  return tree.take();
}

Result<CallsPiece> piece_of_calls(const Index& index, const PieceTime& time, std::size_t limit) {
  const std::uint32_t first = time.at.block * tile_rows, rows = index.rows(0, time.at.block);
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t row = 0; row < rows; ++row) ranks.push_back(first + row);
  WW_TRY(const CallsWindow window, calls_in_window(index, ranks, time.from_ns, time.to_ns, limit));
  BytesOut head("WWK1");
  head.value(static_cast<std::uint32_t>(window.calls.size()));
  head.value(rows);
  head.value(std::uint32_t{0});
  packed::Writer out;
  std::size_t next = 0;
  for (const std::uint32_t rank : ranks) {
    const std::size_t begin = next;
    while (next < window.calls.size() && window.calls[next].rank == rank) ++next;
    out.number(next - begin);
    std::int64_t entered_ns = time.from_ns;
    std::uint64_t call_before = 0;
    for (std::size_t i = begin; i < next; ++i) {
      const CallInterval& call = window.calls[i].interval;
      out.number(window.calls[i].call - call_before);
      out.whole(call.enter_ns - entered_ns);
      out.whole(call.leave_ns - call.enter_ns);
      out.whole(call.algorithmic_ns);
      out.whole(call.service_ns);
      out.number(call.name);
      entered_ns = call.enter_ns;
      call_before = window.calls[i].call;
    }
  }
  return CallsPiece{head.take() + out.take(), window.all};
}

}  // namespace ww::view
