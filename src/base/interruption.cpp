#include "base/interruption.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace ww::interruption {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto time_to_end_by_itself = std::chrono::milliseconds(300);
// A signal that another thread took does not end the wait; then this does.
constexpr auto longest_wait = std::chrono::seconds(1);

std::atomic<bool> heeding{false};
std::atomic<bool> seen{false};         // while heeding
std::atomic<int> relays{0};            // a child runs
std::atomic<int> came{0};              // the signal that the relay has not looked at yet
std::atomic<bool> by_terminal{false};  // and it was Ctrl-C

void note(int signal, siginfo_t* info, void*) {
  if (relays == 0 && seen.exchange(true)) {
    struct sigaction fatal = {};
    fatal.sa_handler = SIG_DFL;
    sigaction(signal, &fatal, nullptr);
    raise(signal);  // comes when this handler returns
    return;
  }
  seen = heeding.load();
  by_terminal = info->si_code == SI_KERNEL;
  came = signal;
}

void ignore_end(int) {}

void install(struct sigaction& old_interrupt, struct sigaction& old_terminate) {
  struct sigaction action = {};
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGINT, &action, &old_interrupt);
  sigaction(SIGTERM, &action, &old_terminate);
}

}  // namespace

Heed::Heed() {
  seen = false;
  came = 0;
  heeding = true;
  install(old_interrupt_, old_terminate_);
}

Heed::~Heed() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
  heeding = false;
  seen = false;
}

bool requested() {
  return seen;
}

Relay::Relay(bool own_group) : own_group_(own_group) {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&ours, signal);
  pthread_sigmask(SIG_BLOCK, &ours, &old_mask_);
  waiting_mask_ = old_mask_;
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigdelset(&waiting_mask_, signal);
  came = 0;
  ++relays;
  install(old_interrupt_, old_terminate_);
  struct sigaction action = {};
  action.sa_handler = ignore_end;
  sigaction(SIGCHLD, &action, &old_child_);
}

Relay::~Relay() {
  --relays;
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
  sigaction(SIGCHLD, &old_child_, nullptr);
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

void Relay::in_child() const {
  // Heed's handlers are not the child's business either: exec would make them the default.
  for (const auto& [signal, old] :
       {std::pair{SIGINT, &old_interrupt_}, std::pair{SIGTERM, &old_terminate_}}) {
    struct sigaction action = *old;
    if ((action.sa_flags & SA_SIGINFO) != 0) {
      action = {};
      action.sa_handler = SIG_DFL;
    }
    sigaction(signal, &action, nullptr);
  }
  sigaction(SIGCHLD, &old_child_, nullptr);
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

void Relay::pass_on() {
  if (const int signal = came.exchange(0); signal != 0) {
    interrupted_ = true;
    if (own_group_ || !by_terminal) {
      due_signal_ = signal;
      due_ = Clock::now() + (own_group_ ? std::chrono::milliseconds(0) : time_to_end_by_itself);
    }
  }
  if (due_signal_ == 0 || child_ <= 0 || Clock::now() < due_) return;
  kill(child_, due_signal_);
  due_signal_ = 0;
}

int Relay::wait(pollfd* fds, unsigned count, std::optional<Clock::time_point> until) {
  pass_on();
  Clock::time_point end = Clock::now() + longest_wait;
  if (until) end = std::min(end, *until);
  if (due_signal_ != 0) end = std::min(end, due_);
  const auto left = std::max(Clock::duration::zero(), end - Clock::now());
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  const timespec timeout = {static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  const int ready = ppoll(fds, count, &timeout, &waiting_mask_);
  pass_on();
  return ready;
}

}  // namespace ww::interruption
