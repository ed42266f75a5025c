#include "lab/timeliness.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace ww::lab {
namespace {

constexpr double most_late = 0.01;  // of the frames
constexpr double fewest_frames = 100;

}  // namespace

Diagnostics timeliness(const nlohmann::json& status, const nlohmann::json& before) {
  Diagnostics said;
  const nlohmann::json nothing = nlohmann::json::object();
  const auto part = [&](const nlohmann::json& of) -> const nlohmann::json& {
    const auto found = of.is_object() ? of.find("switch") : of.end();
    return of.is_object() && found != of.end() ? *found : nothing;
  };
  const nlohmann::json &now = part(status), &then = part(before);
  if (!now.contains("late_frames")) return said;  // the kernel's token bucket does not say
  const auto more = [&](const char* key) { return now.value(key, 0.0) - then.value(key, 0.0); };
  const double frames = more("frames"), late = more("late_frames");
  if (frames < fewest_frames || late <= most_late * frames) return said;
  const bool no_rights = now.contains("missing_rights");
  // Within the kernel no threads are the switch.
  const std::string waited =
      now.contains("waited_s") ? fmt::format("its threads waited {:.2g} s for one, ", more("waited_s")) : "";
  said.add(
      "lab-late",
      fmt::format("{:.1f}% of the frames left the lab's switch later than its wire covers ({:.0f} us): the "
                  "lab was slower than its rate, since it had no core in time ({}the machine's host kept "
                  "{:.2g} s from the machine{}); end other programs, take "
                  "fewer hosts or a lower rate, and repeat",
                  100 * late / frames, now.at("late_us").value("covered", 0.0), waited, more("stolen_s"),
                  no_rights ? ", and it may not run in real time" : ""),
      static_cast<std::uint64_t>(late));
  return said;
}

Diagnostics timeliness(const nlohmann::json& status) {
  return timeliness(status, nullptr);
}

}  // namespace ww::lab
