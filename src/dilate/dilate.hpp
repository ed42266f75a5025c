// Runs the user's program as if it already had the other network (S3, Antonishek & Snelick 1990): computation
// between communication calls is stretched by D, every time measured is divided by D, waiting is never
// stretched. What must not become faster with the rest (fixed latency, software) is injected, so that
// bandwidth and latency vary independently.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "dilate/normalise.hpp"
#include "dilate/signature.hpp"
#include "lab/name.hpp"
#include "launch/launch.hpp"
#include "machine/what_if.hpp"

namespace ww {

// What of the time between two calls is stretched (interpose/core/stretch.hpp). automatic: by the wall clock,
// but by processor time where a machine has more ranks than cores.
enum class MeterChoice : std::uint8_t { automatic, wall, cpu };
// When the message library gets on with open operations while computation is stretched: inside calls only, as
// on most machines; also in between, as where it has a thread or a card for that; both, compared; automatic:
// both if the program has operations open while it computes.
enum class ProgressChoice : std::uint8_t { calls, probes, both, automatic };

struct DilateOptions {
  std::vector<double> factors;     // D >= 1, each once
  bool factor_was_chosen = false;  // by least_factor: said with the assumptions
  // Then `machine` is needed and injection makes up the difference to plain D. Its network is taken from the
  // first run where it is not said.
  std::optional<WhatIf> what_if;
  const MachineModel* machine = nullptr;
  MeterChoice meter = MeterChoice::automatic;
  ProgressChoice progress = ProgressChoice::calls;
  // Without a what-if and with a machine, the software of messages counts as computation (S3, section 2) and
  // is stretched too, by its measured costs; or left alone.
  bool leave_software = false;
  double extra_software_s =
      0;  // of a message between hosts, beside the model's, as found on the machine: it must not become faster either
  double kept_share = 1;  // see SoftwareTold (told_costs.hpp)
  int repeat = 1;         // runs of each D, interleaved
  int first_run = 1;      // number of the first of them, in the traces' names
  std::optional<lab::LabName> lab;
  std::filesystem::path directory;  // holds the runs' traces: D4-1.ww, and what the program printed, whose
                                    // times are those of the other network: D4-1.out
};

struct DilatedRun {
  double factor = 1;        // D
  bool probes = false;      // progress was made while computation was stretched
  double elapsed_s = 0;     // real
  double normalised_s = 0;  // elapsed / D, or by the D in force where the program set others
  int round = 1;
  std::vector<RankComponents> ranks;
  std::filesystem::path trace;
  std::vector<TimeAtFactor> set_by_program = {};
};

// What progress during computation would change: runs with it over those without, as a speed-up is taken from
// the rounds (curve.hpp), with its 95% interval.
struct ProgressEffect {
  double factor = 1, value = 1, low = 1, high = 1;
};

// How late the ends of stretches were, of the worst rank of all runs: the error of one stretch.
struct SpinError {
  double median_s = 0, p99_s = 0;
  std::uint64_t stretches = 0;
  void take(const SpinError& other);
};

struct Dilation {
  std::vector<DilatedRun> runs;
  Signature signature;                   // of the runs that count
  std::vector<SpeedUp> speedup;          // the signature's
  bool probes = false;                   // what counts below are the runs with probes
  std::string meter;                     // "wall" or "cpu"
  bool threads_call_at_once = false;     // of a rank, in some run
  std::vector<ProgressEffect> progress;  // if both ways were run
  SpinError spin_error;
  std::vector<std::string> assumptions;
  // What simulation says of the run at D = 1 (study/witness.hpp), where it could be asked.
  std::optional<Signature> simulated;
  std::string simulated_from;  // of which trace; or why it was not asked
  Diagnostics diagnostics;

  std::vector<double> normalised(double factor) const;  // of all runs at that D that count
};

// Errors: what record() says; D below 1; a what-if that needs a larger D, naming the least; one that cannot
// be dilated; threads that call MPI at once and let each other go on where it is not seen.
Result<Dilation> dilate(const Launch& launch, const DilateOptions& options);

// (D, D x L) must equal (1, L): with everything held back that dilation makes faster (the what-if that
// changes nothing), each normalised time is the undilated one but for the method's error.
struct SelfTest {
  double factor = 1;
  double error = 0, low = 0,
         high = 0;  // normalised / undilated - 1, of medians; range over the repeated runs
};
// Of a dilation with D = 1 among its factors, for each of the others. Adds the diagnostic self-test-off where
// an error is beyond 5% whatever the runs.
std::vector<SelfTest> self_test(Dilation& dilation);
nlohmann::json to_json(const std::vector<SelfTest>& tests);

// The least D at which the what-if can be emulated on that machine: the largest of the ratios by which
// something becomes faster. 1 if nothing does.
double least_factor(const WhatIf& what_if, const MachineModel& machine);
// Error: at D a message cannot be as fast as the what-if has it, by more than a model's error; names the
// least D.
Result<void> is_large_enough(double factor, const WhatIf& what_if, const MachineModel& machine);

}  // namespace ww
