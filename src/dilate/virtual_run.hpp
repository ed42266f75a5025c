// Runs the program in virtual time (interpose/core/virtual_clock.hpp): at full speed on whatever cores there
// are, as many ranks as the program has on however few, with clocks that say how long it takes on the machine
// of the model, or on what a what-if makes of it.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "dilate/components.hpp"
#include "lab/name.hpp"
#include "launch/launch.hpp"
#include "machine/what_if.hpp"

namespace ww {

struct VirtualOptions {
  const MachineModel* machine = nullptr;  // needed
  std::optional<WhatIf> what_if;
  double extra_software_s = 0;  // of a message between hosts, beside the model's, as found on the machine
  double kept_share = 1;        // see SoftwareTold (told_costs.hpp)
  int ranks_per_host = 0;       // in the order of the ranks; 0: the hosts are those that the ranks run on
  int repeat = 3;
  int first_run = 1;  // number of the first of them, in the traces' names
  std::optional<lab::LabName> lab;
  std::filesystem::path directory;  // holds the runs' traces, whose times are virtual: virtual-1.ww, and
                                    // what the program printed: virtual-1.out
};

struct VirtualRun {
  std::vector<double> runs_s;  // virtual time of the slowest rank, of each run
  // Their median; the range of the runs, and what short computation between tests may add.
  double s = 0, low_s = 0, high_s = 0;
  double polled_s = 0;  // of the rank that has most: processor time between tests that found nothing
  int ranks_per_host = 0;
  std::vector<RankComponents> ranks;  // of the run in the middle
  // That run's trace and time, and what it ran on; for study/virtual_check.hpp, which sets replayed_s.
  std::filesystem::path trace;
  double checked_s = 0, extra_software_s = 0;
  MachineModel machine;
  std::optional<double> replayed_s;
  std::vector<std::string> assumptions;
  Diagnostics diagnostics;
};

// Errors: what record() says; what has no virtual time, with the reason (several machines,
// MPI_THREAD_MULTIPLE, one-sided communication, a link that the model does not have); what-ifs of the
// network's shape or of single ranks and regions.
Result<VirtualRun> run_virtual(const Launch& launch, const VirtualOptions& options);
nlohmann::json to_json(const VirtualRun& run);  // "virtual" of `dilate --json`

}  // namespace ww
