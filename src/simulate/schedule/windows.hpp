// Plays a schedule under LogGOPS with every processor and network card serving one thing at a time.
//
// A message takes at least o + L, so what ranks do within a window of that length cannot reach another rank
// before the next window: the ranks of a window are played one after the other, each whole, which keeps what
// a rank needs in the cache and lets several threads play (Chandy and Misra's conservative windows): each has
// a part of the ranks, and what it sends to another part is handed over when all have played the window. Who
// plays whom changes no time.
//
// What is ready is served as soon as its processor and card are free. Among those that could begin at the
// same time, the one of the rule comes first:
//   created   what came into being first (a message when its send began, an operation when what it waited for
//             was served), then the lower rank: LogGOPSim's order
//   ready     what has been waiting longest
//   sends, receives   those before all else, then by `created`
#pragma once
#include <string>
#include <vector>

#include "base/result.hpp"
#include "simulate/schedule/listening.hpp"
#include "simulate/schedule/loggops.hpp"
#include "simulate/schedule/schedule.hpp"

namespace ww::schedule {

enum class Rule : std::uint8_t { created, ready, sends, receives };

struct Played {
  Ticks finish = 0;                // of the last rank
  std::vector<Ticks> rank_finish;  // when its processors have served their last
  std::uint64_t served = 0;        // operations: all of them
};

// Errors: operations that wait for each other across ranks (the cycle is named), times that do not fit; that it
// was cancelled.
Result<Played> play_windows(const Schedule& schedule, const LogGopsTicks& machine, Rule rule = Rule::created,
                            unsigned threads = 1, const Listening& listening = {});

// The spread of the finish over the rules.
struct FinishSpread {
  Played played;  // by `created`
  Ticks low = 0, high = 0;
};
// Services are those of `created`.
Result<FinishSpread> play_all_rules(const Schedule& schedule, const LogGopsTicks& machine,
                                    unsigned threads = 1, const Listening& listening = {});

}  // namespace ww::schedule
