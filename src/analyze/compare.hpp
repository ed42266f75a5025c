// Two runs side by side: speed-up, and what moved, by class of ranks and by call. Times of parts are means
// over ranks, so that runs with different numbers of ranks can be compared.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/breakdown.hpp"
#include "base/result.hpp"

namespace ww {

// Of a run: what `report --json` says, and so a study's "report". Diagnostics are taken too. Errors: a key is
// missing or of another kind.
Result<Breakdown> breakdown_from_json(const nlohmann::json& report);

struct Parts {  // means over ranks
  std::size_t ranks = 0;
  double elapsed_s = 0, compute_s = 0, library_s = 0, algorithmic_s = 0, service_s = 0;
  double messages_sent = 0, bytes_sent = 0;
};

// Ranks that send to as many ranks and receive from as many: the ends and the middle of a line, the root.
struct ClassChange {
  std::size_t sends_to = 0, receives_from = 0;
  std::optional<Parts> a, b;  // nothing: no such ranks
};

struct CallChange {
  std::string name;
  CallTotal a, b;  // sums over ranks; count 0: not called
  double a_each_rank_s = 0, b_each_rank_s = 0;
};

struct Comparison {
  double a_s = 0, b_s = 0;
  std::optional<double> speed_up;    // a_s / b_s
  std::optional<double> efficiency;  // speed-up over the ratio of ranks, if that is not 1
  Parts a, b;
  std::vector<ClassChange> classes;  // by sends_to, receives_from
  std::vector<CallChange> calls;     // those that changed most first
};

Comparison compare(const Breakdown& a, const Breakdown& b);
nlohmann::json to_json(const Comparison& comparison);

// A what-if that two studies asked, as simulation predicts it for each.
struct WhatIfChange {
  std::string spec;
  double a_s = 0, b_s = 0;
  double speed_up() const { return a_s / b_s; }
};
// Both: a study's "what_ifs".
std::vector<WhatIfChange> common_what_ifs(const nlohmann::json& a, const nlohmann::json& b);
nlohmann::json to_json(const std::vector<WhatIfChange>& what_ifs);

}  // namespace ww
