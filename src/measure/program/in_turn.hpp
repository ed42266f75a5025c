// How an experiment of several cases spends its time.
#pragma once
#include <algorithm>
#include <random>
#include <vector>

#include "measure/program/session.hpp"

namespace ww::measure {

// Samples the cases pass by pass until `end`, in every pass in a new random order, so that a drift of the
// machine does not look like a dependence on the case. Left out are those that are done, which is asked after
// each pass, and those whose next sample would not fit into the time any more.
template <class Case, class ExpectedS, class Done, class Sample>
void in_turn(std::vector<Case>& cases, double end, std::mt19937_64& random, const ExpectedS& expected_s,
             const Done& done, const Sample& sample) {
  std::vector<Case*> open;
  for (Case& one : cases) open.push_back(&one);
  for (bool any = true; any;) {
    any = false;
    std::shuffle(open.begin(), open.end(), random);
    for (Case* one : open) {
      if (now_s() + expected_s(*one) > end) continue;
      sample(*one);
      any = true;
    }
    std::erase_if(open, [&](const Case* one) { return done(*one); });
  }
}

}  // namespace ww::measure
