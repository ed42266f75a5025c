#include "measure/program/host_facts.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "library/libraries.hpp"
#include "measure/program/session.hpp"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace ww::measure {
namespace {

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string cpuinfo(const std::string& key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) {
      const auto colon = line.find(": ");
      return colon == std::string::npos ? "" : line.substr(colon + 2);
    }
  return "";
}

double clock_hz() {
#if defined(__x86_64__)
  const double begin = now_s();
  const auto ticks = __rdtsc();
  double end = begin;
  while (end - begin < 0.02) end = now_s();
  return static_cast<double>(__rdtsc() - ticks) / (end - begin);
#else
  const std::string megahertz = cpuinfo("cpu MHz");
  return megahertz.empty() ? 0 : std::stod(megahertz) * 1e6;
#endif
}

}  // namespace

nlohmann::json host_facts() {
  utsname system{};
  uname(&system);
  return {{"cpu", cpuinfo("model name")},
          {"governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"kernel", std::string(system.sysname) + " " + system.release},
          {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
          {"clock_hz", clock_hz()},
          {"boot_id", first_line("/proc/sys/kernel/random/boot_id")}};
}

nlohmann::json mpi_settings() {
  constexpr const char* of_transports = "UCX_ FI_ PSM2_";
  nlohmann::json settings = nlohmann::json::object();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    // the launchers' own addresses and keys are no settings, nor is where they keep their files
    if (equals == std::string_view::npos || text.find("://") != std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    const auto sets = [&](const char* prefixes) {
      const auto all = split_words(prefixes);
      return std::any_of(all.begin(), all.end(), [&](std::string_view one) { return name.starts_with(one); });
    };
    bool of_messages = sets(of_transports);
    for (const Library* library : libraries()) of_messages = of_messages || sets(library->settings);
    if (of_messages) settings[name] = std::string(text.substr(equals + 1));
  }
  return settings;
}

}  // namespace ww::measure
