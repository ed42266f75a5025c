// The style sheet and the script of the HTML report, bundled in web/ and embedded at build time.
#pragma once
#include <string>

namespace ww::page {

const std::string& style();
const std::string& script();

}  // namespace ww::page
