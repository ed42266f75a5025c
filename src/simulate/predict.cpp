#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "machine/flags.hpp"
#include "simulate/assumptions.hpp"
#include "simulate/calibrate.hpp"
#include "simulate/checked_run.hpp"
#include "simulate/cooling.hpp"
#include "simulate/doubts.hpp"
#include "simulate/events/engine.hpp"
#include "simulate/free/explain.hpp"
#include "simulate/gain.hpp"
#include "simulate/graph.hpp"
#include "simulate/jittered.hpp"
#include "simulate/lab_wire.hpp"
#include "simulate/networks/registry.hpp"
#include "simulate/placement.hpp"
#include "simulate/play_on.hpp"
#include "simulate/predicted_run.hpp"
#include "simulate/scoped_compute.hpp"
#include "simulate/simulate.hpp"
#include "simulate/variants.hpp"

namespace ww {
namespace {

using simulate::Program;
using simulate::SelfCheck;

// At most half of the calibrated software counts as its uncertainty: nothing says how it divides over sizes.
constexpr double calibration_uncertainty = 0.5;
// The calibration must stay a correction: beyond this part of the message time the model is wrong.
constexpr double largest_calibration = 0.5;
// Of what messages take: no more of it may be missing.
constexpr double most_missed = 0.9;
constexpr const char* computation_behind_waits = "computation behind other waits";

// More do not help: the replays of one prediction are some twenty, and each holds every message's state.
constexpr unsigned most_threads = 8;

}  // namespace

class simulate::CheckedRun::Predictor {
 public:
  Predictor(const Replayable& run, const MachineModel& recorded_on, const PredictOptions& options)
      : trace_(run.trace),
        program_(&run.program),
        recorded_on_(recorded_on),
        threads_(options.threads),
        cancellation_(options.cancellation) {
    // Of another model the conditions say nothing.
    if (run.conditions != nullptr && to_json(run.conditions->model) == to_json(recorded_on))
      conditions_ = run.conditions;
    predicted_for_ = run.conditions;
    find_kinds();
  }

  // From here on.
  void ask(const PredictOptions& options) {
    threads_ = options.threads;
    explain_ = options.explain;
    interval_ = options.interval;
    curves_ = options.curves;
    observer_ = options.observer;
    cancellation_ = options.cancellation;
  }

  double load_s() const { return program_->load_s; }

  Result<void> check_itself() {
    if (conditions_ != nullptr) return replay_as_predicted();
    place(simulate::ranks_per_host_on(recorded_on_, *program_, 0));
    if (program_->graph) {  // nothing was recorded: what gains are against
      WW_TRY(check_.simulated, play({recorded_on_, {}}));
      uncalibrated_s_ = check_.replayed_s = check_.simulated.elapsed_s;
      return {};
    }
    stalls_ = simulate::find_stalls(*program_, recorded_on_);
    calibration_ = simulate::calibrate(*program_, recorded_on_);
    WW_CHECK(replay_with(0));
    const SelfCheck without = check_;
    if (calibration_.extra_software_s == 0) return {};
    WW_CHECK(replay_with(calibration_.extra_software_s));
    set_uncertain_software(without, check_);
    // Where all of it is too much, so much that the recorded time comes out: the rest was no software, but what waited.
    const double missed_s = missing_s(without), over_s = -missing_s(check_);
    if (missed_s * over_s > 0)
      WW_CHECK(replay_with(calibration_.extra_software_s * missed_s / (missed_s + over_s)));
    const bool nearer = error_s(check_) < error_s(without);
    // What slower software leaves of what the replay misses, a wire under load makes late, or the cores that serve it: no software, and
    // not the same on another wire. The less it explains, the less of what was found is it (by the square: docs/design/simulation.md).
    const double explained = 1 - error_s(check_) / error_s(without);
    const double missed = error_s(without) / program_->recorded.elapsed_s;
    const double beyond_unrest = missed * missed / (missed * missed + simulate::unrest * simulate::unrest);
    if (nearer)
      return replay_with(check_.software_s * beyond_unrest *
                         (calibration_.extra_software_s > 0 ? explained * explained : 1));
    check_ = without;
    return {};
  }

