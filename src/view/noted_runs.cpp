#include "view/noted_runs.hpp"

namespace ww::view {

std::shared_ptr<NotedRun> NotedRuns::take(const std::shared_ptr<NotedRuns>& from,
                                          const std::shared_ptr<const Trace>& of, std::size_t messages) {
  std::unique_ptr<NotedRun> run;
  {
    const std::lock_guard lock(from->mutex_);
    if (!from->spare_.empty()) {
      run = std::move(from->spare_.back());
      from->spare_.pop_back();
    }
  }
  if (!run || run->recorded != of || run->notes.ways().size() != messages)
    run = std::make_unique<NotedRun>(of, messages);
  return {run.release(), [back = std::weak_ptr<NotedRuns>(from)](NotedRun* gone) {
            std::unique_ptr<NotedRun> own(gone);
            if (const auto there = back.lock()) there->give(std::move(own));
          }};
}

void NotedRuns::give(std::unique_ptr<NotedRun> run) {
  run->notes.clear();
  run->simulated = {};
  const std::lock_guard lock(mutex_);
  if (spare_.size() < most) spare_.push_back(std::move(run));
}

}  // namespace ww::view
