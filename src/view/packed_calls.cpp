#include "view/packed_calls.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "view/checksum.hpp"

namespace ww::view {
namespace {

// The token that stands for none of the dictionary: a whole Token lies before the call's bytes.
constexpr std::size_t spelled_out = 255;
// After so many calls the dictionary is fixed.
constexpr std::size_t calls_for_dictionary = std::size_t{1} << 16;

constexpr std::array<std::uint64_t, 9> masks = [] {
  std::array<std::uint64_t, 9> all{};
  for (std::size_t bytes = 0; bytes < 8; ++bytes) all[bytes] = (std::uint64_t{1} << (8 * bytes)) - 1;
  all[8] = ~std::uint64_t{0};
  return all;
}();

std::uint8_t bytes_of(std::uint64_t value) {
  return static_cast<std::uint8_t>((std::bit_width(value) + 7) / 8);
}

std::uint64_t number_of(const Token& token) {
  return std::bit_cast<std::uint64_t>(token);
}

bool is_sound(const Token& token, std::uint32_t names) {
  std::size_t all = token.since_bytes;
  bool good = token.name < names && token.since_bytes <= 8;
  for (const std::uint8_t bytes : token.part_bytes) {
    good = good && bytes <= 8;
    all += bytes;
  }
  return good && all == token.all_bytes;
}

// A call as the numbers that are kept of it.
struct Fields {
  std::uint64_t since = 0;
  std::array<std::uint64_t, call_parts> parts{};

  Token token(std::uint32_t name) const {
    Token out;
    out.name = static_cast<std::uint16_t>(name);
    out.since_bytes = bytes_of(since);
    out.all_bytes = out.since_bytes;
    for (std::size_t part = 0; part < call_parts; ++part) {
      out.part_bytes[part] = bytes_of(parts[part]);
      out.all_bytes = static_cast<std::uint16_t>(out.all_bytes + out.part_bytes[part]);
    }
    return out;
  }
};

Fields fields_of(const CallInterval& call, std::int64_t entered_ns) {
  return {static_cast<std::uint64_t>(call.enter_ns - entered_ns),
          {static_cast<std::uint64_t>(call.leave_ns - call.enter_ns - call.algorithmic_ns - call.service_ns),
           static_cast<std::uint64_t>(call.algorithmic_ns), static_cast<std::uint64_t>(call.service_ns)}};
}

std::uint64_t seed_of(std::uint64_t rank, std::size_t block) {
  return rank << 32 ^ block;
}

}  // namespace

std::size_t PackedCalls::first_left_after(std::int64_t ns) const {
  return static_cast<std::size_t>(
      std::upper_bound(blocks.begin(), blocks.end(), ns,
                       [](std::int64_t at, const Block& block) { return at < block.left_ns; }) -
      blocks.begin());
}

std::size_t PackedCalls::blocks_entered_before(std::int64_t ns) const {
  return static_cast<std::size_t>(
      std::lower_bound(blocks.begin(), blocks.end(), ns,
                       [](const Block& block, std::int64_t at) { return block.enter_ns < at; }) -
      blocks.begin());
}

bool PackedCalls::is_sound() const {
  if (made != nullptr) return true;
  if (tokens.size() > spelled_out || calls > blocks.size() * block_calls ||
      calls + block_calls <= blocks.size() * block_calls)
    return false;
  for (const Token& token : tokens)
    if (!view::is_sound(token, names)) return false;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (end_of(b) < blocks[b].at || end_of(b) > bytes.size() / 8) return false;
    if (b > 0 && (blocks[b].enter_ns < blocks[b - 1].enter_ns || blocks[b].left_ns < blocks[b - 1].left_ns))
      return false;
  }
  return true;
}

std::size_t PackedCalls::unpack(std::size_t number, std::array<CallInterval, block_calls>& out) const {
  if (made != nullptr) return made->read_block(rank, number, out);
  const Block& block = blocks[number];
  const std::span<const char> all = bytes.subspan(8 * std::size_t{block.at}, 8 * (end_of(number) - block.at));
  if (checksum(all, seed_of(rank, number)) != block.check) return 0;
  const std::size_t count = std::min<std::size_t>(block_calls, calls - number * block_calls);
  if (count > all.size()) return 0;
  const auto* const token_numbers = reinterpret_cast<const unsigned char*>(all.data());
  const char* at = all.data() + count;
  const char* const end = all.data() + all.size();
  auto entered_ns = static_cast<std::uint64_t>(block.enter_ns);
  const auto next = [&](std::size_t width) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof(value));
    at += width;
    return value & masks[width];
  };
  for (std::size_t i = 0; i < count; ++i) {
    Token token;
    if (token_numbers[i] < tokens.size()) {
      token = tokens[token_numbers[i]];
    } else {
      if (token_numbers[i] != spelled_out || end - at < static_cast<std::ptrdiff_t>(sizeof(token))) return 0;
      std::memcpy(&token, at, sizeof(token));
      at += sizeof(token);
      if (!view::is_sound(token, names)) return 0;
    }
    if (end - at < token.all_bytes) return 0;
    entered_ns += next(token.since_bytes);
    const std::uint64_t library = next(token.part_bytes[0]), algorithmic = next(token.part_bytes[1]),
                        service = next(token.part_bytes[2]);
    out[i] = {static_cast<std::int64_t>(entered_ns),
              static_cast<std::int64_t>(entered_ns + library + algorithmic + service),
              static_cast<std::int64_t>(algorithmic), static_cast<std::int64_t>(service), token.name};
  }
  return count;
}

