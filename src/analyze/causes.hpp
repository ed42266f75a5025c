// The largest causes of waiting, each as one sentence that names the fault first.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyze/selection.hpp"
#include "analyze/waits.hpp"
#include "trace/trace.hpp"

namespace ww {

struct Breakdown;

// Ranks that wait in one call for one other rank to begin (algorithmic), or for what is on its way (service;
// `waited_for` is -1), or that test for what is not there.
struct Cause {
  enum class Fault { late_sender, late_receiver, late_partner, late_root, late_rank, transfer, polling };
  Fault fault = Fault::late_sender;
  std::string call;
  std::int32_t waited_for = -1;
  std::vector<std::int32_t> ranks;      // that waited so, the longest first
  double time_s = 0, longest_s = 0;     // of all of them; of the first
  double share = 0, longest_share = 0;  // of their own elapsed times
  double of_all = 0;                    // time_s of all ranks' elapsed time
  double meanwhile_computing = 0;       // share of that time in which `waited_for` computed
  std::uint64_t calls = 0,
                bytes = 0;  // that waited so; of their messages or their ranks' part of collectives
  bool sends = false, receives = false, collectives = false;  // what is on its way, of a transfer
  std::string sentence;
  std::string remedy;                          // what its author can do about it
  static constexpr double least_share = 0.05;  // of the longest: of shorter ones nothing is said
};

// The three largest of those that took at least 5% of the time of the ranks that waited so and 1% of all
// ranks' time, the largest first. `breakdown`, of the part, needs its splits, and all ranks of the trace in order;
// `waits`: of the whole trace.
std::vector<Cause> find_causes(const Part& part, const Waits& waits, const Breakdown& breakdown);

nlohmann::json to_json(const std::vector<Cause>& causes);

}  // namespace ww
