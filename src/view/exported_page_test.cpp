#include "view/exported_page.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "analyze/random_trace_fixture.hpp"
#include "trace/packed.hpp"

namespace ww::view {
namespace {

std::string text_of(const std::string& page, const std::string& id) {
  const std::size_t at = page.find("id=\"" + id + "\">");
  EXPECT_NE(at, std::string::npos) << id;
  const std::size_t from = page.find('>', at) + 1;
  return page.substr(from, page.find("</script>", from) - from);
}

std::string of_base64(const std::string& text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8));
  }
  return out;
}

// By zlib's own reading of gzip.
std::string unzipped(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, 4096> part{};
  int done = Z_OK;
  while (done == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    done = inflate(&stream, Z_NO_FLUSH);
    out.append(part.data(), part.size() - stream.avail_out);
  }
  EXPECT_EQ(done, Z_STREAM_END);
  inflateEnd(&stream);
  return out;
}

TEST(ExportedPage, HoldsTheTraceAndNothingFromElsewhere) {
  Trace trace = random_trace(5);
  trace.source = "/home/somebody/secret/run.ww/traces.otf2";
  const auto page = exported_page(trace, "</script><img src=x>", nullptr);
  if (!page && page.error().what.starts_with("this whatwire was built without"))
    GTEST_SKIP() << page.error().what;
  ASSERT_TRUE(page) << to_string(page.error());
  const std::string packed = unzipped(of_base64(text_of(*page, "packed")));
  EXPECT_EQ(packed, pack(trace));
  EXPECT_EQ(packed.find("secret"), std::string::npos) << "where the trace lay";
  EXPECT_NE(packed.find("run.ww/traces.otf2"), std::string::npos);
  EXPECT_EQ(text_of(*page, "held"), R"({"model":"","name":"\u003c/script\u003e\u003cimg src=x\u003e"})");
  EXPECT_EQ(page->find("<img"), std::string::npos);
  EXPECT_NE(page->find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(page->find("src=\"view.js\""), std::string::npos);
  EXPECT_EQ(page->find("unsafe-inline"), std::string::npos);
}

}  // namespace
}  // namespace ww::view
