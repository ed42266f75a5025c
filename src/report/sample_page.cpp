// report_sample_page DIR: writes DIR/page.html and the data it was made of, DIR/data.json, for the browser
// test.
#include <fmt/format.h>

#include <filesystem>

#include "base/files.hpp"
#include "report/html.hpp"
#include "report/sample.hpp"
#include "report/timeline_json.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: report_sample_page DIR\n");
    return 2;
  }
  const std::filesystem::path dir = argv[1];
  nlohmann::json data = ww::sample::report_data();
  // A third program whose trace is too big to list: the same page must draw it from its bins.
  ww::sample::Program big;
  big.ranks = 40;
  big.rounds = 200;
  const ww::sample::Recording recording = ww::sample::record(big);
  nlohmann::json decimated = data["studies"][0];
  decimated["name"] = "decimated";
  decimated["what_ifs"][0]["dilated"] = nullptr;
  decimated["timeline"] = ww::timeline_json(recording.trace, recording.breakdown,
                                            {.rows = 64, .calls = 500, .cells = 8000, .messages = 300});
  data["studies"].push_back(decimated);
  const auto page = ww::html_report(data);
  if (!page) {
    fmt::print(stderr, "{}\n", ww::to_string(page.error()));
    return 1;
  }
  const auto wrote_page = ww::write_file(dir / "page.html", *page);
  const auto wrote_data = ww::write_file(dir / "data.json", data.dump());
  return wrote_page && wrote_data ? 0 : 1;
}
