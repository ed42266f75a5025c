#include "launch/x86_length.hpp"

#include <algorithm>

namespace ww {
namespace {

constexpr std::size_t longest = 15;  // of any instruction

enum class Map : std::uint8_t { one, two, three_38, three_3a, unknown };

struct Shape {
  bool valid = true;
  bool modrm = false;
  std::size_t immediate_bytes = 0;
};

bool in(std::uint8_t value, std::uint8_t from, std::uint8_t to) {
  return value >= from && value <= to;
}

struct Prefixes {
  bool operand_16 = false, address_32 = false, wide = false;  // 66, 67, REX.W
  std::size_t full_immediate() const { return operand_16 && !wide ? 2 : 4; }
};

Shape shape_of_one_byte(std::uint8_t op, const Prefixes& p) {
  if (op <
      0x40) {  // eight of arithmetic: four with operands, two with an immediate, two that 64 bits took away
    const std::uint8_t form = op & 7;
    return {form < 6, form < 4, form == 4 ? 1u : form == 5 ? p.full_immediate() : 0u};
  }
  if (in(op, 0x50, 0x5f) || in(op, 0x90, 0x99) || in(op, 0x9b, 0x9f)) return {};
  if (in(op, 0x70, 0x7f)) return {true, false, 1};
  if (in(op, 0x84, 0x8f) || in(op, 0xd0, 0xd3) || in(op, 0xd8, 0xdf)) return {true, true, 0};
  if (in(op, 0xa4, 0xa7) || in(op, 0xaa, 0xaf) || in(op, 0x6c, 0x6f) || in(op, 0xec, 0xef)) return {};
  if (in(op, 0xa0, 0xa3)) return {true, false, p.address_32 ? 4u : 8u};
  if (in(op, 0xb0, 0xb7) || in(op, 0xe0, 0xe7)) return {true, false, 1};
  if (in(op, 0xb8, 0xbf)) return {true, false, p.wide ? 8 : p.full_immediate()};
  switch (op) {
    case 0x63:
    case 0xfe:
    case 0xff:
    case 0xf6:  // test with an immediate: see decode
    case 0xf7:
      return {true, true, 0};
    case 0x80:
    case 0x83:
    case 0x6b:
    case 0xc0:
    case 0xc1:
    case 0xc6:
      return {true, true, 1};
    case 0x69:
    case 0x81:
    case 0xc7:
      return {true, true, p.full_immediate()};
    case 0x68:
    case 0xa9:
      return {true, false, p.full_immediate()};
    case 0xe8:
    case 0xe9:
      return {true, false, 4};
    case 0x6a:
    case 0xa8:
    case 0xcd:
    case 0xeb:
      return {true, false, 1};
    case 0xc2:
    case 0xca:
      return {true, false, 2};
    case 0xc8:
      return {true, false, 3};
    case 0xc3:
    case 0xc9:
    case 0xcb:
    case 0xcc:
    case 0xcf:
    case 0xd7:
    case 0xf1:
    case 0xf4:
    case 0xf5:
      return {};
    default:
      return {in(op, 0xf8, 0xfd), false, 0};
  }
}

Shape shape_of_two_bytes(std::uint8_t op) {
  if (in(op, 0x80, 0x8f)) return {true, false, 4};
  if (in(op, 0x30, 0x35) || op == 0x37 || in(op, 0xc8, 0xcf) || in(op, 0xa0, 0xa2) || in(op, 0xa8, 0xaa) ||
      in(op, 0x05, 0x09) || op == 0x0b || op == 0x77)
    return {};
  const bool immediate = in(op, 0x70, 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
                         in(op, 0xc4, 0xc6) || op == 0x0f;
  return {true, true, immediate ? 1u : 0u};
}

Shape shape_of(Map map, std::uint8_t op, const Prefixes& p) {
  switch (map) {
    case Map::one:
      return shape_of_one_byte(op, p);
    case Map::two:
      return shape_of_two_bytes(op);
    case Map::three_38:
      return {true, true, 0};
    case Map::three_3a:
      return {true, true, 1};
    case Map::unknown:
      break;
  }
  return {false, false, 0};
}

// Reads byte by byte; what is beyond the end fails the whole instruction.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> code) : code_(code.first(std::min(code.size(), longest))) {}
  std::uint8_t next() {
    if (at_ >= code_.size()) {
      good_ = false;
      return 0;
    }
    return code_[at_++];
  }
  std::uint8_t peek() const { return at_ < code_.size() ? code_[at_] : 0; }
  void skip(std::size_t bytes) {
    at_ += bytes;
    good_ = good_ && at_ <= code_.size();
  }
  std::size_t length() const { return good_ ? at_ : 0; }

 private:
  std::span<const std::uint8_t> code_;
  std::size_t at_ = 0;
  bool good_ = true;
};

Map map_of_number(unsigned number) {
  return number == 1 ? Map::two : number == 2 ? Map::three_38 : number == 3 ? Map::three_3a : Map::unknown;
}

bool is_prefix(std::uint8_t byte) {
  switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
      return true;
    default:
      return false;
  }
}

std::uint8_t skip_operands(Reader& reader) {
  const std::uint8_t modrm = reader.next(), mode = modrm >> 6, rm = modrm & 7;
  if (mode == 3) return modrm;
  const bool indexed = rm == 4;
  const std::uint8_t base = indexed ? reader.next() & 7 : rm;
  if (mode == 1)
    reader.skip(1);
  else if (mode == 2 || base == 5)
    reader.skip(4);
  return modrm;
}

}  // namespace

Instruction decode_x86(std::span<const std::uint8_t> code) {
  Reader reader(code);
  Prefixes p;
  std::uint8_t byte = reader.next();
  for (; is_prefix(byte); byte = reader.next()) {
    p.operand_16 = p.operand_16 || byte == 0x66;
    p.address_32 = p.address_32 || byte == 0x67;
  }
  Map map = Map::one;
  bool vector = false;
  if (byte == 0xc5) {  // VEX of two bytes
    reader.skip(1);
    map = Map::two;
    vector = true;
  } else if (byte == 0xc4) {  // of three
    map = map_of_number(reader.next() & 0x1f);
    reader.skip(1);
    vector = true;
  } else if (byte == 0x62) {  // EVEX
    map = map_of_number(reader.next() & 7);
    reader.skip(2);
    vector = true;
  } else {
    if ((byte & 0xf0) == 0x40) {  // REX
      p.wide = (byte & 8) != 0;
      byte = reader.next();
    }
    if (byte == 0x0f) {
      byte = reader.next();
      map = byte == 0x38 ? Map::three_38 : byte == 0x3a ? Map::three_3a : Map::two;
      if (map != Map::two) byte = reader.next();
    }
  }
  if (vector) byte = reader.next();
  Shape shape = shape_of(map, byte, p);
  if (!shape.valid) return {};
  std::uint8_t modrm = 0;
  if (shape.modrm) modrm = skip_operands(reader);
  if (map == Map::one && (byte == 0xf6 || byte == 0xf7) && ((modrm >> 3) & 7) < 2)
    shape.immediate_bytes = byte == 0xf6 ? 1 : p.full_immediate();
  reader.skip(shape.immediate_bytes);
  Instruction found;
  found.length = reader.length();
  found.reads_counter =
      found.length > 0 && map == Map::two && !vector && (byte == 0x31 || (byte == 0x01 && modrm == 0xf9));
  return found;
}

}  // namespace ww
