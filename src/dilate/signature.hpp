// S3's results of runs at several D: its Table 1 form, speed-ups, where they flatten, the verdict. Of runs
// that were dilated and of runs that were simulated alike.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "dilate/curve.hpp"
#include "dilate/verdict.hpp"

namespace ww {

struct SignedRun {
  double factor = 1;
  int round = 1;
  double normalised_s = 0;            // of the whole run: from the earliest begin of a rank to the latest end
  std::vector<RankComponents> ranks;  // normalised
};

struct Signature {
  // At each D, rising: means over the rounds.
  struct Row {
    double factor = 1;
    double normalised_s = 0;
    std::vector<RankComponents> ranks;
    Components mean;  // of the ranks
  };
  std::vector<Row> rows;
  std::vector<SpeedUp> speedup;  // empty without D = 1
  std::optional<Flattening> flattens;
  Verdict verdict;
  std::string withheld;  // why none of the speed-ups may be taken for one; empty: they may
};
// No speed-up and no verdict is said of it, for this reason.
void withhold(Signature& signature, const std::string& reason);

// Does the software of messages stay what it is at every D, or does it become faster with the wire?
enum class SoftwareAtD : std::uint8_t { stays, becomes_faster };
Signature signature_of(const std::vector<SignedRun>& runs, SoftwareAtD software = SoftwareAtD::stays);

}  // namespace ww
