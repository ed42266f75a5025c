#include "cli/simulate_also.hpp"

namespace ww::cli {

Result<std::shared_ptr<const simulate::Cooling>> compare_recordings(const Trace& recorded,
                                                                    const std::vector<std::string>& also) {
  std::shared_ptr<const simulate::Cooling> none_asked;
  if (also.empty()) return none_asked;
  std::vector<simulate::Computed> others;
  for (const std::string& path : also) {
    WW_TRY(const Trace other, load_trace(path));
    WW_TRY(others.emplace_back(), simulate::real_computation_in(other));
  }
  return simulate::compare_computation(recorded, others);
}

}  // namespace ww::cli
