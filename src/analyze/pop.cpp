#include "analyze/pop.hpp"

#include "analyze/balance.hpp"

namespace ww {

Pop find_pop(const Breakdown& breakdown, std::optional<double> ideal_s) {
  const Evenness compute_s = find_balance(breakdown).compute_s;
  Pop pop;
  pop.elapsed_s = breakdown.elapsed_s;
  pop.mean_compute_s = compute_s.mean;
  pop.most_compute_s = compute_s.most;
  pop.load_balance = compute_s.balance;
  if (pop.elapsed_s > 0) {
    pop.communication_efficiency = pop.most_compute_s / pop.elapsed_s;
    pop.parallel_efficiency = pop.mean_compute_s / pop.elapsed_s;
  }
  if (ideal_s && *ideal_s > 0 && pop.elapsed_s > 0) {
    pop.ideal_s = ideal_s;
    pop.serialisation = pop.most_compute_s / *ideal_s;
    pop.transfer = *ideal_s / pop.elapsed_s;
  }
  return pop;
}

}  // namespace ww
