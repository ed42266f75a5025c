#include "dilate/dilate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyze/breakdown.hpp"
#include "interpose/core/environment.hpp"
#include "record/record.hpp"
#include "stats/stats.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

Result<Variables> variables_for(double factor, const DilateOptions& options) {
  Variables variables{{environment::dilation, fmt::format("{:.9g}", factor)}};
  if (!options.what_if) return variables;
  WW_INVARIANT(options.machine != nullptr);
  const MachineModel target = apply(*options.machine, *options.what_if);
  WW_TRY(const std::string inter,
         injection(*options.machine, target, Place::inter, factor, options.extra_software_s));
  WW_TRY(const std::string intra, injection(*options.machine, target, Place::intra, factor, 0));
  if (!inter.empty()) variables.emplace_back(environment::inject_inter, inter);
  if (!intra.empty()) variables.emplace_back(environment::inject_intra, intra);
  return variables;
}

Result<Trace> run_dilated(const Launch& launch, const DilateOptions& options, double factor, int run) {
  RecordOptions how;
  how.directory = options.directory / fmt::format("D{:g}-{}.ww", factor, run);
  how.lab = options.lab;
  WW_TRY(how.environment, variables_for(factor, options));
  how.output = Command::Output::discard;
  WW_TRY(const Recorded recorded, record(launch, how));
  if (recorded.exit_code != 0)
    return fail(fmt::format("the program failed at D = {:g} with exit code {}", factor, recorded.exit_code),
                recorded.directory.string(), "does it depend on real time?");
  return load_trace(recorded.directory);
}

bool is_send(const std::string& call) {
  static const std::set<std::string> names{"MPI_Send",  "MPI_Bsend",  "MPI_Ssend",  "MPI_Rsend",
                                           "MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend"};
  return names.count(call) > 0;
}

Components components_of(const Breakdown& breakdown, double factor) {
  Components mean;
  const auto ranks = static_cast<double>(std::max<std::size_t>(breakdown.ranks.size(), 1));
  double library_s = 0, blocked_s = 0;
  for (const RankBreakdown& rank : breakdown.ranks) {
    mean.user_s += rank.compute_s;
    library_s += rank.library_s;
    blocked_s += rank.blocked_s;
  }
  double send_s = 0, send_blocked_s = 0;
  for (const auto& [name, total] : breakdown.calls)
    if (is_send(name)) {
      send_s += total.time_s;
      send_blocked_s += total.blocked_s;
    }
  mean.send_s = send_s;
  mean.receive_wait_s = blocked_s - send_blocked_s;
  mean.communication_s = library_s - (send_s - send_blocked_s);
  for (double* part : {&mean.user_s, &mean.send_s, &mean.receive_wait_s, &mean.communication_s})
    *part = std::max(0.0, *part) / ranks / factor;
  return mean;
}

}  // namespace

std::vector<double> Dilation::normalised(double factor) const {
  std::vector<double> values;
  for (const DilatedRun& run : runs)
    if (run.factor == factor) values.push_back(run.normalised_s);
  return values;
}

Result<Dilation> dilate(const Launch& launch, const DilateOptions& given) {
  WW_INVARIANT(!given.factors.empty());
  DilateOptions options = given;
  Dilation dilation;
  double algorithmic_share = 0, communication_share = 0;
  int undilated_runs = 0;
  for (double factor : options.factors)
    if (!(factor >= 1))
      return wrong_usage(fmt::format("D = {:g} is below 1", factor), "-D",
                         "computation can be stretched, not shortened");
  if (options.what_if && options.what_if->topology)
    return wrong_usage("another network cannot be dilated", options.what_if->spec,
                       "simulate it: whatwire simulate --network " + options.what_if->topology->text);
  if (options.what_if && (!options.what_if->keeps_computation() || options.what_if->machine))
    return wrong_usage(
        options.what_if->machine ? "another machine cannot be dilated" : "a compute factor cannot be dilated",
        options.what_if->spec, "simulate it: whatwire simulate");
  for (int run = options.first_run; run < options.first_run + options.repeat; ++run)
    for (double factor : options.factors) {
      WW_TRY(Trace trace, run_dilated(launch, options, factor, run));
      // Only a run shows whether the ranks share a host, and so which link the what-if means.
      if (options.what_if && options.what_if->network_of(*options.machine) != trace.network()) {
        options.what_if->network = trace.network();
        WW_TRY(trace, run_dilated(launch, options, factor, run));
      }
      const Breakdown breakdown = break_down(trace, options.machine);
      dilation.runs.push_back(
          {factor, trace.elapsed_s(), trace.elapsed_s() / factor, components_of(breakdown, factor)});
      dilation.diagnostics.merge(trace.diagnostics);
      if (factor == 1) {
        double total_s = 0, waiting_s = 0, algorithmic_s = 0;
        for (const RankBreakdown& rank : breakdown.ranks) {
          total_s += rank.elapsed_s;
          waiting_s += rank.library_s + rank.blocked_s;
          algorithmic_s += rank.blocked_algorithmic_s;
        }
        if (total_s > 0) {
          communication_share += waiting_s / total_s;
          algorithmic_share += algorithmic_s / total_s;
          ++undilated_runs;
        }
      }
    }
  const std::vector<double> undilated = dilation.normalised(1);
  if (undilated.empty()) return dilation;
  const double base_s = stats::median(undilated);
  for (double factor : options.factors) {
    const std::vector<double> times = dilation.normalised(factor);
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    const auto [base_least, base_most] = std::minmax_element(undilated.begin(), undilated.end());
    dilation.speedup.push_back(
        {factor, base_s / stats::median(times), *base_least / *most, *base_most / *least});
  }
  if (undilated_runs > 0) {
    const Verdict verdict =
        judge(communication_share / undilated_runs, algorithmic_share / undilated_runs, dilation.speedup);
    dilation.verdict = verdict.verdict;
    dilation.because = verdict.because;
  }
  return dilation;
}

nlohmann::json to_json(const Dilation& dilation) {
  nlohmann::json json = {{"runs", nlohmann::json::array()}, {"speedup", nlohmann::json::array()}};
  for (const DilatedRun& run : dilation.runs)
    json["runs"].push_back({{"D", run.factor},
                            {"elapsed_s", run.elapsed_s},
                            {"normalised_s", run.normalised_s},
                            {"components",
                             {{"user_s", run.components.user_s},
                              {"communication_s", run.components.communication_s},
                              {"receive_wait_s", run.components.receive_wait_s},
                              {"send_s", run.components.send_s}}}});
  for (const SpeedUp& s : dilation.speedup)
    json["speedup"].push_back({{"D", s.factor}, {"value", s.value}, {"low", s.low}, {"high", s.high}});
  json["verdict"] = dilation.verdict.empty() ? nlohmann::json() : nlohmann::json(dilation.verdict);
  json["because"] = dilation.because;
  json["diagnostics"] = dilation.diagnostics;
  return json;
}

}  // namespace ww
