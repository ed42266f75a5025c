#include "measure/fit_six.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "measure/fit.hpp"

namespace ww::measure {
namespace {

constexpr int resamples = 400;
constexpr double clock_s = 1e-9;  // no clock tells less

// What was measured at one size. Experiment 1 by hops.
struct AtSize {
  std::map<int, std::vector<double>> echo;
  std::map<int, std::vector<double>> experiment;  // 2 to 6
  std::vector<double> send, accept;               // the "cost" records F and A
};

// The same, each by one number.
struct Typical {
  std::map<int, double> echo, experiment;
  std::optional<double> send, accept;
  std::optional<double> of(int number) const {
    const auto found = experiment.find(number);
    return found == experiment.end() ? std::nullopt : std::optional(found->second);
  }
};

struct Solved {
  std::array<std::optional<double>, 6> term;  // in the order of six_terms
};
enum Term { F, S, R, A, U, E };

template <class Summary>
Typical typical_of(const AtSize& at, const Summary& summary) {
  Typical out;
  for (const auto& [hops, seconds] : at.echo) out.echo[hops] = summary(seconds);
  for (const auto& [number, seconds] : at.experiment) out.experiment[number] = summary(seconds);
  if (!at.send.empty()) out.send = summary(at.send);
  if (!at.accept.empty()) out.accept = summary(at.accept);
  return out;
}

// By least squares. The mean of the differences between neighbouring distances, which S1 takes, leaves
// nothing of the distances between the first and the last.
std::optional<double> wire_time(const std::map<int, double>& echo) {
  if (echo.size() < 2) return {};
  std::vector<stats::Point> points;
  for (const auto& [hops, seconds] : echo) points.push_back({static_cast<double>(hops), seconds});
  return stats::fit_line(points).slope / 2;
}

std::optional<double> minus(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a - *b) : std::nullopt;
}

Solved solve(const Typical& seen) {
  Solved out;
  auto& t = out.term;
  t[E] = wire_time(seen.echo);
  t[R] = seen.of(2);
  t[S] = minus(seen.of(5), t[R]);
  t[F] = minus(seen.of(4), t[S]);
  if (seen.send) {
    t[F] = seen.send;
    const auto left = minus(seen.of(4), t[F]);
    t[S] = t[S] && left ? std::optional((*t[S] + *left) / 2) : t[S] ? t[S] : left;
  }

  // half an echo with a neighbour, F + E + U; where (1) gives no E of its own, it says the same as (6)
  std::optional<double> one_way;
  if (const auto posted = seen.of(6)) one_way = *posted / 2;
  if (const auto neighbour = seen.echo.find(1); neighbour != seen.echo.end()) {
    if (!one_way)
      one_way = neighbour->second / 2;
    else if (!t[E])
      one_way = (*one_way + neighbour->second / 2) / 2;
  }

  t[U] = minus(minus(one_way, t[E]), t[F]);
  if (!t[U] && seen.accept) t[U] = minus(seen.of(3), seen.accept);
  t[A] = minus(seen.of(3), t[U]);
  if (!t[A]) t[A] = seen.accept;
  if (!t[E]) t[E] = minus(minus(one_way, t[F]), t[U]);
  return out;
}

std::size_t fewest_samples(const AtSize& at) {
  std::size_t fewest = 0;
  const auto see = [&](const std::vector<double>& seconds) {
    if (!seconds.empty()) fewest = fewest == 0 ? seconds.size() : std::min(fewest, seconds.size());
  };
  for (const auto& [hops, seconds] : at.echo) see(seconds);
  for (const auto& [number, seconds] : at.experiment) see(seconds);
  see(at.send);
  see(at.accept);
  return fewest;
}

AtSize part_of(const AtSize& at, std::size_t trial) {
  const auto part = [trial](const std::vector<double>& seconds) {
    const std::size_t n = seconds.size();
    return std::vector<double>(seconds.begin() + static_cast<std::ptrdiff_t>(trial * n / six_trials),
                               seconds.begin() + static_cast<std::ptrdiff_t>((trial + 1) * n / six_trials));
  };
  AtSize out;
  for (const auto& [hops, seconds] : at.echo) out.echo[hops] = part(seconds);
  for (const auto& [number, seconds] : at.experiment) out.experiment[number] = part(seconds);
  out.send = part(at.send);
  out.accept = part(at.accept);
  return out;
}

// The last points of the terms, which were solved at this size.
void take_trials(const AtSize& at, const Solved& solved, SixFit& fit) {
  if (fewest_samples(at) < six_trials) return;
  const auto terms = six_terms(fit);
  std::array<std::vector<double>, 6> found;
  for (std::size_t trial = 0; trial < six_trials; ++trial) {
    const Solved one = solve(typical_of(part_of(at, trial), stats::median));
    for (std::size_t t = 0; t < terms.size(); ++t)
      if (one.term[t]) found[t].push_back(*one.term[t]);
  }
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (!solved.term[t] || found[t].size() != six_trials) continue;
    SixPoint& point = terms[t].second->points.back();
    double squares = 0;
    for (const double seconds : found[t]) point.mean_s += seconds / static_cast<double>(six_trials);
    for (const double seconds : found[t]) squares += (seconds - point.mean_s) * (seconds - point.mean_s);
    point.deviation_s = std::sqrt(squares / static_cast<double>(six_trials - 1));
    point.trials = static_cast<int>(six_trials);
  }
}