  // From here on; the self-check is of the run as it was.
  Result<void> compute_as(const Undisturbed& run) {
    WW_INVARIANT(run.computations.ranks.size() == program_->ranks.size());
    Program& changed = own_program();
    for (std::size_t rank = 0; rank < changed.ranks.size(); ++rank) {
      simulate::RankProgram& operations = changed.ranks[rank];
      auto seconds = run.computations.ranks[rank].seconds.begin();
      for (std::size_t i = 0; i < operations.size(); ++i)
        if (operations.kind[i] == simulate::OpKind::compute) {
          WW_INVARIANT(seconds != run.computations.ranks[rank].seconds.end());
          double& was = operations.seconds.change(operations.argument[i]);
          if (was > 0) was = *seconds;  // not in a loop that only asks
          ++seconds;
        }
      WW_INVARIANT(seconds == run.computations.ranks[rank].seconds.end());
    }
    replaced_ = run.replaced;
    removed_s_ = run.removed_s;
    if (replaced_ == 0) return {};
    WW_TRY(const Simulated baseline, play({recorded_on_, {1, check_.software_s, check_.rules}}));
    baseline_s_ = baseline.elapsed_s;
    changed.assumptions.push_back(fmt::format(
        "{} of {} computations took over half longer than in the other recorded runs, {} in all; they "
        "count as long as in the median of the runs",
        run.replaced, run.of, show_time(run.removed_s)));
    return {};
  }

  // From here on, and after compute_as(): what is away from what, as the program is replayed on the machine that
  // recorded it, so that there computation is as recorded.
  Result<void> cool_as(std::shared_ptr<const simulate::Cooling> cooling) {
    if (program_->graph || cooling->kind_of.size() != program_->ranks.size())
      return fail("the second recording is compared with another program", program_->recorded.source);
    simulate::RunNotes notes(program_->ranks.size(), 0);
    SimulateOptions options{.extra_software_s = check_.software_s, .rules = check_.rules};
    if (conditions_ != nullptr) options.network = conditions_->network;
    options.observer = &notes;
    WW_TRY(const Simulated simulated, play({recorded_on_, options}));
    const simulate::Computed computed = simulate::computed_in(notes, simulated);
    std::vector<std::vector<double>> away_s;
    for (std::size_t rank = 0; rank < computed.ranks.size(); ++rank) {
      if (computed.ranks[rank].seconds.size() != cooling->kind_of[rank].size())
        return fail("the second recording is compared with another program", program_->recorded.source);
      away_s.push_back(simulate::away_before(computed.ranks[rank], cooling->counts(rank)));
    }
    away_s_ = std::make_shared<const std::vector<std::vector<double>>>(std::move(away_s));
    cooling_ = std::move(cooling);
    return {};
  }

  Result<Prediction> predict(const WhatIf& given) const {
    const int ranks_per_host = simulate::ranks_per_host_on(given.machine ? *given.machine : recorded_on_,
                                                           *program_, given.ranks_per_host);
    if (given.compute_scopes.empty() && ranks_per_host == 0) return predict_with(given);
    if (program_->graph)
      return wrong_usage("a what-if that a schedule knows nothing of", given.spec,
                         "its computation has no regions, and each rank a host of its own; give compute=");
    Predictor changed = *this;
    changed.place(ranks_per_host);
    if (!given.compute_scopes.empty()) {
      WW_INVARIANT(trace_ != nullptr);
      WW_CHECK(simulate::scale_computations(changed.own_program(), *trace_, given.compute_scopes));
    }
    return changed.predict_with(given);
  }

 private:
  struct Replay {
    MachineModel model;
    SimulateOptions options;
    bool stalls = true;                           // as recorded, else none
    const simulate::CoolingRule* rule = nullptr;  // in place of the best one
    const char* doubts = "";                      // what is in doubt, in words
    bool is_as_doubtful = false;                  // another run, no less so than the one that was taken
    const Program* program = nullptr;             // in place of the recorded one
    double times = 1;                             // what it takes counts so many times
  };

