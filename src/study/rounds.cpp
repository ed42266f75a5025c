#include "study/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analyze/breakdown.hpp"
#include "base/disturbance.hpp"
#include "base/interruption.hpp"
#include "base/subprocess.hpp"
#include "base/tcp_stalls.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "dilate/dilate.hpp"
#include "dilate/virtual_run.hpp"
#include "lab/lab.hpp"
#include "lab/timeliness.hpp"
#include "measure/measure.hpp"
#include "record/record.hpp"
#include "study/second_recording.hpp"
#include "trace/library_of.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace fs = std::filesystem;
namespace {

// Sets the lab's wire for as long as it lives, then puts it back.
class OtherWire {
 public:
  static Result<OtherWire> set(const lab::LabName& lab, double rate_factor, double more_delay_s) {
    WW_TRY(const lab::SwitchWire before, lab::wire_of(lab));
    lab::WireChange change;
    if (rate_factor != 1) change.rate_bytes_per_s = before.rate_bytes_per_s * rate_factor;
    if (more_delay_s != 0) change.delay_s = before.delay_s + more_delay_s;
    WW_CHECK(lab::set_wire(lab, change));
    return OtherWire(lab, before);
  }
  OtherWire(OtherWire&& other) noexcept
      : lab_(std::exchange(other.lab_, std::nullopt)), before_(other.before_) {}
  OtherWire& operator=(OtherWire&&) = delete;
  ~OtherWire() {
    if (lab_)
      (void)lab::set_wire(*lab_, {.rate_bytes_per_s = before_.rate_bytes_per_s, .delay_s = before_.delay_s});
  }

 private:
  OtherWire(lab::LabName lab, const lab::SwitchWire& before) : lab_(std::move(lab)), before_(before) {}
  std::optional<lab::LabName> lab_;
  lab::SwitchWire before_;
};

// A launch prefix for as many ranks on the same hosts, where the user's own is inside of a script.
std::vector<std::string> launcher_like(const Trace& trace) {
  const Library& library = library_of(trace);
  const auto names = split_words(library.launchers);
  std::string launcher(names.empty() ? "mpirun" : names.front());
  if (!find_program(launcher)) launcher = "mpirun";
  const std::size_t ranks = trace.ranks.size();
  std::vector<std::string> line{launcher, "-n", std::to_string(ranks)};
  std::map<std::string, int> of_host;
  for (const auto& rank : trace.ranks) ++of_host[rank.host];
  if (of_host.size() > 1) {
    std::string hosts;
    for (const auto& [host, count] : of_host)
      hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",", host, count);
    line.insert(line.end(), {library.hosts_option, hosts});
  } else if (*library.crowding_option != '\0' &&
             static_cast<int>(ranks) > trace.run.machine.usable_processors) {
    line.emplace_back(library.crowding_option);
  }
  return line;
}

constexpr double most_rate = 12.5e9;  // bytes a second, of a lab

class Runner {
 public:
  Runner(const Launch& launch, const StudyOptions& options) : launch_(launch), options_(options) {}

  Result<Rounds> run(const std::vector<WhatIf>& what_ifs) {
    out_.what_ifs = what_ifs;
    for (int number = 1; number <= options_.repeat; ++number) {
      const auto done = round(number);
      if (interruption::requested() && !out_.rounds.empty()) break;
      WW_CHECK(done);
    }
    WW_CHECK(predict_undisturbed());
    return std::move(out_);
  }