std::map<double, AtSize> over(const Samples& samples, const std::string& between,
                              const std::string& computation) {
  std::map<double, AtSize> sizes;
  for (const auto* record : samples.of_kind("six", between)) {
    if ((*record)["computation"] != computation) continue;
    AtSize& at = sizes[(*record)["bytes"].get<double>()];
    const int number = (*record)["experiment"].get<int>();
    auto& all = number == 1 ? at.echo[(*record)["hops"].get<int>()] : at.experiment[number];
    const auto seconds = (*record)["seconds"].get<std::vector<double>>();
    all.insert(all.end(), seconds.begin(), seconds.end());
  }
  return sizes;
}

std::map<double, AtSize> collect(const Samples& samples, const std::string& between,
                                 const std::string& computation) {
  auto sizes = over(samples, between, computation);
  // Where echoes were not made over a computation, those of processes that wait in the library.
  auto idle = over(samples, between, "none");
  for (auto& [bytes, at] : sizes)
    if (at.echo.empty() && !at.experiment.contains(6)) {
      at.echo = idle[bytes].echo;
      if (const auto& posted = idle[bytes].experiment[6]; !posted.empty()) at.experiment[6] = posted;
    }
  auto send = cost_samples(samples, between, "F"), accept = cost_samples(samples, between, "A"),
       there = cost_samples(samples, between, "A+U");
  for (auto& [bytes, at] : sizes) {
    at.send = std::move(send[bytes]);
    at.accept = std::move(accept[bytes]);
    if (there.contains(bytes)) at.experiment.try_emplace(3, std::move(there[bytes]));
  }
  return sizes;
}

Interval around(const std::vector<double>& replicates, double value) {
  if (replicates.empty()) return {value, value};
  const stats::Range range = stats::percentile_range(replicates);
  return {std::min(range.low, value), std::max(range.high, value)};
}

stats::FittedLine line_through(const std::vector<SixPoint>& points) {
  std::vector<stats::Point> fitted;
  for (const SixPoint& point : points) fitted.push_back({point.bytes, point.typical_s});
  return stats::fit_line(fitted);
}

// replicates: of every point, as many as resamples.
void fit_line(SixTerm& term, const std::vector<std::vector<double>>& replicates) {
  const stats::FittedLine line = line_through(term.points);
  std::vector<double> bases, slopes;
  std::vector<SixPoint> points = term.points;
  for (int round = 0; round < resamples; ++round) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].typical_s = replicates[i][round];
    const stats::FittedLine one = line_through(points);
    bases.push_back(one.base);
    slopes.push_back(one.slope);
  }
  term.line = {term.points.front().bytes, term.points.back().bytes,  line.base, line.slope,
               around(bases, line.base),  around(slopes, line.slope)};
  for (const SixPoint& point : term.points)
    term.max_error_s = std::max(term.max_error_s, std::fabs(line.at(point.bytes) - point.typical_s));
}

