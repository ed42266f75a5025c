#include "study/witness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "render/signature_text.hpp"
#include "simulate/program.hpp"
#include "study/simulated_signature.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

constexpr double apart = 0.10;  // of speed-ups that differ

const SpeedUp* at_largest(const Signature& signature) {
  const auto last = std::max_element(signature.speedup.begin(), signature.speedup.end(),
                                     [](const SpeedUp& a, const SpeedUp& b) { return a.factor < b.factor; });
  return last == signature.speedup.end() || last->factor <= 1 ? nullptr : &*last;
}

// Of the undilated runs that count the one in the middle.
const DilatedRun* middle_run(const Dilation& dilation) {
  std::vector<const DilatedRun*> runs;
  for (const DilatedRun& run : dilation.runs)
    if (run.factor == 1 && run.probes == dilation.probes) runs.push_back(&run);
  if (runs.empty()) return nullptr;
  std::sort(runs.begin(), runs.end(),
            [](const DilatedRun* a, const DilatedRun* b) { return a->normalised_s < b->normalised_s; });
  return runs[(runs.size() - 1) / 2];
}

Result<Signature> by_simulation(const DilatedRun& run, const MachineModel& machine,
                                const std::set<double>& factors) {
  WW_TRY(const Trace trace, load_trace(run.trace));
  WW_TRY(const simulate::Program program, simulate::compile(trace));
  WW_TRY(const SimulatedSignature found,
         simulated_signature(Replayable{program, &trace}, machine, {}, {factors.begin(), factors.end()}, {}));
  return found.signature;
}

std::string said_by(const Signature& signature) {
  const SpeedUp* last = at_largest(signature);
  const std::string verdict =
      signature.verdict.verdict.empty() ? std::string("no verdict") : signature.verdict.verdict;
  if (last == nullptr || !signature.withheld.empty()) return verdict;
  return fmt::format("{}, a speed-up of {:.2f} at D = {:g}", verdict, last->value, last->factor);
}

}  // namespace

std::string disagreement(const Signature& dilated, const Signature& simulated) {
  const SpeedUp *one = at_largest(dilated), *other = at_largest(simulated);
  if (one == nullptr || other == nullptr || !simulated.withheld.empty()) return {};
  const bool other_verdict = dilated.verdict.verdict != simulated.verdict.verdict &&
                             !dilated.verdict.verdict.empty() && !simulated.verdict.verdict.empty();
  const double ratio = std::max(one->value, other->value) / std::min(one->value, other->value);
  const bool other_value = ratio > 1 + apart && (other->value < one->low || other->value > one->high);
  if (!other_verdict && !other_value) return {};
  return fmt::format("dilation says {}, simulation of its run at D = 1 {}", said_by(dilated),
                     said_by(simulated));
}

std::string second_witness(const Dilation& dilation) {
  if (!dilation.simulated) return {};
  const Signature& simulated = *dilation.simulated;
  std::string text = "simulation of the run at D = 1: " + said_by(simulated);
  if (const std::string why = why_withheld(simulated); !why.empty()) text += " (" + why + ")";
  return text + (disagreement(dilation.signature, simulated).empty() ? "" : "; the two do not agree");
}

void ask_simulation(Dilation& dilation, const MachineModel& machine) {
  const DilatedRun* run = middle_run(dilation);
  std::set<double> factors;
  for (const DilatedRun& one : dilation.runs) factors.insert(one.factor);
  if (run == nullptr || run->trace.empty() || factors.size() < 2) return;
  dilation.simulated_from = run->trace.string();
  auto simulated = by_simulation(*run, machine, factors);
  if (!simulated) {
    dilation.diagnostics.add("witness-missing",
                             "the run at D = 1 could not be simulated: " + to_string(simulated.error()));
    return;
  }
  dilation.simulated = std::move(*simulated);
  if (const std::string differ = disagreement(dilation.signature, *dilation.simulated); !differ.empty())
    dilation.diagnostics.add(
        "witnesses-disagree",
        differ +
            ": trust neither before both are repeated on a quiet machine; computation that took longer in "
            "one "
            "of the runs counts as a gain of dilation, and a model of another machine misleads simulation");
}

}  // namespace ww
