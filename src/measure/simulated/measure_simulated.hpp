// Measures a simulated machine as if it were a real one: the same kinds of records, the same solver, a model
// and its samples beside it. What comes out must be what the machine was made of: the closed loop of S1.
#pragma once
#include <filesystem>

#include "machine/model.hpp"
#include "measure/measure.hpp"
#include "measure/samples.hpp"

namespace ww::measure {

// The experiments on a hypercube of nodes that cost what `machine` says. Errors: a machine without all six
// terms, or whose memory cannot serve the streams (simulated_interference.hpp).
Result<Samples> simulate_experiments(const MachineModel& machine);

// The model that such samples give. Of the machine that was simulated, which they name, it takes only what no
// experiment finds: how many nodes there are, and the contention model. `samples_file` is stored in the
// model.
Result<MachineModel> fit_simulated(const Samples& samples, const std::string& samples_file);

// Both, and writes the model to `output` and the samples beside it.
Result<MachineModel> measure_simulated(const MachineModel& machine, const std::filesystem::path& output,
                                       const Say& say = {});

}  // namespace ww::measure
