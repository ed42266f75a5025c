// What is told of a finish without contention, of schedules (maxplus.hpp) and of recorded programs
// (simulate/free/free.hpp) alike: whose it is, and how it grows.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "simulate/schedule/curves.hpp"
#include "simulate/schedule/joint.hpp"

namespace ww::schedule {

// What of the finish is whose: the longest chain's time by rank, call and message. `by_rank` and `under_way`
// sum to the finish.
struct Blame {
  std::vector<Ticks> by_rank;  // on processors and cards
  std::vector<Ticks> by_call;
  Ticks compute = 0, under_way = 0;
  struct Message {
    std::uint64_t number = 0;
    Ticks time = 0;
  };
  std::vector<Message> messages;  // on the chain, the longest first
};

struct MessageEnds {
  std::int64_t from = 0, to = 0;
  std::uint64_t bytes = 0;
};
// "by_rank" (without those that `idle` leaves out: ranks to blame for nothing), "by_call" and the longest
// "messages".
nlohmann::json to_json(const Blame& blame, bool idle, const std::vector<std::string>& calls,
                       const std::function<MessageEnds(std::uint64_t number)>& ends, double per_s);

struct Growth {
  Parameter parameter = Parameter::latency;
  PieceCurve curve;  // from Reach::from on
  struct Within {
    int percent = 1;
    Ticks most = 0;  // where the finish is that much later than now; -1: not within reach
  };
  std::vector<Within> within;
};
// "pieces", "to_s" and "cut", of values that begin at `from_s`.
nlohmann::json to_json(const PieceCurve& curve, double from_s, double per_s);

// Where the parameters are, how far curves go, how far tolerances are looked for, and where curves begin.
struct Reach {
  Parameters now, curves, tolerances, from = {};
  bool jointly = true;  // by two parameters too
};
struct Growths {
  std::vector<Growth> by;         // of the parameters whose curves go anywhere
  std::optional<JointMap> joint;  // by latency and the time a byte, if both do
};
// `finish`: now. `limits` are those of the joint map; without it, of the pieces of all curves. Errors: those of the
// evaluation, and of joint_map.
Result<Growths> growths(const Growing& growing, Ticks finish, Reach reach, const JointLimits& limits);

}  // namespace ww::schedule