 private:
  Result<void> round(int number) {
    WW_TRY(const Trace trace, record_as("recorded", number));
    if (number == 1) {
      // only now, so that a program that fails is known at once
      WW_TRY(out_.model, machine_model(trace));
      for (WhatIf& what_if : out_.what_ifs) what_if.network = trace.network();
    }
    StudyRound round;
    round.trace = trace_directory("recorded", number);
    round.recorded_s = trace.elapsed_s();
    round.computations = computations_of(trace);
    step("simulating", number);
    WW_TRY(std::vector<Prediction> predictions, predict_all(trace, out_.model, out_.what_ifs));
    if (number == 1) WW_CHECK(record_on_quicker_wire(predictions));
    if (const auto cooling = cooling_of(trace)) {
      WW_TRY(auto cooled, predict_all(trace, out_.model, out_.what_ifs, {.cooling = cooling}));
      take_cooled(predictions, std::move(cooled));
    }
    for (std::size_t w = 0; w < out_.what_ifs.size(); ++w) {
      RoundAnswer answer;
      answer.prediction = std::move(predictions[w]);
      run_dilated(out_.what_ifs[w], number, answer);
      run_in_virtual_time(out_.what_ifs[w], number, answer);
      WW_CHECK(look_at_reality(out_.what_ifs[w], number, answer));
      const bool all_run =
          (options_.factors.empty() || answer.dilated_s) && (!options_.virtual_time || answer.virtual_s);
      // What was not run because of that has no other reason.
      if (interruption::requested() && !all_run) return fail("interrupted");
      round.answers.push_back(std::move(answer));
    }
    out_.rounds.push_back(std::move(round));
    return {};
  }

  Result<void> record_on_quicker_wire(const std::vector<Prediction>& predictions) {
    if (!options_.lab || predictions.empty() ||
        !std::any_of(predictions.begin(), predictions.end(), second_recording_matters))
      return {};
    double quickest = 1;
    for (const WhatIf& what_if : out_.what_ifs) quickest = std::max(quickest, what_if.bandwidth);
    WW_TRY(const lab::SwitchWire wire, lab::wire_of(*options_.lab));
    const double factor =
        wire.rate_bytes_per_s > 0 ? std::min(quickest * much_quicker, most_rate / wire.rate_bytes_per_s) : 1;
    if (factor <= 1 && wire.delay_s == 0) return {};
    step("recording on a quicker wire", 1);
    const auto found = computed_on_other_wire(factor, -wire.delay_s);
    if (found)
      quicker_.push_back(*found);
    else if (interruption::requested())
      return tl::unexpected(found.error());
    else
      out_.diagnostics.add("second-recording-missing", to_string(found.error()));
    return {};
  }

  Result<simulate::Computed> computed_on_other_wire(double rate_factor, double more_delay_s) {
    WW_TRY(const auto other, OtherWire::set(*options_.lab, rate_factor, more_delay_s));
    WW_TRY(const Trace trace, record_as("quicker", 1));
    return simulate::real_computation_in(trace);
  }

  // nullptr: there is no second recording, or it cannot be compared with this one, which is said.
  std::shared_ptr<const simulate::Cooling> cooling_of(const Trace& trace) {
    if (quicker_.empty()) return nullptr;
    auto cooling = simulate::compare_computation(trace, quicker_);
    if (cooling) return *cooling;
    if (!out_.diagnostics.has("second-recording-missing"))
      out_.diagnostics.add("second-recording-missing", to_string(cooling.error()));
    return nullptr;
  }

  // Each round again, with the computations that were not disturbed in it.
  Result<void> predict_undisturbed() {
    std::vector<Computations> of_rounds;
    for (StudyRound& round : out_.rounds) of_rounds.push_back(std::move(round.computations));
    const auto undisturbed = without_disturbances(of_rounds);
    if (!undisturbed) return {};
    for (std::size_t i = 0; i < out_.rounds.size(); ++i) {
      if ((*undisturbed)[i].replaced == 0) continue;
      WW_TRY(const Trace trace, load_trace(out_.rounds[i].trace));
      WW_TRY(std::vector<Prediction> predictions,
             predict_all(trace, out_.model, out_.what_ifs, {.computed = &(*undisturbed)[i]}));
      if (const auto cooling = cooling_of(trace)) {
        WW_TRY(auto cooled, predict_all(trace, out_.model, out_.what_ifs,
                                        {.computed = &(*undisturbed)[i], .cooling = cooling}));
        take_cooled(predictions, std::move(cooled));
      }
      for (std::size_t w = 0; w < predictions.size(); ++w)
        out_.rounds[i].answers[w].prediction = std::move(predictions[w]);
    }
    return {};
  }

  void step(const std::string& what, int number) const {
    options_.progress(fmt::format("round {} of {}: {}", number, options_.repeat, what));
  }