  void place(int ranks_per_host) {
    if (ranks_per_host == 0) return;
    ranks_per_host_ = ranks_per_host;
    Program& changed = own_program();
    simulate::place_ranks(changed, ranks_per_host);
    changed.assumptions.push_back(simulate::placement_in_words(ranks_per_host));
    find_kinds();
  }

  // To be changed; nobody else's.
  Program& own_program() {
    if (!own_ || own_.use_count() > 1) own_ = std::make_shared<Program>(*program_);
    program_ = own_.get();
    return *own_;
  }

  void find_kinds() {
    kinds_ =
        std::make_shared<const simulate::MessageKinds>(simulate::MessageKinds::of(*program_, &recorded_on_));
  }

  // Half of what was found, and no more than moves the replay by what it misses without any, and by what runs differ by: it was
  // looked for to explain that alone, and what overshoots it is what waited and no software.
  void set_uncertain_software(const SelfCheck& without, const SelfCheck& with) {
    const double found_s = std::fabs(calibration_.extra_software_s);
    const double moved_s = std::fabs(with.replayed_s - without.replayed_s);
    const double explains_s = error_s(without) + 2 * simulate::unrest * program_->recorded.elapsed_s;
    uncertain_software_s_ = found_s * (moved_s > 0 ? std::min(calibration_uncertainty, explains_s / moved_s)
                                                   : calibration_uncertainty);
  }

  double missing_s(const SelfCheck& check) const { return program_->recorded.elapsed_s - check.replayed_s; }
  double error_s(const SelfCheck& check) const { return std::fabs(missing_s(check)); }

  // A predicted run: what it was replayed under is known, and nothing of it is to be found.
  Result<void> replay_as_predicted() {
    SimulateOptions options{.extra_software_s = conditions_->software_s, .rules = conditions_->rules};
    options.network = conditions_->network;
    WW_TRY(const Simulated simulated, play({recorded_on_, options}));
    calibration_.extra_software_s = conditions_->software_s;
    uncertain_software_s_ = calibration_uncertainty * std::fabs(conditions_->software_s);
    uncalibrated_s_ = simulated.elapsed_s;
    check_ = {conditions_->software_s, simulated.elapsed_s, conditions_->rules, simulated};
    return {};
  }

  Result<Simulated> play(Replay replay) const {
    if (cancellation_ != nullptr && cancellation_->requested()) return cancelled();
    replay.options.cancellation = cancellation_;
    std::optional<simulate::CoolingInReplay> cooling;
    if (cooling_ && cooling_->depends()) {
      cooling = {replay.rule != nullptr ? *replay.rule : cooling_->rule, cooling_.get(), away_s_.get()};
      replay.options.cooling = &*cooling;
    }
    return simulate::play_on(
        replay.program != nullptr ? *replay.program : *program_, *kinds_, replay.model, replay.options,
        recorded_on_,
        replay.stalls ? std::span<const simulate::Stall>(stalls_) : std::span<const simulate::Stall>());
  }

  // With the rules of traffic that give the recorded time back.
  Result<void> replay_with(double software_s) {
    const bool meet = simulate::large_messages_meet(*program_, recorded_on_);
    const std::vector<TrafficRules> all = simulate::rules_that_may_be(*program_, meet);
    std::vector<Replay> replays;
    for (const TrafficRules& rules : all) replays.push_back({recorded_on_, {1, software_s, rules}});
    WW_TRY(const std::vector<Simulated> simulated, play_all(replays));
    std::vector<SelfCheck> checked;
    for (std::size_t i = 0; i < all.size(); ++i)
      checked.push_back({software_s, simulated[i].elapsed_s, all[i], simulated[i]});
    if (software_s == 0) uncalibrated_s_ = checked[0].replayed_s;
    auto [check, by_chance] = simulate::choose_rules(checked, program_->recorded.elapsed_s, meet);
    check_ = std::move(check);
    by_chance_ = std::move(by_chance);
    return {};
  }

