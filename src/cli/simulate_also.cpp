#include "cli/simulate_also.hpp"

#include <deque>

namespace ww::cli {

Result<std::shared_ptr<const simulate::Cooling>> compare_computation(const Trace& recorded,
                                                                     const std::vector<std::string>& also) {
  std::shared_ptr<const simulate::Cooling> none_asked;
  if (also.empty()) return none_asked;
  WW_CHECK(simulate::is_of_real_computation(recorded));
  const simulate::Computed computed = simulate::computed_in(recorded);
  std::deque<simulate::Computed> others;
  std::vector<simulate::RunPair> pairs;
  for (const std::string& path : also) {
    WW_TRY(const Trace other, load_trace(path));
    WW_CHECK(simulate::is_of_real_computation(other));
    others.push_back(simulate::computed_in(other));
    pairs.push_back({&computed, &others.back()});
  }
  WW_TRY(simulate::Cooling cooling, simulate::find_cooling(pairs));
  return std::make_shared<const simulate::Cooling>(std::move(cooling));
}

}  // namespace ww::cli