  // A SPEC may hold a path; what the name of a file or directory is made of it does not.
  std::string name_of(const std::string& spec) const {
    constexpr std::size_t longest = 60;
    static const std::string plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:@%";
    std::string name = spec.substr(0, longest);
    for (char& c : name)
      if (plain.find(c) == std::string::npos) c = '_';
    if (name == spec) return name;
    std::size_t number = 0;
    while (number < out_.what_ifs.size() && out_.what_ifs[number].spec != spec) ++number;
    return fmt::format("{}-{}", number + 1, name);
  }

  fs::path trace_directory(const std::string& kind, int number) const {
    return options_.directory / fmt::format("{}-{}.ww", kind, number);
  }

  Result<Trace> record_as(const std::string& kind, int number) {
    step(kind, number);
    RecordOptions how;
    how.directory = trace_directory(kind, number);
    how.lab = options_.lab;
    how.output_file = options_.directory / fmt::format("{}-{}.out", kind, number);
    const nlohmann::json lab_before = lab_status();
    WW_TRY(const Recorded recorded, record(launch_, how));
    out_.diagnostics.merge(lab::timeliness(lab_status(), lab_before));
    if (recorded.exit_code != 0)
      return fail(fmt::format("the program failed with exit code {}", recorded.exit_code),
                  shell_quoted(launch_.line),
                  what_it_printed(how.output_file, what_may_help(recorded.exit_code, false)));
    WW_TRY(Trace trace, load_trace(recorded.directory));
    out_.disturbance.merge(disturbance_of(trace.run));
    return trace;
  }

  nlohmann::json lab_status() const {
    return options_.lab ? lab::status(*options_.lab).value_or(nullptr) : nullptr;
  }

  Result<MachineModel> machine_model(const Trace& trace) {
    if (options_.machine) return load_model(*options_.machine);
    options_.progress("measuring the machine");
    measure::MeasureOptions how;
    how.prefix = launch_.with_program({});
    how.library = launch_.library;
    how.direct_route = std::any_of(trace.run.ranks.begin(), trace.run.ranks.end(),
                                   [](const RunRecord::Rank& rank) { return rank.direct_route; });
    if (launch_.launcher || (launch_.library != nullptr && launch_.library->starts_itself())) {
      how.line = [this](const std::vector<std::string>& program) { return launch_.with_program(program); };
    } else {
      how.library = &library_of(trace);
      how.prefix = launcher_like(trace);
      out_.diagnostics.add(
          "launcher-not-seen",
          fmt::format("a script starts the ranks, so the machine was measured under {}; if the script places "
                      "them otherwise, measure as it does and give that model with --machine",
                      shell_quoted(how.prefix)));
    }
    how.output = options_.directory / "machine.json";
    if (options_.lab) WW_CHECK(measure::place_on_lab(how, *options_.lab));
    return measure::measure(how);
  }

  // It would fail again: takes the reason of an earlier round, if there is one.
  bool failed_before(const WhatIf& what_if, std::string RoundAnswer::*reason, RoundAnswer& answer) const {
    for (const StudyRound& earlier : out_.rounds)
      for (std::size_t w = 0; w < earlier.answers.size(); ++w)
        if (out_.what_ifs[w].spec == what_if.spec && !(earlier.answers[w].*reason).empty()) {
          answer.*reason = earlier.answers[w].*reason;
          return true;
        }
    return false;
  }

  void run_dilated(const WhatIf& what_if, int number, RoundAnswer& answer) {
    if (options_.factors.empty()) {
      answer.not_dilated = "not asked for";
      return;
    }
    if (failed_before(what_if, &RoundAnswer::not_dilated, answer)) return;
    step("dilating for " + what_if.spec, number);
    DilateOptions how;
    how.what_if = what_if;
    how.machine = &out_.model;
    how.extra_software_s = answer.prediction.calibrated_software_s;
    how.kept_share = answer.prediction.send_kept_share;
    how.factors = {least_factor(what_if, out_.model)};
    how.first_run = number;
    how.lab = options_.lab;
    how.directory = options_.directory / ("dilated-" + name_of(what_if.spec));
    const nlohmann::json lab_before = lab_status();
    auto dilation = dilate(launch_, how);
    if (dilation) {
      if (const auto run = load_trace(dilation->runs.front().trace)) {
        const double gain = compute_gain(answer.prediction, *run);
        how.what_if->compute *= gain;
        how.factors = {least_factor(*how.what_if, out_.model)};
        if (gain != 1) dilation = dilate(launch_, how);
      }
    }
    out_.diagnostics.merge(lab::timeliness(lab_status(), lab_before));
    if (!dilation) {
      answer.not_dilated = to_string(dilation.error());
      return;
    }
    answer.dilated_s = dilation->runs.front().normalised_s;
    answer.dilated = mean_of(dilation->runs.front().ranks);
    if (number == 1) out_.diagnostics.merge(dilation->diagnostics);
  }

