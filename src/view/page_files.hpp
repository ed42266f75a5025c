// The page's own files, bundled in web/ and embedded at build time.
#pragma once
#include <span>
#include <string_view>

namespace ww::view {

struct PageFile {
  std::string_view name;  // "view.js"
  std::string_view content_type;
  std::string_view content;
};

// The first is the page itself.
std::span<const PageFile> page_files();

}  // namespace ww::view
