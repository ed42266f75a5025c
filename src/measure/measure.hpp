// Measures the machine that a launch prefix reaches: starts the experiments there, keeps their raw samples,
// fits the model. Read next: samples.hpp (what the experiments leave), fit.hpp (how it becomes a model),
// program/experiment.hpp (the experiments).
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/name.hpp"
#include "library/libraries.hpp"
#include "machine/model.hpp"

namespace ww::measure {

// For the user, a line of its own.
using Say = std::function<void(const std::string&)>;

// When the ping-pong has seen enough of a size. median: its interval by order statistics is narrow, in many visits.
// mean: S2's rule (Ross, listing tcts): 1.96 s / sqrt(k) of k rounds within 5% of their mean, 3 to 20 rounds, each of
// many round trips timed together, the fewer the larger the message.
enum class StopAt : std::uint8_t { median, mean };

struct MeasureOptions {
  // What the user puts before a program: "mpirun -n 2"; nothing where programs of the library start themselves.
  std::vector<std::string> prefix;
  // The whole launch line of a program of ours, where it is not the prefix with that program behind it
  // (several programs in one line); may be empty.
  std::function<std::vector<std::string>(const std::vector<std::string>& program)> line;
  const Library* library = nullptr;  // of the programs to be predicted; nullptr: that of the launcher
  // Changes the whole launch line before it is run (the lab puts the ranks on its hosts); may be empty.
  std::function<Result<std::vector<std::string>>(std::vector<std::string>)> place;
  double budget_s = 45;  // of all launches together
  bool quick = false;    // only what the model's links and costs need
  StopAt stop = StopAt::median;
  bool direct_route = false;  // of PVM: from task to task (PvmRouteDirect), and not by way of their daemons
  std::int64_t largest_bytes = 4194304;
  std::filesystem::path output;  // of the model; the samples go beside it
  bool show_progress = false;
  Say say = {};                                           // what became of an earlier model there
  nlohmann::json environment = nlohmann::json::object();  // what else is to be kept with the samples
  std::function<void(nlohmann::json& environment)>
      finish;  // adds what is known after all launches; may be empty
};

// Puts the ranks of the experiments on the hosts of this lab. Error: no such lab.
Result<void> place_on_lab(MeasureOptions& options, const lab::LabName& lab);

// What is there keeps a name when another is written (base/kept_file.hpp).
Result<void> keep_previous_samples(const std::filesystem::path& file, const Say& say);
Result<void> keep_previous_model(const std::filesystem::path& file, const Say& say);

// The model is written to `output`, the samples beside it (x.json: x.samples.json). Errors: the prefix does
// not start our program, one rank only, the run broke off (what was measured is kept, and the error says
// where), a budget too small.
Result<MachineModel> measure(const MeasureOptions& options);

}  // namespace ww::measure
