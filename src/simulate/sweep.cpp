#include "simulate/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "simulate/by_loggops.hpp"
#include "simulate/program.hpp"
#include "simulate/scenarios.hpp"
#include "trace/archive_entries.hpp"
#include "trace/team.hpp"

namespace ww {
namespace {

constexpr std::size_t most_cells = 1000000;
constexpr double most_steps = 1000;

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> out;
  while (true) {
    const auto end = text.find(by);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

struct Number {
  SweepAxis::Kind kind = SweepAxis::Kind::factor;
  double value = 0;
};

std::optional<Number> number_of(const std::string& text) {
  if (const auto factor = parse_factor(text)) return Number{SweepAxis::Kind::factor, *factor};
  if (const auto time_s = parse_time_s(text)) return Number{SweepAxis::Kind::seconds, *time_s};
  return std::nullopt;
}

std::string written(const Number& number) {
  return number.kind == SweepAxis::Kind::factor ? fmt::format("x{:.6g}", number.value)
                                                : fmt::format("{:.6g}us", number.value * 1e6);
}

const char* to_string(SweepAxis::Kind kind) {
  return kind == SweepAxis::Kind::factor ? "factor" : kind == SweepAxis::Kind::seconds ? "seconds" : "name";
}

Result<void> fill_range(SweepAxis& axis, const std::string& spec, const std::vector<std::string>& ends) {
  const auto bad = [&](const std::string& what) {
    return wrong_usage(what, "--sweep " + spec, "write it like bandwidth=x1:x100:10, PART=FIRST:LAST:STEPS");
  };
  const auto first = number_of(ends[0]), last = number_of(ends[1]);
  const auto steps = parse_bytes(ends[2]);
  if (!first || !last || first->kind != last->kind)
    return bad("an end of the sweep is not a factor or a time, or only one of them is");
  if (!steps || *steps < 2 || *steps > most_steps || *steps != std::floor(*steps))
    return bad("the number of steps is not a whole number from 2 to 1000");
  axis.kind = first->kind;
  const bool geometric = first->value > 0 && last->value > 0;
  for (int i = 0; i < static_cast<int>(*steps); ++i) {
    const double share = i / (*steps - 1);
    const double value = geometric ? first->value * std::pow(last->value / first->value, share)
                                   : first->value + (last->value - first->value) * share;
    axis.values.push_back(written({axis.kind, value}));
    axis.numbers.push_back(value);
  }
  return {};
}

// Cells of another grid, trace or model must never be taken for this one's.
std::uint64_t hash_of(const simulate::RecordedRun& recorded, const MachineModel& model, const Grid& grid,
                      std::size_t processes) {
  std::string all = fmt::format("{} {} {}", recorded.source, recorded.events, processes);
  for (const SweepAxis& axis : grid.axes) {
    all += axis.part;
    for (const std::string& value : axis.values) all += "," + value;
  }
  all += grid.network + json_text(to_json(model));
  return fnv1a(all);
}

Result<std::vector<SweepCell>> collect(Team& team, std::vector<SweepCell> own) {
  WW_TRY(const auto words, team.all("cells", nlohmann::json::array()));
  for (const nlohmann::json& word : words)
    for (const nlohmann::json& one : word) {
      WW_TRY(SweepCell cell, sweep_cell_from_json(one));
      own.push_back(std::move(cell));
    }
  std::sort(own.begin(), own.end(), [](const SweepCell& a, const SweepCell& b) { return a.cell < b.cell; });
  return own;
}

}  // namespace

namespace {

// All cells at once, several machines side by side.
Result<std::vector<SweepCell>> sweep_without_contention(const Replayable& run,
                                                        const MachineModel& recorded_on, const Grid& grid,
                                                        const std::vector<std::size_t>& numbers,
                                                        const PredictOptions& options) {
  WW_TRY(const simulate::ByLogGops free, simulate::ByLogGops::make(run.program, recorded_on, options));
  std::vector<WhatIf> what_ifs;
  for (const std::size_t number : numbers) {
    WW_TRY(WhatIf what_if, grid.what_if(number));
    what_ifs.push_back(std::move(what_if));
  }
  WW_TRY(const auto brief, free.predict_many(what_ifs));
  std::vector<SweepCell> out;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const simulate::ByLogGops::Brief& one = brief[i];
    out.push_back({numbers[i], what_ifs[i].spec, one.predicted_s, one.predicted_s, one.predicted_s,
                   one.latency_s_per_s, one.seconds_per_byte_s_per_s, one.overhead_s_per_s, one.blocked_s,
                   0});
  }
  return out;
}

}  // namespace

Result<SweepAxis> parse_sweep(const std::string& spec) {
  const auto equals = spec.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == spec.size())
    return wrong_usage("not a sweep", "--sweep " + spec,
                       "write it like bandwidth=x1:x100:10 or bandwidth=x1,x2,x10");
  SweepAxis axis;
  axis.part = spec.substr(0, equals);
  const std::string values = spec.substr(equals + 1);
  if (const auto ends = split(values, ':'); ends.size() == 3 && axis.part != "network") {
    WW_CHECK(fill_range(axis, spec, ends));
    return axis;
  }
  axis.values = split(values, ',');
  if (static_cast<double>(axis.values.size()) > most_steps)
    return wrong_usage("more than 1000 values", "--sweep " + axis.part, "sweep over a range of fewer steps");
  bool numbers = true;
  for (const std::string& value : axis.values) {
    const auto number = axis.part == "machine" || axis.part == "network" ? std::nullopt : number_of(value);
    numbers = numbers && number && (axis.numbers.empty() || number->kind == axis.kind);
    if (number) axis.kind = number->kind;
    axis.numbers.push_back(number ? number->value : 0);
  }
  if (numbers) return axis;
  axis.kind = SweepAxis::Kind::name;
  for (std::size_t i = 0; i < axis.numbers.size(); ++i) axis.numbers[i] = static_cast<double>(i);
  return axis;
}

