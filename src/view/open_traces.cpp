#include "view/open_traces.hpp"

#include <algorithm>

namespace ww::view {

int OpenTraces::add(std::shared_ptr<OpenTrace> trace) {
  const int number = next_++;
  if (viewing_.for_good) trace->prepare(number);
  const std::lock_guard lock(mutex_);
  traces_.push_back({number, std::move(trace), 0, 0});
  return number;
}

void OpenTraces::add_predicted(int number, std::uint64_t calls, std::shared_ptr<OpenTrace> trace) {
  Gone gone;  // end outside of the lock
  const std::lock_guard lock(mutex_);
  if (trace->origin().passing) let_pass(gone);
  make_room(calls, gone);
  traces_.push_back({number, std::move(trace), calls, ++questions_});
}

void OpenTraces::let_pass(Gone& gone) {
  for (;;) {
    std::size_t count = 0;
    auto oldest = traces_.end();
    for (auto at = traces_.begin(); at != traces_.end(); ++at) {
      if (!at->trace->origin().passing) continue;
      ++count;
      if (oldest == traces_.end() || at->used < oldest->used) oldest = at;
    }
    if (count < most_passing) return;
    gone.push_back(oldest->trace);
    traces_.erase(oldest);
  }
}

int OpenTraces::add_picture(std::uint64_t calls, const std::shared_ptr<OpenTrace>& picture) {
  Gone gone;
  const std::lock_guard lock(mutex_);
  for (const Numbered& one : traces_)
    if (one.trace == picture) return one.number;
  make_room(calls, gone);
  traces_.push_back({next_++, picture, calls, ++questions_});
  return traces_.back().number;
}

void OpenTraces::make_room(std::uint64_t calls, Gone& gone) {
  for (;;) {
    std::size_t count = 0;
    std::uint64_t kept_calls = 0;
    auto oldest = traces_.end();
    for (auto at = traces_.begin(); at != traces_.end(); ++at) {
      if (at->trace->origin().of < 0) continue;
      ++count;
      kept_calls += at->calls;
      if (oldest == traces_.end() || at->used < oldest->used) oldest = at;
    }
    if (oldest == traces_.end() || (count < most_predicted && kept_calls + calls <= most_predicted_calls))
      break;
    gone.push_back(oldest->trace);
    traces_.erase(oldest);
  }
}

std::shared_ptr<OpenTrace> OpenTraces::find_predicted(const std::string& question) const {
  for (const Numbered& one : all())
    if (const TraceOrigin origin = one.trace->origin(); origin.of >= 0 && origin.question == question)
      return find(one.number);
  return nullptr;
}

std::shared_ptr<OpenTrace> OpenTraces::find(int number) const {
  const std::lock_guard lock(mutex_);
  for (const Numbered& one : traces_)
    if (one.number == number) {
      one.used = ++questions_;
      return one.trace;
    }
  return nullptr;
}

int OpenTraces::number_of(const OpenTrace* trace) const {
  for (const Numbered& one : all())
    if (one.trace.get() == trace) return one.number;
  return -1;
}

std::vector<OpenTraces::Numbered> OpenTraces::all() const {
  const std::lock_guard lock(mutex_);
  return traces_;
}

}  // namespace ww::view
