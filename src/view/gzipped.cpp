#include "view/gzipped.hpp"

#include <zlib.h>

namespace ww::view {

Result<std::string> gzipped(std::string_view bytes) {
  constexpr int window_bits = 15, as_gzip = 16, memory_level = 9;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits + as_gzip, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return fail("no memory to compress it");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  WW_INVARIANT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace ww::view