std::size_t Grid::cells() const {
  std::size_t count = 1;
  for (const SweepAxis& axis : axes) count *= axis.values.size();
  return count;
}

std::vector<std::size_t> Grid::places(std::size_t cell) const {
  std::vector<std::size_t> out(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    out[a] = cell % axes[a].values.size();
    cell /= axes[a].values.size();
  }
  return out;
}

Result<WhatIf> Grid::what_if(std::size_t cell) const {
  const auto at = places(cell);
  std::string spec;
  for (std::size_t a = 0; a < axes.size(); ++a)
    spec += fmt::format("{}{}={}", a == 0 ? "" : ",", axes[a].part, axes[a].values[at[a]]);
  if (!network.empty()) spec += (spec.empty() ? "network=" : ",network=") + network;
  return parse_what_if(spec);
}

bool Grid::needs_trace() const {
  return std::any_of(axes.begin(), axes.end(),
                     [](const SweepAxis& axis) { return axis.part.starts_with("compute@"); });
}

Result<Grid> make_grid(const std::vector<std::string>& sweeps, const std::string& network) {
  Grid grid;
  grid.network = network;
  double cells = 1;
  for (const std::string& spec : sweeps) {
    WW_TRY(SweepAxis axis, parse_sweep(spec));
    cells *= static_cast<double>(axis.values.size());
    grid.axes.push_back(std::move(axis));
  }
  if (cells > static_cast<double>(most_cells))
    return wrong_usage(fmt::format("a grid of {:.0f} cells", cells), "--sweep",
                       fmt::format("a grid has at most {}", most_cells));
  // every value once, so that a wrong one is refused before anything is evaluated
  std::size_t longest = 0;
  for (const SweepAxis& axis : grid.axes) longest = std::max(longest, axis.values.size());
  for (std::size_t i = 0; i < longest; ++i) {
    std::size_t cell = 0;
    for (const SweepAxis& axis : grid.axes)
      cell = cell * axis.values.size() + std::min(i, axis.values.size() - 1);
    WW_TRY(const WhatIf what_if, grid.what_if(cell));
    if (what_if.topology) WW_CHECK(check_network(*what_if.topology));
  }
  return grid;
}

nlohmann::json to_json(const SweepCell& cell) {
  return {{"cell", cell.cell},
          {"what_if", cell.what_if},
          {"predicted_s", cell.predicted_s},
          {"predicted_low_s", cell.low_s},
          {"predicted_high_s", cell.high_s},
          {"blocked_s", cell.blocked_s},
          {"blocked_service_s", cell.service_s},
          {"sensitivity",
           {{"latency_s_per_s", cell.latency_s_per_s},
            {"seconds_per_byte_s_per_s", cell.seconds_per_byte_s_per_s},
            {"overhead_s_per_s", cell.overhead_s_per_s}}}};
}

Result<SweepCell> sweep_cell_from_json(const nlohmann::json& json) {
  try {
    // null where a network with chance has none
    const auto slope = [&](const char* name) {
      const nlohmann::json& value = json.at("sensitivity").at(name);
      return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
    };
    return SweepCell{json.at("cell"),
                     json.at("what_if"),
                     json.at("predicted_s"),
                     json.at("predicted_low_s"),
                     json.at("predicted_high_s"),
                     slope("latency_s_per_s"),
                     slope("seconds_per_byte_s_per_s"),
                     slope("overhead_s_per_s"),
                     json.at("blocked_s"),
                     json.at("blocked_service_s")};
  } catch (const nlohmann::json::exception& wrong) {
    return fail("a cell of the sweep that another process wrote cannot be read", wrong.what(),
                "do all processes run the same whatwire?");
  }
}

