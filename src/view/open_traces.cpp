#include "view/open_traces.hpp"

#include <algorithm>

namespace ww::view {

int OpenTraces::add(std::shared_ptr<OpenTrace> trace) {
  if (viewing_.for_good) trace->prepare();
  const std::lock_guard lock(mutex_);
  traces_.push_back({next_, std::move(trace)});
  return next_++;
}

int OpenTraces::add_predicted(std::shared_ptr<OpenTrace> trace) {
  std::shared_ptr<OpenTrace> gone;  // ends outside of the lock
  const std::lock_guard lock(mutex_);
  const auto is_ours = [](const Numbered& one) { return one.trace->origin().of >= 0; };
  if (static_cast<std::size_t>(std::count_if(traces_.begin(), traces_.end(), is_ours)) >= most_predicted) {
    const auto oldest = std::find_if(traces_.begin(), traces_.end(), is_ours);
    gone = oldest->trace;
    traces_.erase(oldest);
  }
  traces_.push_back({next_, std::move(trace)});
  return next_++;
}

std::optional<int> OpenTraces::find_predicted(int of, const std::string& spec) const {
  for (const auto& [number, trace] : all()) {
    const TraceOrigin origin = trace->origin();
    if (origin.of == of && origin.spec == spec) return number;
  }
  return std::nullopt;
}

std::shared_ptr<OpenTrace> OpenTraces::find(int number) const {
  const std::lock_guard lock(mutex_);
  for (const auto& one : traces_)
    if (one.number == number) return one.trace;
  return nullptr;
}

std::vector<OpenTraces::Numbered> OpenTraces::all() const {
  const std::lock_guard lock(mutex_);
  return traces_;
}

}  // namespace ww::view