  // Rules that another run may have: those that give the recorded one back as well; and where microseconds decide how large messages that
  // meet go there, any.
  Result<std::vector<TrafficRules>> other_rules(const Prediction& out, const MachineModel& model,
                                                const SimulateOptions& options) const {
    std::vector<TrafficRules> rules = check_.also_possible;
    if (by_chance_.empty()) return rules;
    const auto programs = simulate::jittered(*program_);
    std::vector<Replay> replays(programs.size(), {model, options});
    for (std::size_t i = 0; i < replays.size(); ++i) replays[i].program = programs[i].get();
    WW_TRY(const std::vector<Simulated> played, play_all(replays));
    if (played.empty() || std::any_of(played.begin(), played.end(), [&](const Simulated& other) {
          return std::fabs(other.elapsed_s - out.predicted_s) > simulate::clearly_better * out.predicted_s;
        }))
      rules.insert(rules.end(), by_chance_.begin(), by_chance_.end());
    return rules;
  }

  Result<Prediction> predict_with(const WhatIf& given) const {
    WhatIf what_if = given;
    what_if.network = program_->recorded.network;
    if (!what_if.topology && conditions_ != nullptr) what_if.topology = conditions_->network;
    Prediction out;
    out.what_if = what_if.spec;
    out.recorded = !program_->graph;
    out.recorded_s = program_->recorded.elapsed_s;
    out.replayed_s = check_.replayed_s;
    out.baseline_s = baseline_s_.value_or(check_.replayed_s);
    out.changes_nothing = given.is_identity();
    out.uncalibrated_s = uncalibrated_s_;
    out.rules = check_.rules;
    out.calibrated_software_s = check_.software_s;
    out.send_kept_share = kinds_->mean_kept_share;
    out.disturbed_computations = replaced_;
    out.disturbance_s = removed_s_;
    out.cooling = cooling_;
    const MachineModel model = apply(recorded_on_, what_if);
    SimulateOptions options{
        .compute_factor = what_if.compute,
        .extra_software_s = check_.software_s * simulate::carried_software(recorded_on_, what_if),
        .rules = check_.rules,
        .network = what_if.topology};
    WW_CHECK(share_cores_if_short(out, model, options));
    Replay predicted{model, options};
    predicted.options.observer = observer_;
    WW_TRY(out.simulated, play(predicted));
    out.predicted_s = out.simulated.elapsed_s;
    if (options.shared_cores.cores > 0) out.on_shared_cores_s = out.predicted_s;
    if (observer_ != nullptr)
      out.conditions = std::make_shared<Conditions>(
          Conditions{model, options.extra_software_s, options.rules, options.network, ranks_per_host_});
    if (interval_)
      WW_CHECK(find_interval(out, model, what_if, options));
    else
      simulate::say_no_interval(out);
    say(out, model, what_if);
    if (explain_) WW_CHECK(set_contention_free(out, model, options));
    return out;
  }

  Result<void> share_cores_if_short(Prediction& out, const MachineModel& model,
                                    SimulateOptions& options) const {
    const SharedCores shared = simulate::shared_cores_of(*program_, recorded_on_, options);
    if (shared.cores == 0) return {};
    WW_TRY(const Simulated alone, play({model, options}));
    if (!simulate::cores_fall_short(*program_, shared, alone.elapsed_s)) return {};
    options.shared_cores = shared;
    out.assumptions.push_back(simulate::cores_are_shared(*program_, alone.elapsed_s));
    return {};
  }