Result<std::vector<SweepCell>> sweep(const Replayable& run, const MachineModel& recorded_on, const Grid& grid,
                                     const PredictOptions& options,
                                     const std::function<bool(std::size_t)>& mine) {
  std::vector<std::size_t> numbers;
  for (std::size_t cell = 0; cell < grid.cells(); ++cell)
    if (mine(cell)) numbers.push_back(cell);
  if (options.evaluator == Evaluator::free)
    return sweep_without_contention(run, recorded_on, grid, numbers, options);
  std::vector<SweepCell> out(numbers.size());
  const auto what_if = [&](std::size_t i) { return grid.what_if(numbers[i]); };
  const auto take = [&](std::size_t i, Prediction&& p) {
    const Stations all = together(p.simulated.ranks);
    out[i] = {numbers[i],
              p.what_if,
              p.predicted_s,
              p.predicted_low_s,
              p.predicted_high_s,
              p.latency_s_per_s,
              p.seconds_per_byte_s_per_s,
              p.overhead_s_per_s,
              all.blocked_s,
              all.service_s};
  };
  WW_CHECK(predict_each(run, recorded_on, numbers.size(), what_if, take, options));
  return out;
}

Result<std::vector<SweepCell>> sweep_together(const std::filesystem::path& dir, const Replayable& run,
                                              const MachineModel& recorded_on, const Grid& grid,
                                              const PredictOptions& options) {
  namespace fs = std::filesystem;
  const Crew crew = crew_of_environment();
  if (crew.size == 1) return sweep(run, recorded_on, grid, options, [](std::size_t) { return true; });
  const std::string meeting =
      fmt::format(".sweep-{:016x}", hash_of(run.program.recorded, recorded_on, grid, crew.size));
  const auto work = [&](Team& team) {
    return sweep(run, recorded_on, grid, options, [&](std::size_t cell) { return team.mine(cell); });
  };
  if (crew.number > 0) {
    WW_TRY(const auto team, Team::join(dir, crew, meeting, [&] { return access(dir.c_str(), W_OK) == 0; }));
    WW_TRY(const std::vector<SweepCell> own, work(*team));
    nlohmann::json cells = nlohmann::json::array();
    for (const SweepCell& cell : own) cells.push_back(to_json(cell));
    WW_CHECK(team->tell("cells", cells));
    WW_CHECK(team->until_the_end());
    return std::vector<SweepCell>();
  }
  const fs::path place = dir / fmt::format("{}.{}", meeting, getpid());
  const auto claim = owned::Claim::make(place, meeting_kind);
  if (!claim)
    return fail("processes cannot share a sweep", claim.error().where + " (" + dir.string() + ")",
                "its directory must be writable, or use one process: all its cores work anyway");
  const auto lead = [&]() -> Result<std::vector<SweepCell>> {
    WW_TRY(const auto team, Team::lead(dir, place, crew, meeting));
    WW_TRY(std::vector<SweepCell> own, work(*team));
    return collect(*team, std::move(own));
  };
  auto all = lead();
  (void)owned::remove(place, meeting_kind);
  return all;
}

Gain gain_of(const Prediction& first, const Grid& grid, const SweepCell& cell) {
  Gain gain = gain_of(first, cell.predicted_s, cell.low_s, cell.high_s);
  const auto at = grid.places(cell.cell);
  bool changes_nothing = grid.network.empty();
  for (std::size_t a = 0; a < at.size(); ++a)
    changes_nothing =
        changes_nothing && grid.axes[a].kind == SweepAxis::Kind::factor && grid.axes[a].numbers[at[a]] == 1;
  if (changes_nothing) gain.value = gain.low = gain.high = 1;
  return gain;
}

nlohmann::json sweep_json(const Prediction& first, const Grid& grid, const std::vector<SweepCell>& cells) {
  nlohmann::json out = {{"recorded_s", first.recorded_s},
                        {"replayed_s", first.replayed_s},
                        {"gain_withheld", to_json(gain_of(first))["gain_withheld"]},
                        {"axes", nlohmann::json::array()},
                        {"cells", nlohmann::json::array()}};
  for (const SweepAxis& axis : grid.axes)
    out["axes"].push_back({{"part", axis.part},
                           {"kind", to_string(axis.kind)},
                           {"values", axis.values},
                           {"numbers", axis.numbers}});
  for (const SweepCell& cell : cells) {
    nlohmann::json one = to_json(cell);
    one.erase("cell");
    one["at"] = grid.places(cell.cell);
    one.update(to_json(gain_of(first, grid, cell)));
    out["cells"].push_back(std::move(one));
  }
  return out;
}

}  // namespace ww
