// `whatwire simulate` of S4's replay input: a directory of station.N files (whatwire export --to s4).
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/what_if.hpp"

namespace ww::cli {

struct StationsOptions {
  std::string machine;  // "": S4's on 10 Mb/s
  bool json = false, csv = false;
};
Result<int> simulate_stations(const std::filesystem::path& directory, const std::vector<WhatIf>& what_ifs,
                              const StationsOptions& options);

}  // namespace ww::cli
