// The style sheet and the scripts of the HTML report (src/report/page), embedded at build time.
#pragma once
#include <string>
#include <vector>

namespace ww::page {

struct Part {
  std::string name;  // "page.css", "timeline.js"
  std::string text;
};

// In the order in which they belong into the page.
const std::vector<Part>& parts();

}  // namespace ww::page