  void run_in_virtual_time(const WhatIf& what_if, int number, RoundAnswer& answer) {
    if (!options_.virtual_time) {
      answer.not_virtual = "not asked for";
      return;
    }
    if (failed_before(what_if, &RoundAnswer::not_virtual, answer)) return;
    step("running in virtual time for " + what_if.spec, number);
    VirtualOptions how;
    how.what_if = what_if;
    how.machine = &out_.model;
    how.extra_software_s = answer.prediction.calibrated_software_s;
    how.kept_share = answer.prediction.send_kept_share;
    how.repeat = 1;
    how.first_run = number;
    how.lab = options_.lab;
    how.directory = options_.directory / ("virtual-" + name_of(what_if.spec));
    const auto run = run_virtual(launch_, how);
    if (!run) {
      answer.not_virtual = to_string(run.error());
      return;
    }
    answer.virtual_s = run->s;
    answer.in_virtual_time = mean_of(run->ranks);
    if (number == 1) out_.diagnostics.merge(run->diagnostics);
  }

  // What latency= asks of the lab's wire; a reason why it cannot have it.
  Result<double> more_delay(const WhatIf& w, std::string& why_not) const {
    if (w.latency == 1 && !w.latency_s) return 0.0;
    WW_TRY(const lab::SwitchWire wire, lab::wire_of(*options_.lab));
    const std::optional<double> more_s = more_latency_s(out_.model, w);
    constexpr double rounding_s = 1e-9;
    if (!more_s)
      why_not = "the model has no wire between hosts";
    else if (!lab::is_switch(wire.kind))
      why_not = fmt::format("a {} wire has no delay of its own", lab::to_string(wire.kind));
    else if (wire.delay_s + *more_s < -rounding_s)
      why_not = fmt::format(
          "the wire's delay is {}, and {} less is asked for: the rest of the latency is this machine's "
          "software "
          "(whatwire lab up --delay {})",
          show_time(wire.delay_s), show_time(-*more_s), show_time(-*more_s));
    return std::max(-wire.delay_s, more_s.value_or(0));
  }

  Result<void> look_at_reality(const WhatIf& w, int number, RoundAnswer& answer) {
    if (!options_.lab)
      answer.no_real = "this network cannot be set; in a lab it can (--lab)";
    else if (w.network == Place::intra)
      answer.no_real = "all ranks share one host, whose memory cannot be set";
    else if (w.software != 1 || w.per_byte != 1 || w.machine || w.topology || w.ranks_per_host > 0 ||
             !w.keeps_computation())
      answer.no_real = "a lab can change the rate and the delay of its wire only";
    if (!answer.no_real.empty()) return {};
    WW_TRY(const double more_delay_s, more_delay(w, answer.no_real));
    if (!answer.no_real.empty()) return {};
    WW_TRY(const OtherWire other, OtherWire::set(*options_.lab, w.bandwidth, more_delay_s));
    WW_TRY(const Trace trace, record_as("real-" + name_of(w.spec), number));
    out_.diagnostics.merge(lack_of_cores_in(trace.run));
    out_.diagnostics.merge(tcp_stalls_in(trace.run));
    answer.real_s = trace.elapsed_s();
    answer.real = mean_of(components_of(trace, break_down(trace, &out_.model), 1));
    return {};
  }

  const Launch& launch_;
  const StudyOptions& options_;
  Rounds out_;
  std::vector<simulate::Computed> quicker_;  // the program on a quicker wire, where that matters; one at most
};

}  // namespace

Result<Rounds> run_rounds(const Launch& launch, const StudyOptions& options,
                          const std::vector<WhatIf>& what_ifs) {
  return Runner(launch, options).run(what_ifs);
}

}  // namespace ww
