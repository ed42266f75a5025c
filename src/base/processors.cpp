#include "base/processors.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <sstream>

#include "base/files.hpp"

namespace ww {

Result<ProcessorTimes> parse_processor_times(std::string_view proc_stat) {
  std::istringstream line{std::string(proc_stat.substr(0, proc_stat.find('\n')))};
  std::string all;
  // user nice system idle iowait irq softirq steal; guests are in user and nice already (proc(5))
  std::array<double, 8> ticks{};
  line >> all;
  for (double& each : ticks) line >> each;
  if (all != "cpu" || !line) return fail("cannot read what processors did", "/proc/stat");
  const auto tick_s = 1 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto& [user, nice, system, idle, waiting, interrupts, soft_interrupts, stolen] = ticks;
  return ProcessorTimes{(user + nice + system + interrupts + soft_interrupts) * tick_s,
                        (idle + waiting) * tick_s, stolen * tick_s};
}

Result<ProcessorTimes> processor_times() {
  WW_TRY(const std::string text, read_file("/proc/stat"));
  return parse_processor_times(text);
}

namespace {

std::optional<double> waited_s_in(const std::filesystem::path& schedstat) {
  const auto text = read_file(schedstat);
  double ran_ns = 0, waited_ns = 0;
  if (text && std::istringstream(*text) >> ran_ns >> waited_ns) return waited_ns * 1e-9;
  return {};
}

}  // namespace

std::optional<double> thread_waited_s() {
  return waited_s_in("/proc/thread-self/schedstat");
}

Result<double> waited_for_processors_s() {
  double sum_s = 0;
  std::error_code problem;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", problem))
    sum_s += waited_s_in(task.path() / "schedstat").value_or(0);
  if (problem) return fail("cannot look at the own threads", problem.message());
  return sum_s;
}

}  // namespace ww
