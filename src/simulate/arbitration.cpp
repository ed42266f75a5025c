#include "simulate/arbitration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "machine/model.hpp"
#include "simulate/costs.hpp"
#include "simulate/networks/registry.hpp"
#include "simulate/program.hpp"
#include "simulate/simulate.hpp"

namespace ww {

const char* to_string(Arbitration rule) {
  switch (rule) {
    case Arbitration::first_come:
      return "first_come";
    case Arbitration::higher_rank:
      return "higher_rank";
    case Arbitration::turns:
      return "turns";
    case Arbitration::as_written:
      return "as_written";
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
    case Arbitration::as_written:
      return "all frames as they were written";
    case Arbitration::shares:
      break;
  }
  return "pairs of ranks by bytes";
}

bool crosses_hosts(const Program& program) {
  const auto host = [&](std::int32_t rank) { return program.ranks[static_cast<std::size_t>(rank)].host; };
  return program.hosts.size() > 1 &&
         std::any_of(program.messages.begin(), program.messages.end(),
                     [&](const ProgramMessage& m) { return host(m.source) != host(m.destination); });
}

}  // namespace

std::vector<Arbitration> other_rules(const Program& program, const MachineModel& model,
                                     const SimulateOptions& options) {
  if (!crosses_hosts(program) || (options.network && is_random(*options.network))) return {};
  // What waits in other networks than the ports is theirs; ties are everybody's.
  if (options.network) return {Arbitration::higher_rank};
  const Link* link = model.link(Place::inter);
  return {Arbitration::higher_rank, Arbitration::turns,
          link && frames_known(*link) ? Arbitration::as_written : Arbitration::shares};
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
