// From raw samples to a machine model.
#pragma once
#include <map>

#include "machine/model.hpp"
#include "measure/samples.hpp"
#include "stats/stats.hpp"

namespace ww::measure {

// Fits all that the samples allow; what they do not allow is empty and said in the model's flags.
// `samples_file` is stored in the model. Errors: not enough sizes for a line.
Result<MachineModel> fit_model(const Samples& samples, const std::string& samples_file);

// The parts, each usable alone.

struct SizePoint {
  double bytes = 0;
  std::vector<double> seconds;                // samples, those of all launches
  std::vector<std::vector<double>> launches;  // ... of each; empty where a launch did not measure the size
  double median_s = 0;  // of the launches' medians where all measured it often enough, else of the samples
  // What is fitted: the median, or the smallest of fewer samples than give the median an interval. A round
  // trip is disturbed in one direction only, and one disturbed sample of two would move their median.
  double typical_s = 0;
  double quick_s = 0;    // median of the quicker half, which tells the wire from what disturbs it
  stats::Range range_s;  // 95%, of the median: samples, visits and launches differ, and the widest counts
};
inline constexpr std::size_t fewest_launches = 3;  // that say how much launches differ
// By how much each launch's median of a size is off the median of all. Empty where fewer than
// `fewest_launches` launches measured the size.
std::vector<double> launch_effects_s(const SizePoint& point);

// Ping-pong points by size; `check` selects those that are kept out of the fit.
std::vector<SizePoint> ping_pong_points(const Samples& samples, const std::string& between, bool check);
// The fine sweep's.
std::vector<SizePoint> sweep_points(const Samples& samples, const std::string& between);

// What the counters say of a message's bytes, without any time: frame payload and overhead, the library's
// header, the frames of a handshake. Nothing where no bytes of the messages were seen on an interface.
std::optional<Wire> count_wire(const Samples& samples, const std::string& between,
                               std::optional<double> eager_threshold_bytes, std::vector<std::string>& flags);
// Adds seconds_per_byte (slope of the one-way time over the wire's bytes where messages have many frames) and
// stages (slope of messages of one frame over that). Nothing where the points do not show a wire.
std::optional<Wire> time_wire(const Wire& counted, const std::vector<SizePoint>& points,
                              std::optional<double> eager_threshold_bytes, std::vector<std::string>& flags);
// Fits the time beside the wire's serialisation (all of it where there is no wire) and composes both. Fills
// one_way, latency, pingpong_fit_error and points.
void fit_one_way(Link& link, const std::vector<SizePoint>& points, std::vector<std::string>& flags);
// Jumps between the segments of the fitted link that are more than 2% and more than the measured sizes on
// both sides vary.
std::vector<Switch> find_switches(const Link& link, const std::vector<SizePoint>& points);
void fit_two_way(Link& link, const Samples& samples, std::vector<std::string>& flags);
// What the other experiments saw, in the form of docs/machine-model.md.
nlohmann::json fit_observations(const Samples& samples, const MachineModel& model,
                                std::vector<std::string>& flags);
nlohmann::json fit_collectives(const Samples& samples, std::vector<std::string>& flags);
// The experiments simulated on the finished model, in the form of docs/machine-model.md.
nlohmann::json close_loop(const Samples& samples, const MachineModel& model, std::vector<std::string>& flags);
// What a term's "cost" records of all launches took, by size. Of "A+U" the quicker half: the slower may hold
// receives whose message had not arrived yet.
using SamplesBySize = std::map<double, std::vector<double>>;
SamplesBySize cost_samples(const Samples& samples, const std::string& between, const std::string& term);
Curve fit_reduction(const Samples& samples, const std::string& between);
Costs fit_costs(const Samples& samples, const std::string& between, std::vector<std::string>& flags);

}  // namespace ww::measure
