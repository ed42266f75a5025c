// Was the machine itself on time while a lab was judged? What a lab does in software needs a core whenever a
// frame is due. Where the cores are given to others meanwhile (by the host of a virtual machine, by a quota,
// for want of the right to real time) the lab is late, and a test of its rates would judge the machine. So a
// thread on each core, which the kernel puts before all others as it does the switch's hands, does nothing
// but wake every millisecond: by how much it is late is the machine's doing and not ours.
#pragma once
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace ww::lab {

class MachineWatch {
 public:
  MachineWatch() {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &usable)) watchers_.push_back(std::make_unique<Watcher>(core, stopping_));
  }
  ~MachineWatch() { stop(); }
  void stop() {
    stopping_ = true;
    for (const auto& watcher : watchers_)
      if (watcher->thread.joinable()) watcher->thread.join();
  }

  // The part of the time for which a core was away for longer than covered_s at a time, less that; the sum
  // over the cores, since either end of a wire can hold it up. After stop().
  double away(double covered_s) const {
    double sum = 0;
    for (const auto& watcher : watchers_) sum += watcher->away(covered_s);
    return sum;
  }

 private:
  struct Watcher {
    Watcher(int core, const std::atomic<bool>& stopping)
        : thread([this, core, &stopping] { run(core, stopping); }) {}
    void run(int core, const std::atomic<bool>& stopping) {
      cpu_set_t own;
      CPU_ZERO(&own);
      CPU_SET(core, &own);
      (void)sched_setaffinity(0, sizeof own, &own);
      sched_param first = {};
      first.sched_priority = 99;
      (void)sched_setscheduler(0, SCHED_FIFO, &first);  // without the right to it the hands have none either
      const std::int64_t began_ns = now_ns();
      std::int64_t next_ns = began_ns + every_ns;
      while (!stopping) {
        const timespec next{next_ns / 1'000'000'000, next_ns % 1'000'000'000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
        const std::int64_t now = now_ns();
        late_ns.push_back(now - next_ns);
        next_ns = std::max(next_ns, now) + every_ns;
      }
      watched_ns = now_ns() - began_ns;
    }
    double away(double covered_s) const {
      double sum_ns = 0;
      for (const std::int64_t late : late_ns)
        sum_ns += std::max(0.0, static_cast<double>(late) - 1e9 * covered_s);
      return sum_ns / static_cast<double>(watched_ns);
    }
    static std::int64_t now_ns() {
      timespec now = {};
      clock_gettime(CLOCK_MONOTONIC, &now);
      return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
    }
    static constexpr std::int64_t every_ns = 1'000'000;
    std::vector<std::int64_t> late_ns;
    std::int64_t watched_ns = 1;
    std::thread thread;  // last, as it uses what is above
  };

  std::atomic<bool> stopping_{false};
  std::vector<std::unique_ptr<Watcher>> watchers_;
};

}  // namespace ww::lab
