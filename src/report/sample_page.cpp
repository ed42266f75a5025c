// report_sample_page DIR: writes the pages of the browser tests into DIR and the data they are made of:
// page.html of data.json, machine.html, bare.html, many.html and compare.html of models.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "report/html.hpp"
#include "report/sample.hpp"
#include "report/sample_machine.hpp"
#include "report/timeline_json.hpp"

namespace {

bool write_page(const std::filesystem::path& dir, const std::string& name, const nlohmann::json& data) {
  const auto page = ww::html_report(data);
  if (!page) fmt::print(stderr, "{}\n", ww::to_string(page.error()));
  return page && ww::write_file(dir / (name + ".html"), *page);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: report_sample_page DIR\n");
    return 2;
  }
  const std::filesystem::path dir = argv[1];
  nlohmann::json data = ww::sample::report_data();
  // A third program whose trace is too big to list: the same page must draw it from its bins.
  ww::sample::SampleProgram big;
  big.ranks = 40;
  big.rounds = 200;
  const ww::sample::SampleRecording recording = ww::sample::record(big);
  nlohmann::json decimated = data["studies"][0];
  decimated["name"] = "decimated";
  decimated["what_ifs"][0]["dilated"] = nullptr;
  decimated["timeline"] = ww::timeline_json(recording.trace, recording.breakdown,
                                            {.rows = 64, .calls = 500, .cells = 8000, .messages = 300});
  decimated["report"]["peers"] = nlohmann::json::array();  // 50 gathers of 32 KiB
  for (int source = 0; source < 4; ++source)
    decimated["report"]["peers"].push_back({{"source", source},
                                            {"destination", 0},
                                            {"messages", 0},
                                            {"bytes", 0},
                                            {"collective_bytes", 50 * 32768}});
  // And one whose replay takes 6% of what it is the replay of: no figure of it can be relied upon.
  nlohmann::json doubtful = data["studies"][0];
  doubtful["name"] = "doubtful";
  doubtful["replayed_s"] = 0.06 * doubtful["recorded_s"].get<double>();
  for (nlohmann::json& what_if : doubtful["what_ifs"]) {
    what_if["real"] = what_if["virtual"] = nullptr;
    what_if.erase("headline");
  }
  doubtful["dilation"]["verdict"] = nullptr;
  doubtful["dilation"]["verdict_withheld"] = "the replay is off by -94%";
  for (nlohmann::json* study : {&decimated, &doubtful}) data["studies"].push_back(*study);
  // A model as a preset is one: lines, and nothing measured.
  const nlohmann::json machine = ww::sample::machine();
  nlohmann::json bare = {{"name", "bare"},
                         {"links", {machine["links"][0]}},
                         {"costs", {{"F", {machine["links"][0]["segments"][0]}}}}};
  bare["links"][0].erase("points");
  nlohmann::json many = bare;  // 100 ranks on two hosts
  nlohmann::json& matrix = many["observations"]["matrix"];
  matrix = {{"ranks", 100}, {"small_bytes", 8}};
  for (int row = 0; row < 100; ++row) {
    matrix["hosts"].push_back(row < 50 ? "alpha" : "beta");
    matrix["latency_s"].push_back(nlohmann::json::array());
    for (int column = 0; column < 100; ++column)
      matrix["latency_s"].back().push_back(row == column ? 0 : 1e-6 * (1 + row + 2 * column));
  }
  const auto alone = [](const nlohmann::json& model) {
    return nlohmann::json{{"title", "The machine"}, {"machine", model}, {"studies", nlohmann::json::array()}};
  };
  const nlohmann::json both = {
      {"title", "Both"}, {"machines", {machine, bare}}, {"studies", nlohmann::json::array()}};
  // A time that runs straight over the logarithms of both axes, so that its contours are known.
  nlohmann::json sweep = {
      {"name", "<b>swept</b>"},
      {"recorded_s", 0.02},
      {"replayed_s", 0.021},
      {"axes",
       {{{"part", "bandwidth"},
         {"kind", "factor"},
         {"values", {"x1", "x10", "x100"}},
         {"numbers", {1, 10, 100}}},
        {{"part", "latency"},
         {"kind", "seconds"},
         {"values", {"1us", "10us", "100us", "1000us"}},
         {"numbers", {1e-6, 1e-5, 1e-4, 1e-3}}},
        {{"part", "software"}, {"kind", "factor"}, {"values", {"x1", "x0.1"}}, {"numbers", {1, 0.1}}}}}};
  for (int b = 0; b < 3; ++b)
    for (int l = 0; l < 4; ++l)
      for (int o = 0; o < 2; ++o)
        sweep["cells"].push_back({{"at", {b, l, o}},
                                  {"what_if", fmt::format("cell {} {} {}", b, l, o)},
                                  {"predicted_s", 0.02 - 0.002 * b + 0.003 * l - 0.001 * o},
                                  {"gain", 0.021 / (0.02 - 0.002 * b + 0.003 * l - 0.001 * o)}});
  const nlohmann::json swept = {
      {"title", "Sweep"}, {"sweeps", {sweep}}, {"studies", nlohmann::json::array()}};
  const bool pages = write_page(dir, "page", data) && write_page(dir, "machine", alone(machine)) &&
                     write_page(dir, "bare", alone(bare)) && write_page(dir, "many", alone(many)) &&
                     write_page(dir, "compare", both) && write_page(dir, "sweep", swept);
  const bool wrote = ww::write_file(dir / "data.json", data.dump()) &&
                     ww::write_file(dir / "machine.json", machine.dump()) &&
                     ww::write_file(dir / "bare.json", bare.dump()) &&
                     ww::write_file(dir / "many.json", many.dump());
  return pages && wrote ? 0 : 1;
}
