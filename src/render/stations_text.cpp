#include "render/stations_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

using stations::StationResult;
using stations::StationsScenario;
using stations::StationsStudy;

std::string tenths(double seconds) {
  return fmt::format("{:.1f}", seconds);
}

std::string table(const StationsScenario& scenario) {
  Table table({"station", "execution", "blocked", "service", "algor.", "in select", "network", "library",
               "TCP", "msgs", "bytes"},
              1);
  // S4's digit where that tells something
  const bool long_run = scenario.run().elapsed_s() >= 10;
  const auto shown = [&](double seconds) { return long_run ? tenths(seconds) : show_time(seconds); };
  const auto add = [&](std::string name, const StationResult& one) {
    table.add({std::move(name), shown(one.elapsed_s), shown(one.blocked_s), shown(one.service_s),
               shown(one.algorithmic_s), shown(one.recorded_blocked_s), shown(one.network_s),
               shown(one.overhead_s), shown(one.tcp_s), std::to_string(one.messages),
               std::to_string(one.bytes)});
  };
  add(fmt::format("mean of {}", scenario.run().stations.size()), mean(scenario.run().stations));
  std::size_t number = 0;
  return limited(table, scenario.run().stations, "stations",
                 [&](const StationResult& one) { add(std::to_string(number++), one); });
}

}  // namespace

std::string stations_tables(const StationsStudy& study) {
  std::string text;
  for (const StationsScenario& one : study.scenarios) {
    text += fmt::format("{}{}: {}, {} to {} by the back-off; {} collisions\n", study.machine,
                        one.what_if.empty() ? "" : ", " + one.what_if, show_time(one.run().elapsed_s()),
                        show_time(one.low_s), show_time(one.high_s), one.run().collisions);
    text += table(one) + "\n";
  }
  text +=
      "blocked: algorithmic, until the matching send began, and service; in select: as recorded. network: of "
      "a station's packets\n";
  return text;
}

std::string stations_csv(const StationsStudy& study) {
  std::string text =
      "what_if,station,execution_s,blocked_s,service_s,algorithmic_s,recorded_blocked_s,network_s,library_"
      "overhead_s,tcp_overhead_s,messages,bytes,collisions\n";
  for (const StationsScenario& one : study.scenarios) {
    const auto line = [&](const std::string& name, const StationResult& of) {
      text += fmt::format("{},{}", csv_field(one.what_if), name);
      for (const double value : {of.elapsed_s, of.blocked_s, of.service_s, of.algorithmic_s,
                                 of.recorded_blocked_s, of.network_s, of.overhead_s, of.tcp_s})
        text += "," + csv_number(value);
      text += fmt::format(",{},{},{}\n", of.messages, of.bytes, one.run().collisions);
    };
    for (std::size_t i = 0; i < one.run().stations.size(); ++i)
      line(std::to_string(i), one.run().stations[i]);
    line("mean", mean(one.run().stations));
  }
  return text;
}

}  // namespace ww
