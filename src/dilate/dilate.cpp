#include "dilate/dilate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/breakdown.hpp"
#include "interpose/core/environment.hpp"
#include "record/record.hpp"
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

// The trace's parts, with the software that was kept from becoming faster told apart from waiting.
std::vector<RankComponents> parts_of(const Trace& trace, const DilateOptions& options, double factor) {
  if (options.machine == nullptr || !options.what_if)
    return components_of(trace, break_down(trace, options.machine), factor);
  const MachineModel model =
      with_kept_software(*options.machine, std::max(1.0, factor * options.what_if->software));
  return components_of(trace, break_down(trace, &model), factor);
}

void conclude(Dilation& dilation) {
  std::vector<SignedRun> runs;
  for (const DilatedRun& run : dilation.runs)
    runs.push_back({run.factor, run.round, run.normalised_s, run.ranks});
  dilation.signature = signature_of(runs);
  dilation.speedup = dilation.signature.speedup;
  dilation.verdict = dilation.signature.verdict.verdict;
  dilation.because = dilation.signature.verdict.because;
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
      dilation.runs.push_back(
          {factor, trace.elapsed_s(), trace.elapsed_s() / factor, run, parts_of(trace, options, factor)});
      dilation.diagnostics.merge(trace.diagnostics);
    }
  conclude(dilation);
  return dilation;
}

nlohmann::json to_json(const Dilation& dilation) {
  nlohmann::json json = to_json(dilation.signature);
  json["runs"] = nlohmann::json::array();
  for (const DilatedRun& run : dilation.runs)
    json["runs"].push_back({{"D", run.factor},
                            {"round", run.round},
                            {"elapsed_s", run.elapsed_s},
                            {"normalised_s", run.normalised_s},
                            {"components", to_json(mean_of(run.ranks))},
                            {"ranks", to_json(run.ranks)}});
  json["diagnostics"] = dilation.diagnostics;
  return json;
}

}  // namespace ww
