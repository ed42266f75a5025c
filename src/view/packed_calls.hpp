// The calls of a rank in few bytes, in blocks that can be read by themselves. Of a call are kept the time since the
// entry of the one before it and its three parts, each in as many bytes as it needs; how many these are, and the
// name of the call, is one byte: a token, the number of such a combination in the rank's dictionary.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/column.hpp"
#include "view/call_source.hpp"

namespace ww::view {

inline constexpr std::size_t block_calls = 128;

struct Token {
  std::uint16_t name = 0;
  std::uint8_t since_bytes = 0;                       // of the time since the entry before it
  std::array<std::uint8_t, call_parts> part_bytes{};  // of each TimePart
  std::uint16_t all_bytes = 0;                        // the sum
  bool operator==(const Token&) const = default;
};
static_assert(sizeof(Token) == 8);

struct Block {
  std::int64_t enter_ns = 0;  // of its first call
  std::int64_t left_ns = 0;   // the latest return of calls up to its last, those of earlier blocks included
  std::uint32_t at = 0;       // where it begins in the rank's bytes, in words of 8 bytes
  std::uint32_t check = 0;    // of its bytes
};
static_assert(sizeof(Block) == 24);

// What holds of each call that an index has, whatever the source says: it does not begin before the one before it, and its parts
// are within it.
inline CallInterval made_sound(CallInterval call, std::int64_t entered_ns) {
  call.enter_ns = std::max(call.enter_ns, entered_ns);
  call.leave_ns = std::max(call.leave_ns, call.enter_ns);
  call.algorithmic_ns = std::clamp<std::int64_t>(call.algorithmic_ns, 0, call.leave_ns - call.enter_ns);
  call.service_ns =
      std::clamp<std::int64_t>(call.service_ns, 0, call.leave_ns - call.enter_ns - call.algorithmic_ns);
  return call;
}

class CallBlocks;

// As they lie in memory. Behind the bytes may be read 8 more.
struct PackedCalls {
  std::span<const Token> tokens;
  std::span<const Block> blocks;
  std::span<const char> bytes;
  std::uint64_t calls = 0;
  std::uint64_t rank = 0;
  std::uint32_t names = 0;           // that there are
  const CallBlocks* made = nullptr;  // by which they are made, if so: there are no tokens and bytes

  // Number of the first block that has a call that returns after `ns`; the number of blocks: none does.
  std::size_t first_left_after(std::int64_t ns) const;
  // How many blocks begin before `ns`.
  std::size_t blocks_entered_before(std::int64_t ns) const;
  // The first word of 8 bytes that is not of the block.
  std::size_t end_of(std::size_t block) const {
    return block + 1 < blocks.size() ? blocks[block + 1].at : bytes.size() / 8;
  }
  // The calls of a block; 0: it is damaged.
  std::size_t unpack(std::size_t block, std::array<CallInterval, block_calls>& out) const;
  // Is what the blocks rest on sound: the dictionary, and the order of the blocks?
  bool is_sound() const;
};

// Gives every call from that block on, in order, with its number, until `take` says that it is enough (false).
// False: a block is damaged.
template <class Take>
bool for_each_call(const PackedCalls& calls, std::size_t from_block, Take take) {
  std::array<CallInterval, block_calls> piece;
  for (std::size_t block = from_block; block < calls.blocks.size(); ++block) {
    const std::size_t count = calls.unpack(block, piece);
    if (count == 0) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (!take(block * block_calls + i, piece[i])) return true;
  }
  return true;
}

// What an index takes of a rank.
struct RankCalls {
  std::vector<Token> tokens;
  Column<Block> blocks;
  Column<char> bytes;
  std::uint64_t calls = 0;
  std::vector<bool> parts_used;  // by name * call_parts + part

  void use(std::uint32_t name, std::size_t part) {
    const std::size_t used = name * call_parts + part;
    if (used >= parts_used.size()) parts_used.resize(used + 1);
    if (!parts_used[used]) parts_used[used] = true;
  }
};

// Calls that are there in another form, and made when a block of them is read. By many threads at once.
class CallBlocks {
 public:
  virtual ~CallBlocks() = default;
  // Where the blocks begin and end, and all parts that are used; it may have some that are not.
  virtual RankCalls list(std::size_t rank) const = 0;
  // Gives how many the block has, which are sound (made_sound).
  virtual std::size_t read_block(std::size_t rank, std::size_t block,
                                 std::array<CallInterval, block_calls>& out) const = 0;
};

class CallPacker : public RankCalls {
 public:
  // In `store`, or in memory if there is none.
  CallPacker(std::uint64_t rank, std::shared_ptr<ColumnStore> store);
  void add(std::span<const CallInterval> calls);
  void finish();  // after that RankCalls is there

 private:
  // Tokens, each with a number of its own that is not 0; a place whose number is 0 is free.
  class TokenTable {
   public:
    explicit TokenTable(std::size_t places) : keys_(places), numbers_(places) {}
    // Of the token; 0 where it is new, and may be changed.
    std::uint32_t& at(std::uint64_t token);
    // 0: it is not there.
    std::uint32_t find(std::uint64_t token) const;
    template <class Take>
    void for_each(Take take) const {
      for (std::size_t i = 0; i < keys_.size(); ++i)
        if (numbers_[i] != 0) take(keys_[i], numbers_[i]);
    }

   private:
    std::size_t place_of(std::uint64_t token) const;
    void grow();
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> numbers_;  // 0: the place is free
    std::size_t used_ = 0;
  };

  void make_dictionary();
  void put(const CallInterval& sound);
  void end_block();

  // Of a call: its token and four numbers. The last of a block is written in eight bytes, too, whatever it needs.
  static constexpr std::size_t most_bytes = sizeof(Token) + 4 * 8;

  std::uint64_t rank_;
  std::vector<CallInterval> first_;  // until there is a dictionary
  bool has_dictionary_ = false;
  TokenTable known_{1024};  // one more than its place in `tokens`
  std::int64_t entered_ns_ = 0, left_ns_ = 0;
  std::array<unsigned char, block_calls> block_tokens_;
  std::array<char, block_calls * most_bytes + 8> block_bytes_;
  std::size_t in_block_ = 0, block_size_ = 0;
};

}  // namespace ww::view
