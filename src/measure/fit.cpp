#include "measure/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/disturbance.hpp"
#include "base/json_check.hpp"
#include "base/units.hpp"
#include "library/library.hpp"
#include "measure/fit_lines.hpp"
#include "measure/fit_six.hpp"

namespace ww::measure {
namespace {

constexpr std::size_t fewest_sizes = 4;
constexpr double wide_interval = 0.02;  // half width, relative
constexpr double worth_a_line = 0.015;  // of the time: what the fine sweep shows and the fit does not
constexpr std::size_t fewest_in_a_row = 3;
constexpr int most_refits = 2;
constexpr double least_reach = 1.3;  // of the eager threshold: the largest size that tells a slope above it

nlohmann::json error_at(const Link& link, const std::vector<SizePoint>& points) {
  double mean = 0, most = 0;
  for (const SizePoint& point : points) {
    const double off = std::fabs(link.one_way.at(point.bytes) / point.median_s - 1);
    mean += off / static_cast<double>(points.size());
    most = std::max(most, off);
  }
  return {{"sizes", points.size()}, {"mean", mean}, {"max", most}};
}

// Where several neighbouring steps of the fine sweep lie on one side of the fit, by more than they vary, it
// has missed something: the first, the middle and the last of them are to be fitted too. Of the whole sweep,
// few of whose samples are many, the rest remains a check.
std::vector<std::size_t> missed_by(const Link& link, const std::vector<SizePoint>& sweep) {
  std::vector<double> off;
  for (const SizePoint& point : sweep) off.push_back(point.median_s / link.one_way.at(point.bytes) - 1);
  std::vector<double> distances;
  for (const double one : off) distances.push_back(std::fabs(one));
  const double usual = std::max(worth_a_line, 2 * stats::median(distances));
  std::vector<std::size_t> missed;
  for (std::size_t first = 0; first < off.size();) {
    std::size_t end = first;
    while (end < off.size() && std::fabs(off[end]) > usual && (off[end] > 0) == (off[first] > 0)) ++end;
    if (end - first >= fewest_in_a_row)
      for (const std::size_t i : {first, (first + end - 1) / 2, end - 1}) missed.push_back(i);
    first = std::max(end, first + 1);
  }
  return missed;
}

// A line through sizes above the eager threshold that all lie close to it would go anywhere: without them the
// line below the threshold goes on, which is said.
void leave_out_lone_rendezvous(const Link& link, std::vector<SizePoint>& points,
                               std::vector<std::string>& flags) {
  if (!link.eager_threshold_bytes || points.back().bytes >= least_reach * *link.eager_threshold_bytes) return;
  const auto left_out =
      std::erase_if(points, [&](const SizePoint& point) { return link.rendezvous(point.bytes); });
  if (left_out > 0)
    flags.push_back(fmt::format(
        "{}: above the eager threshold of {:g} bytes only {} sizes next to it were measured; they are left "
        "out, "
        "and longer messages are taken to cost as much a byte as shorter ones (give a larger --budget)",
        to_string(link.between), *link.eager_threshold_bytes, left_out));
}

// The largest size that went at once, where the smallest that did not is within a tenth of it: a search that ran out of time
// knows nearly all.
void fit_eager_threshold(Link& link, const nlohmann::json& record, std::vector<std::string>& flags) {
  constexpr double near = 1.1;
  if (record.contains("threshold_bytes") && record["threshold_bytes"].is_number()) {
    link.eager_threshold_bytes = record["threshold_bytes"].get<double>();
    return;
  }
  const double low = record["low_bytes"].get<double>(), high = record.value("high_bytes", 0.0);
  const std::string where = to_string(link.between);
  if (low > 0 && high > low && high <= near * low) {
    link.eager_threshold_bytes = low;
    flags.push_back(fmt::format("{}: the eager threshold is between {:g} and {:g} bytes; the first is taken",
                                where, low, high - 1));
  } else if (high > 0) {
    flags.push_back(
        fmt::format("{}: the eager threshold was not found; it is between {:g} and {:g} bytes (give a "
                    "larger --budget)",
                    where, low, high));
  } else {
    flags.push_back(fmt::format("{}: the eager threshold was not found; it is above {:g} bytes", where, low));
  }
}

// Sizes that S2's rule gave up on (samples.hpp: "within_margin" of the ping-pong), in any launch.
void flag_wide_means(const Samples& samples, const std::string& between, std::vector<std::string>& flags) {
  std::set<double> all, wide;
  for (const auto* record : samples.of_kind("pingpong", between)) {
    if (!record->contains("within_margin")) continue;
    const double bytes = (*record)["bytes"].get<double>();
    all.insert(bytes);
    if (!(*record)["within_margin"].get<bool>()) wide.insert(bytes);
  }
  if (!wide.empty())
    flags.push_back(fmt::format(
        "{}: the mean of {} of {} sizes, from {} on, did not come within 5% (1.96 s / sqrt(k)) in 20 rounds, "
        "or in the time there was (give a larger --budget, or a quieter machine)",
        between, wide.size(), all.size(), show_bytes(*wide.begin())));
}

// Of the largest size of which the most was taken; all of a size where less than a twentieth was to leave when the call returned.
std::optional<double> sent_ahead_bytes(const Samples& samples, const std::string& between) {
  constexpr double nearly_all = 0.95;
  std::optional<double> most;
  for (const auto* record : samples.of_kind("sent-ahead", between)) {
    const auto send_s = (*record)["send_s"].get<std::vector<double>>();
    const auto there_s = (*record)["there_s"].get<std::vector<double>>();
    std::vector<double> shares;
    for (std::size_t i = 0; i < std::min(send_s.size(), there_s.size()); ++i)
      if (there_s[i] > 0) shares.push_back(std::clamp(1 - send_s[i] / there_s[i], 0.0, 1.0));
    if (shares.empty()) continue;
    const double share = stats::median(shares), bytes = (*record)["bytes"].get<double>();
    most = std::max(most.value_or(0), share >= nearly_all ? bytes : share * bytes);
  }
  return most;
}

void add_link(MachineModel& model, const Samples& samples, Place place, nlohmann::json& environment) {
  const std::string between = to_string(place);
  auto points = ping_pong_points(samples, between, false);
  if (points.empty()) return;
  if (points.size() < fewest_sizes) {
    model.flags.push_back(
        fmt::format("{}: only {} sizes were measured; no link is fitted", between, points.size()));
    return;
  }
  Link link;
  link.between = place;
  for (const auto* record : samples.of_kind("eager-threshold", between))
    fit_eager_threshold(link, *record, model.flags);
  // a sender that is away keeps the message back until it returns, or not at all
  for (const auto* record : samples.of_kind("sender-progress", between))
    link.rendezvous_needs_sender = stats::median((*record)["received_s"].get<std::vector<double>>()) >
                                   0.5 * (*record)["away_s"].get<double>();
  if (link.eager_threshold_bytes && samples.of_kind("sender-progress", between).empty())
    model.flags.push_back(fmt::format(
        "{}: whether messages above the eager threshold need their sender was not measured; taken as so",
        between));
  link.sent_ahead_bytes = sent_ahead_bytes(samples, between);
  if (const Library* library = library_of(samples)) link.handshake_crossings = library->handshake_crossings;
  if (place == Place::inter) {
    const auto counted = count_wire(samples, between, link.eager_threshold_bytes, model.flags);
    if (counted) link.wire = time_wire(*counted, points, link.eager_threshold_bytes, model.flags);
    if (!counted)
      model.flags.push_back(
          "inter: no interface counted the messages; a faster wire can only be told by the slope of time "
          "over size");
  }
  leave_out_lone_rendezvous(link, points, model.flags);
  const Link unfitted = link;
  const auto flags = model.flags;
  fit_one_way(link, points, model.flags);
  auto sweep = sweep_points(samples, between);
  for (int round = 0; round < most_refits; ++round) {
    const auto missed = missed_by(link, sweep);
    if (missed.empty()) break;
    for (const std::size_t i : missed) points.push_back(sweep[i]);
    for (auto i = missed.rbegin(); i != missed.rend(); ++i)
      sweep.erase(sweep.begin() + static_cast<std::ptrdiff_t>(*i));
    std::sort(points.begin(), points.end(),
              [](const SizePoint& a, const SizePoint& b) { return a.bytes < b.bytes; });
    points.erase(std::unique(points.begin(), points.end(),
                             [](const SizePoint& a, const SizePoint& b) { return a.bytes == b.bytes; }),
                 points.end());
    link = unfitted;
    model.flags = flags;
    fit_one_way(link, points, model.flags);
  }
  link.switches = find_switches(link, points);
  fit_two_way(link, samples, model.flags);

  const auto wide = std::count_if(points.begin(), points.end(), [](const SizePoint& point) {
    return point.range_s.high - point.range_s.low > 2 * wide_interval * point.median_s;
  });
  if (wide > 0)
    model.flags.push_back(fmt::format("{}: the intervals of {} of {} sizes are wider than {:g}%", between,
                                      wide, points.size(), wide_interval * 100));
  flag_wide_means(samples, between, model.flags);
  // what the fit was not made of
  const auto checks = ping_pong_points(samples, between, true);
  if (!checks.empty()) environment["check"][between] = error_at(link, checks);
  if (!sweep.empty()) environment["check_sweep"][between] = error_at(link, sweep);
  model.links.push_back(std::move(link));
}

// A term that is next to nothing may come out below nothing, which no simulation could use.
Curve without_negative_times(Curve curve, const char* term, std::vector<std::string>& flags) {
  if (never_negative(curve)) return curve;
  flags.push_back(
      fmt::format("costs.{}: what was measured is less than its error; left out (see six_lines)", term));
  return {};
}

// Were the processors there when the ranks wanted them? By the rules of base/disturbance.hpp.
void flag_disturbance(const Samples& samples, std::vector<std::string>& flags) {
  const bool in_lab = samples.environment.contains("lab");
  const double most = in_lab ? most_kept_in_lab : most_kept;
  std::map<std::string, double> kept;  // by between
  std::map<std::string, double> switches_per_s;
  for (const auto* record : samples.of_kind("disturbance")) {
    const std::string between = (*record)["between"].get<std::string>();
    const double share = check::number_of(*record, "kept_from_core", -1);
    if (share >= 0)
      kept[between] = std::max(kept[between], share);
    else
      switches_per_s[between] =
          std::max(switches_per_s[between], check::number_of(*record, "involuntary_switches") /
                                                std::max(1e-3, check::number_of(*record, "elapsed_s")));
  }
  for (const auto& [between, share] : kept)
    if (share > most)
      flags.push_back(fmt::format(
          "{}: a rank was ready to run and without its core for {:.0f}% of the measurement, as something "
          "else had it: times are too long and their intervals too wide; end what else runs and measure "
          "again",
          between, 100 * share));
  for (const auto& [between, rate] : switches_per_s)
    if (rate > most_switches_per_s)
      flags.push_back(fmt::format(
          "{}: a rank lost its core {:.0f} times a second to something else: times are too long; end what "
          "else runs and measure again",
          between, rate));
}

}  // namespace

Result<MachineModel> fit_model(const Samples& samples, const std::string& samples_file) {
  MachineModel model;
  model.samples = samples_file;
  nlohmann::json environment = samples.environment;
  for (const char* made_here : {"check", "check_sweep", "hosts"}) environment.erase(made_here);
  if (!samples.complete)
    model.flags.push_back("the experiments did not come to their end; fitted to what there was");
  nlohmann::json hosts = nlohmann::json::array();
  for (const auto* record : samples.of_kind("host")) {
    nlohmann::json host = *record;
    host.erase("kind");
    if (model.clock_hz == 0) model.clock_hz = host["clock_hz"].get<double>();
    model.name += (model.name.empty() ? "" : "+") + host["host"].get<std::string>();
    hosts.push_back(std::move(host));
  }
  environment["hosts"] = std::move(hosts);
  for (const auto* record : samples.of_kind("pair"))
    if (record->value("launch", 0) == 0 && record->value("busy_cores_short", false))
      model.flags.push_back(fmt::format("{}: the ranks had to share cores; all times are disturbed",
                                        (*record)["between"].get<std::string>()));
  flag_disturbance(samples, model.flags);
  add_link(model, samples, Place::inter, environment);
  add_link(model, samples, Place::intra, environment);
  if (model.links.empty())
    return fail("too few sizes were measured to fit a model", samples_file, "give a larger --budget");

  const Link& first = model.links.front();
  model.costs = fit_costs(samples, to_string(first.between), model.flags);
  model.reduction = fit_reduction(samples, to_string(first.between));
  const SixFit six = fit_six(samples, to_string(first.between));
  Costs lines = costs_of(six);
  model.costs.S = without_negative_times(std::move(lines.S), "S", model.flags);
  model.costs.R = without_negative_times(std::move(lines.R), "R", model.flags);
  model.costs.E = without_negative_times(std::move(lines.E), "E", model.flags);
  nlohmann::json shown = all_six_lines(samples, to_string(first.between), six);
  shown["environment"] = std::move(environment);
  model.flags.insert(model.flags.end(), six.flags.begin(), six.flags.end());
  shown["observations"] = fit_observations(samples, model, model.flags);
  shown["collectives"] = fit_collectives(samples, model.flags);
  model.alpha_cycles = first.latency_s * model.clock_hz;
  shown["closed_loop"] = close_loop(samples, model, model.flags);
  keep_shown(model, shown);
  model.beta_cycles_per_byte = first.one_way.segments.back().seconds_per_byte * model.clock_hz;
  return model;
}

}  // namespace ww::measure
