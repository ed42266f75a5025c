#include "cli/show.hpp"

#include <fmt/format.h>

#include "analyze/show.hpp"

namespace ww::cli {

void show_diagnostics(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", show(diagnostics));
}

}  // namespace ww::cli
