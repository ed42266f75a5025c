// Noted runs of one trace, each in the memory of one that nobody shows any more: while a slider moves one comes after the other, and
// to touch new memory for the first time takes as long as the rest (src/simulate/events/spare_states.hpp).
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "view/noted_source.hpp"

namespace ww::view {

class NotedRuns {
 public:
  // Of that trace, which is the same each time. As if new.
  static std::shared_ptr<NotedRun> take(const std::shared_ptr<NotedRuns>& from,
                                        const std::shared_ptr<const Trace>& of, std::size_t messages);

 private:
  void give(std::unique_ptr<NotedRun> run);

  static constexpr std::size_t most = 2;
  std::mutex mutex_;
  std::vector<std::unique_ptr<NotedRun>> spare_;
};

}  // namespace ww::view
