#include "simulate/arbitration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "simulate/events/engine.hpp"
#include "simulate/networks/registry.hpp"

namespace ww {

const char* to_string(Arbitration rule) {
  switch (rule) {
    case Arbitration::first_come:
      return "first_come";
    case Arbitration::higher_rank:
      return "higher_rank";
    case Arbitration::turns:
      return "turns";
    case Arbitration::shares:
      break;
  }
  return "shares";
}

double ArbitrationSpread::low_s(double predicted_s) const {
  for (const Other& other : others) predicted_s = std::min(predicted_s, other.predicted_s);
  return predicted_s;
}

double ArbitrationSpread::high_s(double predicted_s) const {
  for (const Other& other : others) predicted_s = std::max(predicted_s, other.predicted_s);
  return predicted_s;
}

namespace simulate {
namespace {

const char* phrase(Arbitration rule) {
  switch (rule) {
    case Arbitration::first_come:
      return "first come first served";
    case Arbitration::higher_rank:
      return "ties to the higher rank";
    case Arbitration::turns:
      return "pairs of ranks in turn";
    case Arbitration::shares:
      break;
  }
  return "pairs of ranks by bytes";
}

bool crosses_hosts(const Program& program, const Costs& costs) {
  for (std::uint32_t message = 0; message < program.messages.size(); ++message)
    if (costs.of(message).ports) return true;
  return false;
}

}  // namespace

Result<ArbitrationSpread> spread_of_arbitration(const Program& program, const Costs& costs,
                                                const SimulateOptions& options) {
  ArbitrationSpread out;
  if (!crosses_hosts(program, costs)) return out;
  if (options.network && is_random(*options.network)) return out;
  for (const Arbitration rule : {Arbitration::higher_rank, Arbitration::turns, Arbitration::shares}) {
    // What waits in other networks than the ports is theirs; ties are everybody's.
    if (options.network && rule != Arbitration::higher_rank) continue;
    SimulateOptions other = options;
    other.arbitration = rule;
    WW_TRY(const Simulated simulated, play(program, costs, other));
    out.others.push_back({rule, simulated.elapsed_s});
  }
  return out;
}

nlohmann::json arbitration_json(const ArbitrationSpread& spread, double predicted_s) {
  nlohmann::json others = nlohmann::json::object();
  for (const ArbitrationSpread::Other& other : spread.others)
    others[to_string(other.rule)] = other.predicted_s;
  return {{"rule", to_string(Arbitration::first_come)},
          {"low_s", spread.low_s(predicted_s)},
          {"high_s", spread.high_s(predicted_s)},
          {"others", std::move(others)}};
}

std::string in_words(const ArbitrationSpread& spread, double predicted_s) {
  std::string rules;
  for (const ArbitrationSpread::Other& other : spread.others)
    rules += fmt::format("{}{}", rules.empty() ? "" : ", ", phrase(other.rule));
  return fmt::format(
      "of what could come next at the same time, what has waited longest does, then the lower rank; the "
      "interval holds what {} give{} ({}): {} to {}",
      spread.others.size() == 1 ? "another rule" : "other rules", spread.others.size() == 1 ? "s" : "", rules,
      show_time(spread.low_s(predicted_s)), show_time(spread.high_s(predicted_s)));
}

}  // namespace simulate
}  // namespace ww