  // And how the prediction changes with latency, bytes and software.
  Result<void> find_interval(Prediction& out, const MachineModel& model, const WhatIf& what_if,
                             const SimulateOptions& options) const {
    const bool chance =
        what_if.topology && program_->hosts.size() > 1 && simulate::is_random(*what_if.topology);
    std::vector<Replay> replays;
    const auto more = [&](const std::vector<Replay>& some) {
      replays.insert(replays.end(), some.begin(), some.end());
      return replays.size();
    };
    const simulate::Steps steps =
        chance ? simulate::Steps{} : simulate::steps_of(model, program_->recorded.network);
    const std::size_t sloped = more(sensitivities(model, options, steps));
    const std::vector<Replay> in_doubt = doubts(out, model, what_if, options);
    const std::size_t doubted = more(in_doubt);
    const std::size_t of_chance = more(other_chances(model, options, chance));
    std::vector<TrafficRules> also;
    if (!what_if.topology) {
      WW_TRY(also, other_rules(out, model, options));
    }
    for (const TrafficRules& rules : also) {
      replays.push_back({model, options, true, nullptr, "exchanges in another mode", true});
      replays.back().options.rules = rules;
    }
    const std::size_t ruled = replays.size();
    const std::vector<Arbitration> rules = simulate::other_rules(*program_, model, options);
    for (const Arbitration rule : rules) {
      replays.push_back({model, options, true, nullptr, "messages that are served in another order"});
      replays.back().options.arbitration = rule;
    }
    WW_TRY(const std::vector<Simulated> played, play_all(replays));
    if (chance)
      out.latency_s_per_s = out.seconds_per_byte_s_per_s = out.overhead_s_per_s =
          std::numeric_limits<double>::quiet_NaN();
    if (sloped > 0) {
      out.latency_s_per_s = (played[0].elapsed_s - out.predicted_s) / steps.seconds;
      out.seconds_per_byte_s_per_s = (played[1].elapsed_s - out.predicted_s) / steps.s_per_byte;
      out.overhead_s_per_s = (played[2].elapsed_s - out.predicted_s) / steps.seconds;
    }
    simulate::DoubtSum interval = simulate::doubts_beside_replays(*program_, check_, model, out);
    for (std::size_t i = 0; i < in_doubt.size(); ++i)
      interval.add(in_doubt[i].doubts, in_doubt[i].times * played[sloped + i].elapsed_s - out.predicted_s);
    // Another mode is as doubtful as the one that was taken, and given back no better.
    const double below = interval.below_s() / out.predicted_s, above = interval.above_s() / out.predicted_s;
    for (std::size_t i = doubted; i < played.size(); ++i) {
      const double other_s = played[i].elapsed_s, moved_s = other_s - out.predicted_s;
      const double doubtful_s = replays[i].is_as_doubtful ? other_s : 0;
      interval.hold(replays[i].doubts, moved_s, below * doubtful_s, above * doubtful_s);
      if (replays[i].options.shared_cores.cores > options.shared_cores.cores) out.on_shared_cores_s = other_s;
    }
    out.predicted_low_s = std::max(0.0, out.predicted_s - interval.below_s());
    out.predicted_high_s = out.predicted_s + interval.above_s();
    out.doubts = interval.by_width();
    for (const SourceOfDoubt& doubt : out.doubts)
      if (doubt.source == computation_behind_waits)
        out.computation_doubt_s = std::max(doubt.below_s, doubt.above_s);
    for (std::size_t i = 0; i < also.size(); ++i)
      out.also_possible.push_back({also[i], played[of_chance + i].elapsed_s});
    for (std::size_t i = 0; i < rules.size(); ++i)
      out.arbitration.others.push_back({rules[i], played[ruled + i].elapsed_s});
    return {};
  }

  Result<void> set_contention_free(Prediction& out, const MachineModel& model,
                                   const SimulateOptions& options) const {
    if (options.network || program_->graph) {
      out.not_explained = options.network ? "not told of a network by name"
                                          : "told of a schedule by --evaluator windows or free";
      return {};
    }
    if (cooling_ && cooling_->depends()) {
      out.not_explained = "not told of computation that depends on waits: leave the second recording out";
      return {};
    }
    WW_TRY(const simulate::ReplayCosts costs,
           simulate::ReplayCosts::make(*program_, *kinds_, model, options.extra_software_s, stalls_,
                                       &recorded_on_));
    simulate::FreeOptions free;
    free.compute_factor = options.compute_factor;
    free.network = program_->recorded.network;
    free.cancellation = cancellation_;
    WW_TRY(simulate::Explanation explanation, simulate::explain(*program_, costs, model, free, curves_));
    out.contention_free = json_text(simulate::to_json(explanation, *program_));
    out.explained = std::make_shared<const simulate::Explanation>(std::move(explanation));
    out.assumptions.push_back(
        "without contention: a rank's small messages leave it one after the other, nothing else is in "
        "anything's "
        "way, and requests of large messages are answered at once; so never slower than the prediction");
    return {};
  }

