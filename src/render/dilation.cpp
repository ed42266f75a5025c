#include "render/dilation.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/signature_text.hpp"
#include "render/table.hpp"

namespace ww {

std::string show(const Dilation& dilation, const std::vector<SelfTest>* tests, bool every_rank) {
  std::string text = signature_table(dilation.signature, every_rank);
  for (const ProgressEffect& effect : dilation.progress)
    text += fmt::format("progress while computing would make that {} [{}, {}] at D = {:g}\n",
                        signed_percent(effect.value - 1), signed_percent(effect.low - 1),
                        signed_percent(effect.high - 1), effect.factor);
  if (tests == nullptr) return text + conclusions(dilation.signature);
  for (const SelfTest& test : *tests)
    text += fmt::format(
        "self-test at D = {:g}: with everything held back {} [{}, {}] of the undilated time\n", test.factor,
        signed_percent(test.error), signed_percent(test.low), signed_percent(test.high));
  return text;
}

std::string show_conditions(const Dilation& dilation, const std::string& printed) {
  std::string text;
  for (const std::string& assumption : dilation.assumptions) text += "assumed: " + assumption + "\n";
  text += "what the program printed, in the time of the network that it ran on: " + printed + "\n";
  if (const SpinError& error = dilation.spin_error; error.stretches > 0)
    text += fmt::format("computation stretched {} times, each to within {} at the median, {} for 99%\n",
                        error.stretches, show_time(error.median_s), show_time(error.p99_s));
  return text;
}

std::string show(const VirtualRun& run, const std::string& printed) {
  std::string text = fmt::format("virtual time {} [{}, {}] of {}\n", show_time(run.s), show_time(run.low_s),
                                 show_time(run.high_s), counted(run.runs_s.size(), "run"));
  if (run.replayed_s)
    text += fmt::format("simulation of the run in the middle ({}): {}\n", show_time(run.checked_s),
                        show_time(*run.replayed_s));
  const Components mean = mean_of(run.ranks);
  text += fmt::format("mean of the ranks: user {}, library {}, receive wait {}, send {}\n",
                      show_time(mean.user_s), show_time(mean.communication_s), show_time(mean.receive_wait_s),
                      show_time(mean.send_s));
  for (const std::string& assumption : run.assumptions) text += "assumes: " + assumption + "\n";
  return text + "what the program printed, in virtual time: " + printed + "\n";
}

nlohmann::json to_json(const Dilation& dilation) {
  nlohmann::json json = to_json(dilation.signature);
  json["runs"] = nlohmann::json::array();
  for (const DilatedRun& run : dilation.runs) {
    json["runs"].push_back({{"D", run.factor},
                            {"progress", run.probes ? "probes" : "calls"},
                            {"round", run.round},
                            {"elapsed_s", run.elapsed_s},
                            {"normalised_s", run.normalised_s},
                            {"components", to_json(mean_of(run.ranks))},
                            {"ranks", to_json(run.ranks)}});
    for (const TimeAtFactor& time : run.set_by_program)
      json["runs"].back()["set_by_program"].push_back({{"D", time.factor}, {"elapsed_s", time.elapsed_s}});
  }
  json["meter"] = dilation.meter;
  json["assumptions"] = dilation.assumptions;
  json["progress"] = nlohmann::json::array();
  for (const ProgressEffect& p : dilation.progress)
    json["progress"].push_back(
        {{"D", p.factor}, {"probes_over_calls", p.value}, {"low", p.low}, {"high", p.high}});
  json["spin_error"] = {{"median_s", dilation.spin_error.median_s},
                        {"p99_s", dilation.spin_error.p99_s},
                        {"stretches", dilation.spin_error.stretches}};
  if (dilation.simulated) {
    const nlohmann::json of_simulation = to_json(*dilation.simulated);
    json["simulated"] = {{"trace", dilation.simulated_from}};
    for (const char* key : {"speedup", "verdict", "because", "verdict_withheld"})
      json["simulated"][key] = of_simulation[key];
  }
  json["diagnostics"] = dilation.diagnostics;
  return json;
}

}  // namespace ww