std::size_t CallPacker::TokenTable::place_of(std::uint64_t token) const {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // Knuth's multiplicative hashing
  const std::size_t mask = keys_.size() - 1;
  std::size_t place = (token * odd >> 40) & mask;
  while (numbers_[place] != 0 && keys_[place] != token) place = (place + 1) & mask;
  return place;
}

std::uint32_t CallPacker::TokenTable::find(std::uint64_t token) const {
  return numbers_[place_of(token)];
}

// Its places are a power of two, of which at least half are free.
std::uint32_t& CallPacker::TokenTable::at(std::uint64_t token) {
  std::size_t place = place_of(token);
  if (numbers_[place] != 0) return numbers_[place];
  if (2 * ++used_ > keys_.size()) {
    grow();
    place = place_of(token);
  }
  keys_[place] = token;
  return numbers_[place];
}

void CallPacker::TokenTable::grow() {
  TokenTable larger(2 * keys_.size());
  for_each([&](std::uint64_t token, std::uint32_t number) { larger.at(token) = number; });
  larger.used_ = used_;
  *this = std::move(larger);
}

CallPacker::CallPacker(std::uint64_t rank, std::shared_ptr<ColumnStore> store) : rank_(rank) {
  blocks.keep_in(store);
  bytes.keep_in(std::move(store));
}

void CallPacker::add(std::span<const CallInterval> more) {
  if (!has_dictionary_) {
    first_.insert(first_.end(), more.begin(), more.end());
    if (first_.size() >= calls_for_dictionary) make_dictionary();
    return;
  }
  for (const CallInterval& call : more) put(made_sound(call, entered_ns_));
}

void CallPacker::finish() {
  if (!has_dictionary_) make_dictionary();
  end_block();
  blocks.trim();
  bytes.trim();
}

void CallPacker::make_dictionary() {
  TokenTable counts(4096);
  std::int64_t entered_ns = first_.empty() ? 0 : first_.front().enter_ns;
  for (CallInterval& call : first_) {
    call = made_sound(call, entered_ns);
    ++counts.at(number_of(fields_of(call, entered_ns).token(call.name)));
    entered_ns = call.enter_ns;
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> by_count;  // count, token
  counts.for_each([&](std::uint64_t token, std::uint32_t count) { by_count.emplace_back(count, token); });
  std::sort(by_count.begin(), by_count.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (by_count.size() > spelled_out) by_count.resize(spelled_out);
  for (const auto& [count, token] : by_count) {
    tokens.push_back(std::bit_cast<Token>(token));
    known_.at(token) = static_cast<std::uint32_t>(tokens.size());
  }
  has_dictionary_ = true;
  if (!first_.empty()) entered_ns_ = left_ns_ = first_.front().enter_ns;
  for (const CallInterval& call : first_) put(call);
  first_ = {};
}

void CallPacker::put(const CallInterval& call) {
  if (in_block_ == 0) {
    entered_ns_ = call.enter_ns;
    blocks.push_back({call.enter_ns, 0, static_cast<std::uint32_t>(bytes.size() / 8), 0});
  }
  const Fields fields = fields_of(call, entered_ns_);
  const Token token = fields.token(call.name);
  // Eight bytes are written of each number, of which those that it needs are kept.
  char* at = block_bytes_.data() + block_size_;
  const auto keep = [&](const auto& value, std::size_t count) {
    static_assert(sizeof(value) == 8);
    std::memcpy(at, &value, sizeof(value));
    at += count;
  };
  const std::uint32_t known = known_.find(number_of(token));
  block_tokens_[in_block_] = static_cast<unsigned char>(known == 0 ? spelled_out : known - 1);
  if (known == 0) keep(token, sizeof(token));
  keep(fields.since, token.since_bytes);
  for (std::size_t part = 0; part < call_parts; ++part) {
    keep(fields.parts[part], token.part_bytes[part]);
    if (fields.parts[part] != 0) use(call.name, part);
  }
  block_size_ = static_cast<std::size_t>(at - block_bytes_.data());
  entered_ns_ = call.enter_ns;
  left_ns_ = std::max(left_ns_, call.leave_ns);
  ++calls;
  if (++in_block_ == block_calls) end_block();
}

void CallPacker::end_block() {
  if (in_block_ == 0) return;
  const std::size_t begin = bytes.size();
  bytes.append(block_tokens_.begin(), block_tokens_.begin() + in_block_);
  bytes.append(block_bytes_.begin(), block_bytes_.begin() + block_size_);
  while (bytes.size() % 8 != 0) bytes.push_back(0);
  Block& block = blocks.back();
  block.left_ns = left_ns_;
  block.check = checksum({bytes.data() + begin, bytes.size() - begin}, seed_of(rank_, blocks.size() - 1));
  in_block_ = block_size_ = 0;
}

}  // namespace ww::view
