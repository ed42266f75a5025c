// LogGOPS (Hoefler, Schneider, Lumsdaine, "LogGOPSim", HPDC 2010, section 2): what a message of s bytes
// costs.
//
//   sender's processor    o + (s-1) O                       its network card    g + (s-1) G
//   first byte arrives    o + L after the start of the send
//   receiver's processor  o + (s-1) max(O, G)               its network card    g + (s-1) G
//
// A message of more than S bytes is first asked for: a request and a reply, each a message of one byte that
// costs what one costs on both processors and cards. (LogGOPSim takes this for free.) A message without bytes
// costs what one byte costs.
//
// Times are counted in ticks, whole numbers, so that the same program takes the same time however it is
// evaluated. A tick is a femtosecond; runs of over two hours do not fit.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/result.hpp"
#include "machine/model.hpp"

namespace ww::schedule {

using Ticks = std::int64_t;
inline constexpr Ticks ticks_per_ns = 1'000'000;
inline constexpr double ticks_per_s = 1e15;
// No time of a run may come near the end of the numbers: half of them, 4600 s.
inline constexpr Ticks latest = Ticks{1} << 62;

struct LogGopsTicks {
  Ticks L = 0, o = 0, g = 0, G = 0, O = 0;
  std::uint64_t S_bytes = 0;
  double compute_factor = 1;  // computation takes 1 / this

  static Ticks more(std::uint64_t bytes, Ticks each) {
    return bytes > 1 ? static_cast<Ticks>(bytes - 1) * each : 0;
  }
  bool rendezvous(std::uint64_t bytes) const { return bytes > S_bytes; }
  Ticks send_processor(std::uint64_t bytes) const { return o + more(bytes, O); }
  Ticks card(std::uint64_t bytes) const { return g + more(bytes, G); }
  Ticks receive_processor(std::uint64_t bytes) const { return o + more(bytes, std::max(O, G)); }
  Ticks first_byte() const { return o + L; }
  Ticks control() const { return first_byte() + o; }  // a message of one byte, from processor to processor
  Ticks compute(std::uint64_t duration_ns) const {
    const Ticks recorded = static_cast<Ticks>(duration_ns) * ticks_per_ns;
    return compute_factor == 1
               ? recorded
               : static_cast<Ticks>(std::llround(static_cast<double>(recorded) / compute_factor));
  }
};

// Errors: a parameter that is negative or longer than half an hour.
Result<LogGopsTicks> in_ticks(const LogGops& machine);
struct Schedule;
// Errors: a computation or a message whose time does not fit.
Result<void> fits(const Schedule& schedule, const LogGopsTicks& machine);
inline double seconds(Ticks ticks) {
  return static_cast<double>(ticks) / ticks_per_s;
}

}  // namespace ww::schedule
