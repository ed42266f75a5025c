// What the kernel says of this machine's processors: whether a program had them when it wanted them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ww {

// Sums over all processors since the machine started (/proc/stat), in steps of 10 ms.
struct ProcessorTimes {
  double busy_s = 0;
  double idle_s = 0;
  double stolen_s = 0;  // a virtual machine had work and its host ran something else
};
Result<ProcessorTimes> processor_times();
Result<ProcessorTimes> parse_processor_times(std::string_view proc_stat);

// For how long threads of this process were ready to run and none of their processors was theirs
// (/proc/self/task/*/schedstat): that others had them, or a quota. Of the threads that live.
Result<double> waited_for_processors_s();
// Of the calling thread alone. Nothing where the kernel does not count it.
std::optional<double> thread_waited_s();

}  // namespace ww