  // With a step more latency, time a byte and software.
  std::vector<Replay> sensitivities(const MachineModel& model, const SimulateOptions& options,
                                    const simulate::Steps& steps) const {
    if (steps.seconds == 0) return {};
    const Place network = program_->recorded.network;
    return {{simulate::with_more_latency(model, network, steps.seconds), options},
            {simulate::with_more_per_byte(model, network, steps.s_per_byte), options},
            {simulate::with_more_overhead(model, network, steps.seconds), options}};
  }

  // All of them, in their order, on threads_ threads; the error of the first that has one.
  Result<std::vector<Simulated>> play_all(const std::vector<Replay>& replays) const {
    std::vector<Simulated> played(replays.size());
    WW_CHECK(
        in_parallel(replays.size(), std::min(threads_, most_threads), [&](std::size_t i) -> Result<void> {
          WW_TRY(played[i], play(replays[i]));
          return {};
        }));
    return played;
  }

  // Each source of doubt moves the prediction by so much up and down; independent sources add in squares. The
  // error of the self-check, relative, is one of them, so the interval is never narrower than it.
  std::vector<Replay> doubts(const Prediction& out, const MachineModel& model, const WhatIf& what_if,
                             const SimulateOptions& options) const {
    std::vector<Replay> replays;
    const auto doubt = [&](const char* what, Replay replay) {
      replay.doubts = what;
      replays.push_back(std::move(replay));
    };
    const MachineModel& measured = what_if.machine ? *what_if.machine : recorded_on_;
    for (const auto bound : {simulate::Bound::low, simulate::Bound::high}) {
      // What was measured is in doubt, before the what-if takes the time of a wire off it: what that is off by stays whole.
      const auto moved = [&](auto with) { return simulate::apply_to(with(measured, bound), what_if); };
      doubt("the model's times of messages", {moved(simulate::with_curves_at), options});
      doubt("the model's wire", {moved(simulate::with_wire_at), options});
      doubt("the model's two directions at once", {moved(simulate::with_two_way_at), options});
      if (uncertain_software_s_ == 0) continue;
      SimulateOptions other = options;
      other.extra_software_s += (bound == simulate::Bound::low ? -1 : 1) *
                                simulate::software_ratio(recorded_on_, what_if) * uncertain_software_s_;
      doubt("software that was found in the trace", {model, other});
    }
    const double missed = std::min(most_missed, simulate::doubt_of_traffic(*program_, model, recorded_on_));
    for (const double factor : missed > 0 ? std::vector{1 - missed, 1 + missed} : std::vector<double>{}) {
      // All but computation takes that many times as long: all of a run does whose computation is that many times as quick.
      Replay other{model, options};
      other.times = factor;
      other.options.compute_factor *= factor;
      doubt(simulate::messages_that_meet, std::move(other));
    }
    if (out.send_kept_share < 1) {
      SimulateOptions other = options;
      other.sends_keep_all = true;
      doubt("what a send keeps its rank for", {model, other});
    }
    const double part = program_->graph ? 0
                        : cooling_
                            ? simulate::doubt_of_computation(check_.simulated, out.simulated, *cooling_)
                            : simulate::doubt_of_computation(check_.simulated, out.simulated);
    if (part > 0)
      for (const double factor : {1 - part, 1 + part}) {
        SimulateOptions other = options;
        other.compute_factor *= factor;
        doubt(computation_behind_waits, {model, other});
      }
    if (cooling_ && !out.changes_nothing)
      for (const simulate::CoolingRule& rule : cooling_->also_possible)
        doubt(computation_behind_waits, {model, options, true, &rule});
    return replays;
  }

  // Other runs that could as well be the one: the interval holds all of them.
  std::vector<Replay> other_chances(const MachineModel& model, const SimulateOptions& options,
                                    bool chance) const {
    std::vector<Replay> replays;
    for (std::uint64_t seed = options.seed + 1; chance && seed < options.seed + simulate::seeds_of_random;
         ++seed) {
      replays.push_back({model, options, true, nullptr, "the network's chance"});
      replays.back().options.seed = seed;
    }
    if (!stalls_.empty())
      replays.push_back({model, options, false, nullptr, "stalls that need not come again"});
    if (const SharedCores shared = simulate::shared_cores_of(*program_, recorded_on_, options);
        shared.cores > 0) {
      replays.push_back({model, options, true, nullptr, "cores that hosts share", true});
      replays.back().options.shared_cores = options.shared_cores.cores > 0 ? SharedCores{} : shared;
    }
    return replays;
  }

