#include <sys/resource.h>

#include <chrono>

#include "base/disturbance.hpp"

namespace ww {

MachineUse machine_use_now() {
  MachineUse now;
  now.machine = processor_times().value_or(ProcessorTimes{});
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used = {};
    getrusage(whose, &used);
    for (const timeval& part : {used.ru_utime, used.ru_stime})
      now.own_s += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
  }
  now.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return now;
}

}  // namespace ww
