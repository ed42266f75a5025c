#include "simulate/hypercube/processor.hpp"

#include <algorithm>
#include <utility>

#include "base/result.hpp"

namespace ww::simulate::hypercube {

void Processor::interrupt(double work_s, Then then) {
  settle();
  interrupts_.push_back({work_s, std::move(then)});
  plan();
}

void Processor::work(double work_s, Then then) {
  WW_INVARIANT(!process_);
  settle();
  process_ = Work{work_s, std::move(then)};
  plan();
}

void Processor::channels(int more_receiving, int more_sending) {
  settle();
  receiving_ += more_receiving;
  sending_ += more_sending;
  WW_INVARIANT(receiving_ >= 0 && sending_ >= 0);
  plan();
}

void Processor::settle() {
  const double passed_s = agenda_.now_s() - since_s_;
  since_s_ = agenda_.now_s();
  if (memory_.full(receiving_ + sending_)) full_s_ += passed_s;
  Work* work = current();
  if (work == nullptr) return;
  work->left_s = std::max(0.0, work->left_s - passed_s * memory_.processor_speed(receiving_, sending_));
  if (!interrupts_.empty()) interrupts_s_ += passed_s;
}

void Processor::plan() {
  const Work* work = current();
  const std::uint64_t plan = ++plan_;
  if (work == nullptr) return;
  agenda_.at(agenda_.now_s() + work->left_s / memory_.processor_speed(receiving_, sending_),
             [this, plan] { finish(plan); });
}

void Processor::finish(std::uint64_t plan) {
  if (plan != plan_) return;
  settle();
  Then then;
  if (!interrupts_.empty()) {
    then = std::move(interrupts_.front().then);
    interrupts_.pop_front();
  } else {
    then = std::move(process_->then);
    process_.reset();
  }
  this->plan();
  if (then) then();
}

}  // namespace ww::simulate::hypercube
