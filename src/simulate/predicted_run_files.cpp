#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/json_check.hpp"
#include "base/text.hpp"
#include "simulate/assumptions.hpp"
#include "simulate/placement.hpp"
#include "simulate/predicted_run.hpp"
#include "trace/otf2_write.hpp"
#include "trace/unify.hpp"

namespace ww::simulate {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr const char* model_name = "machine.json";

// Of `predicted` in run.json; events are not named there.
const char* name_of(Evaluator evaluator) {
  return evaluator == Evaluator::windows ? "windows" : evaluator == Evaluator::free ? "free" : "";
}

json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}

// What holds of the predicted run too. What was measured of the recorded one (times, disturbance) does not.
json facts_of(const Trace& recorded, const Prediction& prediction) {
  json run = recorded.run.lasting.empty() ? json::object() : json::parse(recorded.run.lasting);
  run["ranks"] = json::array();
  for (std::size_t rank = 0; rank < recorded.ranks.size(); ++rank)
    run["ranks"].push_back({{"rank", rank}, {"host", recorded.ranks[rank].host}});
  Diagnostics diagnostics = recorded.diagnostics;
  diagnostics.merge(prediction.diagnostics);
  std::uint64_t beside = 0;
  for (const RankOneSided& rank : recorded.one_sided.ranks) beside += rank.transfers.size();
  for (const RankFileIo& rank : recorded.file_io.ranks) beside += rank.operations.size();
  if (beside > 0) diagnostics.add("beside-not-predicted", beside);
  run["diagnostics"] = diagnostics;
  const Conditions& under = *prediction.conditions;
  std::error_code unknown;
  const fs::path of = fs::absolute(recorded.source, unknown);
  run["predicted"] = {{"of", (unknown ? recorded.source : of).string()},
                      {"what_if", prediction.what_if},
                      {"machine_name", under.model.name},
                      {"machine", model_name},
                      {"software_s", under.software_s},
                      {"rules", to_json(under.rules)},
                      {"network", under.network ? json(under.network->text) : json()},
                      {"recorded_s", prediction.recorded_s},
                      {"replayed_s", prediction.replayed_s},
                      {"predicted_s", prediction.predicted_s},
                      {"predicted_low_s", number(prediction.predicted_low_s)},
                      {"predicted_high_s", number(prediction.predicted_high_s)},
                      {"assumptions", prediction.assumptions}};
  if (under.evaluator != Evaluator::events) run["predicted"]["evaluator"] = name_of(under.evaluator);
  return run;
}

}  // namespace

Result<void> write_predicted(const Trace& recorded, const RunNotes& notes, const Prediction& prediction,
                             const fs::path& dir) {
  WW_INVARIANT(prediction.conditions != nullptr);
  WW_CHECK(save_model(prediction.conditions->model, dir / model_name));
  Trace trace = predicted_trace(recorded, notes, prediction.simulated);
  if (const int each = prediction.conditions->ranks_per_host; each > 0)
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
      trace.ranks[rank].host = host_name(static_cast<std::int32_t>(rank) / each);
  WW_CHECK(write_file(dir / "run.json", json_text(facts_of(trace, prediction), 2) + "\n"));
  return otf2::write_archive(trace, dir);
}

Result<std::optional<Conditions>> conditions_of(const fs::path& trace) {
  std::error_code ignored;
  const fs::path dir = fs::is_directory(trace, ignored) ? trace : trace.parent_path();
  const json run = read_run(dir);
  if (!run.is_object() || !run.contains("predicted")) return std::nullopt;
  const json& predicted = run["predicted"];
  using namespace check;
  const Check wanted = object({{"machine", is_string, required},
                               {"software_s", is_number, required},
                               {"rules",
                                object({{"two_way_slows", is_flag, required},
                                        {"replies_wait", is_flag, required},
                                        {"in_turn", is_flag},
                                        {"reads_apart", is_flag}}),
                                required},
                               {"network", or_null(is_string)},
                               {"evaluator", is_string}});
  if (auto fit = wanted(predicted, "predicted"); !fit) {
    fit.error().where = (dir / "run.json").string() + ": " + fit.error().where;
    return tl::unexpected(fit.error());
  }
  Conditions out;
  WW_TRY(out.model, load_model(dir / fs::path(predicted["machine"].get<std::string>()).filename()));
  out.software_s = predicted["software_s"];
  const json& rules = predicted["rules"];
  out.rules = {rules["two_way_slows"], rules["replies_wait"], rules.value("in_turn", false),
               rules.value("reads_apart", false)};
  for (const Evaluator evaluator : {Evaluator::windows, Evaluator::free})
    if (check::text_of(predicted, "evaluator") == name_of(evaluator)) out.evaluator = evaluator;
  if (const std::string network = check::text_of(predicted, "network"); !network.empty()) {
    WW_TRY(out.network, parse_network_spec(network));
  }
  return out;
}

}  // namespace ww::simulate
