// The POP efficiencies (pop-coe.eu): parallel efficiency = load balance x communication efficiency;
// communication efficiency = serialisation x transfer.
//   load balance             = mean / maximum of the ranks' computation
//   communication efficiency = maximum computation / elapsed
//   serialisation            = maximum computation / elapsed on a network without cost
//   transfer                 = elapsed on a network without cost / elapsed
// So parallel efficiency is the mean computation over the elapsed time.
#pragma once
#include <optional>

#include "analyze/breakdown.hpp"

namespace ww {

struct Pop {
  double elapsed_s = 0, mean_compute_s = 0, most_compute_s = 0;
  double parallel_efficiency = 0, load_balance = 0, communication_efficiency = 0;
  std::optional<double> ideal_s, serialisation, transfer;  // nothing: the ideal run is not known
};

Pop find_pop(const Breakdown& breakdown, std::optional<double> ideal_s);

}  // namespace ww
