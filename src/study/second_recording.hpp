// A study's second recording of the program, on another wire of its lab than is asked for, where it matters how
// computation depends on waiting (simulate/cooling.hpp).
//
// Not the study's dilated runs, which cost nothing more: a rank of them is away as long as in the recording, and
// while it spins, so that they tell of longer waits where a quicker wire is asked for; and dilation, as a witness of its
// own, may not have a part in what simulation says. Not the real runs, which are the truth.
#pragma once
#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "machine/what_if.hpp"
#include "simulate/simulate.hpp"

namespace ww {

// The doubt about computation makes up a quarter of the interval's half width or more, and 1% of the time.
bool is_computation_in_doubt(const Prediction& prediction);

struct OtherNetwork {
  double rate_factor = 1;      // of the lab's wire
  bool shared_memory = false;  // the same launch line on this machine without the lab
  std::string why_not;         // neither would tell
  std::string in_words() const;
};

// Of the what-ifs whose prediction is in doubt the one that is most so decides. A quicker wire is asked for: one that is
// quicker still (the ratio's 1.5th power), so that the run is short and the waits asked about lie between; but at most
// 1 Gb/s, which a lab keeps up with, then the square root of the ratio. A slower one: the square root, since
// the whole would take the longest. Never within a tenth of a rate that is asked for: that would be the truth.
// Where no rate is asked for, or the wire has none to be changed: shared memory, if each of `ranks` has a core there;
// all hosts of a lab are this machine, so that their caches are the same ones.
OtherNetwork other_network(const std::vector<WhatIf>& what_ifs, const std::vector<Prediction>& predictions,
                           const lab::SwitchWire& wire, std::size_t ranks, int cores);

}  // namespace ww