  void say(Prediction& out, const MachineModel& model, const WhatIf& what_if) const {
    simulate::say_assumptions(out, known(), *program_, model, what_if);
    out.diagnostics = program_->diagnostics;
    std::vector<const MachineModel*> models{&recorded_on_};
    if (what_if.machine) models.push_back(what_if.machine.get());
    say_flags(models, out.assumptions, out.diagnostics);
    if (predicted_for_ != nullptr && conditions_ == nullptr)
      simulate::say_other_model(out.diagnostics, predicted_for_->model, recorded_on_);
    simulate::say_modes(out.diagnostics, out);
    simulate::say_stalls(out.diagnostics, *program_, stalls_);
    if (what_if.topology && what_if.network == Place::intra) out.diagnostics.add("network-not-used");
    if (conditions_ == nullptr && std::fabs(check_.software_s) > largest_calibration * calibration_.one_way_s)
      out.diagnostics.add(
          "calibration-large",
          fmt::format("messages took {} {} inside the program than the model says, more than half "
                      "of their time; measure the machine again, without other load",
                      show_time(std::fabs(calibration_.extra_software_s)), known().calibrated_to()));
    if (const std::string off = self_check_off(out.recorded_s, check_.replayed_s); !off.empty())
      out.diagnostics.add("self-check-off", off + "; " + remedy_of_withheld());
  }

  simulate::Known known() const { return {check_, calibration_, conditions_ != nullptr}; }

  const Trace* trace_;
  const Program* program_;
  std::shared_ptr<Program> own_;  // where it is another than the run's
  std::shared_ptr<const simulate::MessageKinds> kinds_;
  const MachineModel& recorded_on_;
  unsigned threads_ = 1;
  simulate::Calibration calibration_;
  std::vector<simulate::Stall> stalls_;
  SelfCheck check_;
  std::vector<TrafficRules> by_chance_;  // that do not give the recorded run back, where large messages meet
  double uncalibrated_s_ = 0, uncertain_software_s_ = 0;
  std::shared_ptr<const simulate::Cooling> cooling_;  // null: computation is as recorded
  std::shared_ptr<const std::vector<std::vector<double>>>
      away_s_;                        // before each of a rank's computations, when recorded
  std::optional<double> baseline_s_;  // where computations are not those that were recorded
  bool explain_ = false, interval_ = true;
  const simulate::CurvesFromNothing* curves_ = nullptr;
  simulate::Observer* observer_ = nullptr;
  const Cancellation* cancellation_ = nullptr;
  const Conditions* predicted_for_ = nullptr;  // where the trace is a prediction
  const Conditions* conditions_ = nullptr;     // ... on the model that it was predicted for
  int ranks_per_host_ = 0;                     // 0: the ranks are where they were recorded
  std::uint64_t replaced_ = 0;
  double removed_s_ = 0;
};

namespace simulate {

CheckedRun::CheckedRun(std::shared_ptr<const Predictor> predictor) : predictor_(std::move(predictor)) {}

Result<CheckedRun> CheckedRun::make(const Replayable& run, const MachineModel& recorded_on,
                                    const PredictOptions& options) {
  auto predictor = std::make_shared<Predictor>(run, recorded_on, options);
  WW_CHECK(predictor->check_itself());
  if (options.computed != nullptr) WW_CHECK(predictor->compute_as(*options.computed));
  if (options.cooling) WW_CHECK(predictor->cool_as(options.cooling));
  return CheckedRun(std::move(predictor));
}

Result<Prediction> CheckedRun::predict(const WhatIf& what_if, const PredictOptions& options) const {
  Predictor asked = *predictor_;
  asked.ask(options);
  WW_TRY(Prediction prediction, asked.predict(what_if));
  prediction.load_s = asked.load_s();
  return prediction;
}

}  // namespace simulate
}  // namespace ww
