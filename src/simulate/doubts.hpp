// What a prediction is not sure of beyond the intervals of the model's numbers.
#pragma once
#include <vector>

#include "machine/model.hpp"
#include "simulate/assumptions.hpp"
#include "simulate/cooling.hpp"
#include "simulate/doubt_sum.hpp"
#include "simulate/program.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

// Of their time: what runs differ by among themselves, so that a replay that misses no more tells nothing of software.
inline constexpr double unrest = 0.004;
// In a lab with fewer cores than hosts: of three real runs the standard deviation, in the median of 49 cells (seven kernels of PVM's, four hosts on two
// cores, 10 to 100 Mb/s, the lab's three ways; docs/design/simulation.md). What runs differ by on the slow wire, where nobody lacks a core, is 0.3%.
inline constexpr double unrest_of_shared_cores = 0.021;

inline constexpr const char* messages_that_meet = "messages that meet";

// What makes a prediction doubtful beside what other replays of it tell: what runs differ by, the self-check's error (relative, so
// that no interval is narrower), messages that meet within a host, and cores that the ranks lacked when they were recorded, for as long as they
// lacked them, at most: while they wait for a slower wire they need none.
DoubtSum doubts_beside_replays(const Program& program, const SelfCheck& check, const MachineModel& model,
                               const Prediction& prediction);

// How far the model is from its own machine where messages between hosts meet, as a part of what these take: 95%, twice
// the root mean square of the closed loop's relative errors (exchanges, trains, windows, collectives; docs:
// the closed loop), for each message between hosts those of sizes from half to double its own that go the
// same way (at once, or after a handshake), weighted by the messages' times; what is missed at one size is little like what
// is missed at others (doubts.cpp, alike), so that much of it evens out. 0 where the model has no closed
// loop of such sizes. Where a message takes longer than on the
// recording machine its relative error is less, by the 0.8th power of that: what is missed is mostly at the hosts, where it stays as long.
double doubt_of_traffic(const Program& program, const MachineModel& model, const MachineModel& recorded_on);

// By how much less and more a prediction may take by that where all ranks share one host (between hosts replays tell it): a message inside a
// collective is doubted by what collectives
// of sizes from a quarter to four times its own were off (`measure` has sizes 16 times apart), every other one by the
// other experiments. What collectives take beyond their messages (copies of vectors, memory that both ranks want)
// is missing on one side, so up and down are told apart there: measured / simulated - 1, where that is above or
// below 0, as a part of the time blocked and in the library.
struct DoubtOfMessages {
  double below_s = 0, above_s = 0;
};
DoubtOfMessages doubt_within_host(const Program& program, const MachineModel& model,
                                  const Simulated& simulated);

// With the cores that its hosts shared when it was recorded; none of a program that had one each, or on a network by name. What of a message's
// latency was not a lab's delay is software.
SharedCores shared_cores_of(const Program& program, const MachineModel& recorded_on,
                            const SimulateOptions& options);

// A run that lasts so long, each host with a core of its own, is not to be had on those cores: what ranks and switch took of processors
// when the program was recorded is a third more than there is of them in that time. On a wire ten times as quick the same work was 12 to
// 52% less (docs/design/simulation.md, "Cores that hosts share"), so that what is left keeps them busy, and messages wait for them.
bool cores_fall_short(const Program& program, const SharedCores& shared, double lasts_s);

// By which part computation may take more or less than recorded where ranks wait otherwise than they did:
// data cool while a rank waits, and frames that come while it computes take its processor. Of the seven
// kernels of examples/nas computation at 100 Mb/s took 31% less to 13% more than at 10 Mb/s. In proportion to
// how much the time blocked changes, 0 where it stays.
double doubt_of_computation(const Simulated& recorded, const Simulated& predicted);

// What of that a second recording leaves: instead of a fifth what it leaves over (Cooling::left_over), and the 3% by
// which two runs may differ as the processor's clock does without being told apart ("frequency-changed"), in squares,
// as far as waiting is between that of the two runs; a fifth again of what lies beyond them.
double doubt_of_computation(const Simulated& recorded, const Simulated& predicted, const Cooling& cooling);

// Whether between two of the hosts messages go one way that wait for a reply before their data go, and the other way large
// ones, which hold such a reply back: where they meet they go at once or one after the other, by who came first.
bool large_messages_meet(const Program& program, const MachineModel& model);

// What traffic that meets may do there, the usual rules first: the recorded run tells which give it back. large_meet: as above.
std::vector<TrafficRules> rules_that_may_be(const Program& program, bool large_meet);

// Of the recorded time: by how much other rules must come nearer to it to be taken; no other run is told from it by less.
inline constexpr double clearly_better = 0.02;

// How traffic that meets behaves depends on what the trace does not tell (contiguous data, or packed piece by piece; who came first by
// microseconds): of replays of the recorded run, the usual rules' first, the one that gives its time back, the first unless another is
// clearly better and leaves at most half of what that misses, as its rules are the libraries'. Its also_possible are the rules that give it back
// as well, and the libraries', of which the recorded run is one that went another way; by_chance, where large messages meet, those that do not.
struct ChosenRules {
  SelfCheck check;
  std::vector<TrafficRules> by_chance;
};
ChosenRules choose_rules(const std::vector<SelfCheck>& checked, double recorded_s, bool large_meet);

}  // namespace ww::simulate
