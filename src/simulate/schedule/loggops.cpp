#include "simulate/schedule/loggops.hpp"

#include <fmt/format.h>

#include <cmath>

#include "simulate/schedule/schedule.hpp"

namespace ww::schedule {

Result<LogGopsTicks> in_ticks(const LogGops& machine) {
  constexpr double longest_s = 1800;
  LogGopsTicks out;
  const std::pair<double, Ticks*> all[] = {{machine.L_s, &out.L},
                                           {machine.o_s, &out.o},
                                           {machine.g_s, &out.g},
                                           {machine.G_s_per_byte, &out.G},
                                           {machine.O_s_per_byte, &out.O}};
  for (const auto& [given_s, into] : all) {
    if (!(given_s >= 0 && given_s <= longest_s))
      return fail("a LogGOPS parameter that is negative or longer than half an hour",
                  fmt::format("{} s", given_s), "mend \"loggops\" in the machine model");
    *into = std::llround(given_s * ticks_per_s);
  }
  if (!(machine.S_bytes >= 0)) return fail("a negative LogGOPS parameter", "S_bytes");
  out.S_bytes = machine.S_bytes >= 9e18 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(machine.S_bytes);
  return out;
}

Result<void> fits(const Schedule& schedule, const LogGopsTicks& machine) {
  const auto most = static_cast<double>(latest);
  const auto bytes = static_cast<double>(schedule.largest_bytes);
  const double message = bytes * static_cast<double>(std::max(machine.G, machine.O));
  const double computation =
      static_cast<double>(schedule.longest_ns) * static_cast<double>(ticks_per_ns) / machine.compute_factor;
  if (message < most / 2 && computation < most / 2) return {};
  return fail(message < most / 2 ? "a computation of over half an hour" : "a message of over half an hour",
              fmt::format("{} ns, {} bytes", schedule.longest_ns, schedule.largest_bytes),
              "replay a part of the run");
}

}  // namespace ww::schedule