void flag_impossible(SixFit& fit, const std::string& between) {
  std::string missing;
  for (const auto& [name, term] : six_terms(fit)) {
    if (!term->has_line()) missing += (missing.empty() ? "" : ", ") + std::string(name);
    for (const SixPoint& point : term->points)
      if (point.interval_s.high < 0)
        fit.flags.push_back(
            fmt::format("{}: {} at {:g} bytes is {:.3g} us, less than nothing beyond its interval", between,
                        name, point.bytes, point.typical_s * 1e6));
    // a flat term may fall by less than its points miss the line
    const double fall_s = -term->line.seconds_per_byte * (term->line.to_bytes - term->line.from_bytes);
    if (term->has_line() && term->line.seconds_per_byte_ci.high < 0 &&
        fall_s > std::max(term->max_error_s, clock_s))
      fit.flags.push_back(fmt::format("{}: {} falls with size, which cannot be", between, name));
  }
  if (!missing.empty())
    fit.flags.push_back(fmt::format("{}: no line of {}: the experiments that it is solved from are missing",
                                    between, missing));
}

}  // namespace

SixFit fit_six(const Samples& samples, const std::string& between, const std::string& computation) {
  SixFit fit;
  if (computation.empty()) {
    fit = fit_six(samples, between, "integer");
    const bool any = !fit.computation.empty();
    return any ? fit : fit_six(samples, between, "floating");
  }
  const auto sizes = collect(samples, between, computation);
  if (sizes.empty()) return fit;
  fit.computation = computation;

  stats::Resampler random(19880201);
  std::array<std::vector<std::vector<double>>, 6> replicates;  // by term, point, round
  const auto terms = six_terms(fit);
  for (const auto& [bytes, at] : sizes) {
    const Solved solved = solve(typical_of(at, stats::median));
    std::array<std::vector<double>, 6> drawn;
    for (int round = 0; round < resamples; ++round) {
      const Solved one = solve(typical_of(
          at, [&](const std::vector<double>& seconds) { return stats::median(random.resample(seconds)); }));
      for (std::size_t t = 0; t < terms.size(); ++t)
        if (one.term[t]) drawn[t].push_back(*one.term[t]);
    }
    for (std::size_t t = 0; t < terms.size(); ++t) {
      if (!solved.term[t]) continue;
      terms[t].second->points.push_back(
          {bytes, *solved.term[t], around(drawn[t], *solved.term[t]), fewest_samples(at)});
      replicates[t].push_back(drawn[t]);
    }
    take_trials(at, solved, fit);
  }
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (terms[t].second->has_line()) fit_line(*terms[t].second, replicates[t]);
  flag_impossible(fit, between);
  return fit;
}

nlohmann::json six_lines(const SixFit& fit) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, term] : six_terms(fit)) {
    if (!term->has_line()) continue;
    nlohmann::json points = nlohmann::json::array();
    for (const SixPoint& point : term->points) {
      points.push_back({{"bytes", point.bytes},
                        {"median_s", point.typical_s},
                        {"low_s", point.interval_s.low},
                        {"high_s", point.interval_s.high},
                        {"samples", point.samples}});
      if (point.trials > 0)
        points.back().update(
            {{"trials", point.trials}, {"mean_s", point.mean_s}, {"deviation_s", point.deviation_s}});
    }
    const Segment& line = term->line;
    out[name] = {{"base_s", line.base_s},
                 {"seconds_per_byte", line.seconds_per_byte},
                 {"base_ci_s", {line.base_ci_s.low, line.base_ci_s.high}},
                 {"seconds_per_byte_ci", {line.seconds_per_byte_ci.low, line.seconds_per_byte_ci.high}},
                 {"max_error_s", term->max_error_s},
                 {"points", std::move(points)}};
  }
  return out;
}

nlohmann::json all_six_lines(const Samples& samples, const std::string& between, const SixFit& fit) {
  nlohmann::json out = {{"six_lines", six_lines(fit)}};
  if (fit.computation != "integer") return out;
  const nlohmann::json floating = six_lines(fit_six(samples, between, "floating")),
                       idle = six_lines(fit_six(samples, between, "none"));
  if (!floating.empty()) out["six_lines_floating"] = floating;
  if (idle.contains("E")) out["six_lines_idle"]["E"] = idle["E"];
  return out;
}

Costs costs_of(const SixFit& fit) {
  Costs costs;
  const std::array curves{&costs.F, &costs.S, &costs.R, &costs.A, &costs.U, &costs.E};
  const auto terms = six_terms(fit);
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (terms[t].second->has_line()) curves[t]->segments = {terms[t].second->line};
  return costs;
}

}  // namespace ww::measure
