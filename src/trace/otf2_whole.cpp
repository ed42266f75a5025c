#include "trace/otf2_whole.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/files.hpp"

namespace ww::otf2 {
namespace {

// As libotf2 writes them: a chunk has a header, records (kind, length, content) and, unless it is the last,
// zeros behind them. In files of events a time stands before those that it is of: its kind and 8 bytes.
constexpr std::size_t header_bytes = 18;
constexpr unsigned char header_mark = 3, no_more_here = 0, end_of_chunk = 1, end_of_file = 2, time_stamp = 5,
                        long_length = 0xff;

bool other_order(std::string_view chunk) {
  return chunk[1] != 'B';  // little-endian, as every machine that we run on
}

enum class Chunk : std::uint8_t { damaged, another_follows, last };

Chunk walk(std::string_view chunk, Holds holds) {
  if (chunk.size() <= header_bytes || chunk[0] != header_mark) return Chunk::damaged;
  for (std::size_t at = header_bytes; at < chunk.size();) {
    const auto kind = static_cast<unsigned char>(chunk[at++]);
    if (kind == end_of_file) return Chunk::last;
    if (kind == no_more_here || kind == end_of_chunk) return Chunk::another_follows;
    if (kind < time_stamp) break;
    if (at == chunk.size()) break;
    if (kind == time_stamp && holds == Holds::events) {
      at += sizeof(std::uint64_t);
      continue;
    }
    std::uint64_t length = static_cast<unsigned char>(chunk[at++]);
    if (length == long_length) {
      if (chunk.size() - at < sizeof length) break;
      std::memcpy(&length, chunk.data() + at, sizeof length);
      if (other_order(chunk)) length = __builtin_bswap64(length);
      at += sizeof length;
    }
    if (length > chunk.size() - at) break;
    at += length;
  }
  return Chunk::damaged;
}

}  // namespace

bool anchor_is_sane(const std::filesystem::path& anchor) {
  // "OTF2" behind the mark and the byte order; then numbers, three names, and the number of properties, each
  // of which is two more names
  constexpr std::size_t before_names = 0x2e;
  const auto content = read_file(anchor);
  if (!content) return false;
  if (content->size() < before_names || content->compare(2, 5, "OTF2", 5) != 0) return true;
  std::size_t at = before_names;
  for (int name = 0; name < 3; ++name) {
    const std::size_t end = content->find('\0', at);
    if (end == std::string::npos) return false;
    at = end + 1;
  }
  std::uint32_t properties = 0;
  if (content->size() - at < sizeof properties) return false;
  std::memcpy(&properties, content->data() + at, sizeof properties);
  if (other_order(*content)) properties = __builtin_bswap32(properties);
  return properties <= (content->size() - at) / 2;
}

bool records_are_whole(const std::filesystem::path& file, std::uint64_t chunk_bytes, Holds holds) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return true;
  const auto file_bytes = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream || chunk_bytes == 0) return false;
  std::string chunk(std::min<std::uint64_t>(chunk_bytes, file_bytes), '\0');
  while (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || stream.gcount() > 0) {
    const auto there = std::string_view(chunk).substr(0, static_cast<std::size_t>(stream.gcount()));
    const Chunk found = walk(there, holds);
    if (found != Chunk::another_follows) return found == Chunk::last;
  }
  return false;
}

}  // namespace ww::otf2
