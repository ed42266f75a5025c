// One experiment a file; the list in main.cpp registers each in one line.
#pragma once
#include "measure/program/session.hpp"

namespace ww::measure {

struct Experiment {
  const char* name;
  const char* shows;  // for the progress line
  double share;       // of the time budget
  // The leader's part. It may use `budget_s` seconds, ends by itself, and sends the stop order last.
  void (*lead)(Session& session, double budget_s);
  void (*follow)(Session& session);  // the follower's part, until the stop order
};

extern const Experiment warm_up, eager_threshold, wire_bytes, ping_pong, software_costs, two_way,
    sender_progress;

}  // namespace ww::measure
