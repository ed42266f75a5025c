#include "view/exported_page.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "trace/packed.hpp"
#include "view/gzipped.hpp"

namespace ww::view {
namespace {

constexpr const char* page_file = "exported.html";
constexpr std::string_view place = "<!-- held -->\n";
constexpr std::string_view title = "<title>whatwire</title>", own_title = "<title>whatwire, exported</title>";

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (unsigned digit = 0; digit < 4; ++digit)
      out += at + digit > bytes.size() ? '=' : digits[three >> (18 - 6 * digit) & 63];
  }
  return out;
}

// Inside an element: nothing in it may look like its end or like the beginning of a comment.
std::string embeddable(const nlohmann::json& data) {
  std::string safe;
  for (const char c : data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    if (c == '<' || c == '>' || c == '&')
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      safe += c;
  }
  return safe;
}

std::string element(const char* id, const char* type, std::string_view text) {
  return fmt::format("<script type=\"{}\" id=\"{}\">{}</script>\n", type, id, text);
}

}  // namespace

tl::unexpected<Error> no_exported_page() {
  return fail("this whatwire was built without the page for exports", helper_program(page_file).string(),
              "install clang-19, lld-19, libc++-19-dev-wasm32, libclang-rt-19-dev-wasm32 and wasi-libc, "
              "and build it again");
}

Result<std::string> exported_page(const Trace& trace, const std::string& name, const MachineModel* machine) {
  const auto file = helper_program(page_file);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return no_exported_page();
  WW_TRY(std::string page, read_file(file));
  const std::size_t at = page.find(place), titled = page.find(title);
  if (at == std::string::npos || titled > at)
    return fail("the page for exports is damaged", file.string(), "install whatwire again");
  const std::string packed = pack(trace);
  if (packed.size() > most_packed_bytes)
    return fail("the trace is too large for one page",
                fmt::format("{} MB packed, at most {}", packed.size() >> 20, most_packed_bytes >> 20),
                "export it with --to html-folder, for a web server, or show it with `whatwire view`");
  WW_TRY(const std::string compressed, gzipped(packed));
  // The model as text: what reads the page as JSON would write 2.0 as 2.
  const nlohmann::json held = {{"name", printable(name)},
                               {"model", machine != nullptr ? json_text(to_json(*machine)) : ""}};
  page.replace(at, place.size(),
               element("held", "application/json", embeddable(held)) +
                   element("packed", "text/plain", base64(compressed)));
  page.replace(titled, title.size(), own_title);
  return page;
}

bool is_exported_page(const std::filesystem::path& file) {
  std::string begin(2000, 0);
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin.starts_with("<!doctype html>") && begin.find(own_title) != std::string::npos;
}

}  // namespace ww::view
