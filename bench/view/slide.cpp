#include "slide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "machine/presets.hpp"
#include "view/responder.hpp"

namespace {

using namespace ww;
using nlohmann::json;

constexpr int places = 9;

double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Page {
  view::Responder& responder;
  double spent_s = 0;  // by the last question

  Result<std::string> ask(const std::string& path, const std::string& query = "") {
    const double before_s = processor_s();
    const view::Response response = responder.answer({path, query});
    spent_s = processor_s() - before_s;
    if (response.status != 200) return fail(*response.body, path);
    return *response.body;
  }
};

}  // namespace

Result<json> slide(const std::string& trace, const std::string& machine, const std::string& with) {
  auto model = std::make_shared<MachineModel>();
  if (auto preset = find_preset(machine)) {
    *model = *std::move(preset);
  } else {
    WW_TRY(*model, load_model(machine));
  }
  view::OpenTraces traces({.made_by = "view_bench", .read_only = false, .for_good = false});
  traces.add(std::make_shared<view::OpenTrace>(trace, model));
  view::Responder responder(traces);
  Page page{responder};
  WW_TRY(const std::string facts, page.ask("data/0/trace"));
  const double events = 2 * json::parse(facts).at("calls").get<double>();
  const double scale = 1e3 / (events * 1e-6);
  std::vector<double> predict, description, tile, all;
  double first = 0;
  for (int place = 0; place <= places; ++place) {
    const std::string what_if =
        fmt::format("bandwidth=x{:.2f}{}{}", 1 + 0.1 * place, with.empty() ? "" : ",", with);
    WW_TRY(const std::string answer, page.ask("data/0/predict", "quick=1&what_if=" + what_if));
    const double predict_s = page.spent_s;
    const json number = json::parse(answer).at("trace");
    if (number.is_null()) return fail("no picture is made of so many calls", trace);
    const std::string at = fmt::format("data/{}/", number.get<int>());
    WW_TRY(const std::string described, page.ask(at + "trace"));
    const double trace_s = page.spent_s;
    const auto level = json::parse(described).at("index").at("top_level").get<int>();
    WW_CHECK(page.ask(at + "tile", fmt::format("level={}&tile=0&group=0&block=0", level)));
    const double tile_s = page.spent_s;
    if (place == 0) {
      first = predict_s + trace_s + tile_s;
      continue;
    }
    predict.push_back(predict_s);
    description.push_back(trace_s);
    tile.push_back(tile_s);
    all.push_back(predict_s + trace_s + tile_s);
  }
  return json{{"events", events},
              {"first", scale * first},
              {"predict", scale * median_of(predict)},
              {"trace", scale * median_of(description)},
              {"tile", scale * median_of(tile)},
              {"all", scale * median_of(all)}};
}
