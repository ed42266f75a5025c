// Collisions at 10 and at 100 Mb/s of programs like those of S4 (Zabel 1996), beside its appendix. S4's
// traces are lost; what its appendix says of each station (time outside blocking, PVM's part of it, calls of
// pvm_send, messages, bytes) makes a program of phases: a station computes, sends to a partner, and receives
// from one. Partners are the next station of a ring, or one after the other all others (IS, FT:
// transpositions). A pvm_send goes in messages of 4080 bytes at most, as PVM's do; PVM's time is spent by the
// message, half where it is sent and half where it is received. Each time varies evenly by half of it, which
// is a guess. The hosts and wires are the presets pvm-ethernet-10 and -100.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <random>

#include "machine/network_spec.hpp"
#include "machine/presets.hpp"
#include "simulate/simulate.hpp"
#include "simulate/trace_builder.hpp"

namespace {

constexpr int stations = 4;
constexpr std::uint64_t fragment_bytes = 4080;

struct Kernel {
  const char* name;
  std::array<double, stations> busy_s;  // execution less blocking at 10 Mb/s, of the stations that compute
  double pvm_s;                         // of it, mean
  int sends;                            // calls of pvm_send by a station, mean
  double bytes;                         // sent by a station, mean
  bool all_to_all;
  double s4_slow, s4_fast;  // collisions at 10 and 100 Mb/s
};

// Appendix A.1 to A.7.
const std::array<Kernel, 7> kernels{{
    {"mg", {106.1, 194.0, 323.1, 107.4}, 13.8, 208, 6428693, false, 5174, 514},
    {"cg", {30.2, 18.7, 21.4, 22.3}, 7.5, 1801, 3353521, false, 8030, 725},
    {"is", {55.8, 31.0, 234.1, 57.4}, 24.8, 93, 16593454, true, 7189, 613},
    {"ft", {45.5, 44.0, 46.1, 44.0}, 11.3, 47, 11054686, true, 32124, 9325},
    {"lu", {55.1, 55.0, 54.7, 62.5}, 16.3, 5395, 977472, false, 1343, 273},
    {"sp", {252.1, 351.3, 340.7, 286.4}, 140.7, 26786, 46837520, false, 27133, 2177},
    {"bt", {403.1, 482.8, 476.7, 430.3}, 110.0, 21000, 46274800, false, 24397, 2109},
}};

ww::Trace trace_of(const Kernel& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto varied = [&](double seconds) {
    return seconds * (0.5 + static_cast<double>(random() >> 11) * 0x1p-53);
  };
  auto builder = ww::simulate::TraceBuilder::spread(stations);
  builder.call_ns = 0;
  const auto each = static_cast<std::uint64_t>(kernel.bytes / kernel.sends);
  const auto fragments = static_cast<double>((each + fragment_bytes - 1) / fragment_bytes);
  const double pvm_s = kernel.pvm_s / kernel.sends / fragments / 2;
  for (int phase = 0; phase < kernel.sends; ++phase) {
    const int step = kernel.all_to_all ? 1 + phase % (stations - 1) : 1;
    for (int station = 0; station < stations; ++station) {
      const double computes_s =
          (kernel.busy_s[static_cast<std::size_t>(station)] - kernel.pvm_s) / kernel.sends;
      if (!kernel.all_to_all)
        builder.compute(station, varied(computes_s));
      else if (step == 1)
        builder.compute(station, varied(computes_s * (stations - 1)));
      for (std::uint64_t left = each; left > 0; left -= std::min(left, fragment_bytes)) {
        builder.compute(station, varied(pvm_s));
        builder.send(station, (station + step) % stations, std::min(left, fragment_bytes));
      }
      for (std::uint64_t left = each; left > 0; left -= std::min(left, fragment_bytes)) {
        builder.recv(station, (station + stations - step) % stations, std::min(left, fragment_bytes));
        builder.compute(station, varied(pvm_s));
      }
    }
  }
  return builder.trace();
}

struct Counted {
  double collisions = 0, deferred = 0;
};

Counted count(const ww::Trace& trace, const char* machine, std::uint64_t seed) {
  ww::SimulateOptions options;
  options.network = *ww::parse_network_spec("bus");
  options.seed = seed;
  const auto simulated = ww::replay(trace, *ww::find_preset(machine), options);
  WW_INVARIANT(simulated);
  Counted out;
  for (const auto& [name, value] : simulated->network.counts) {
    if (name == "collisions") out.collisions = value;
    if (name == "deferred") out.deferred = value;
  }
  return out;
}

}  // namespace

int main() {
  fmt::print(
      "| | S4's collisions: 10 Mb/s | 100 Mb/s | factor | here, collisions: 10 Mb/s | 100 Mb/s | factor | "
      "collisions "
      "and deferrals: 10 Mb/s | 100 Mb/s | factor (3 seeds) |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Kernel& kernel : kernels) {
    Counted slow, fast;
    double least = 1e9, most = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const ww::Trace trace = trace_of(kernel, seed);
      const Counted at_10 = count(trace, "pvm-ethernet-10", seed),
                    at_100 = count(trace, "pvm-ethernet-100", seed);
      slow.collisions += at_10.collisions / 3;
      slow.deferred += at_10.deferred / 3;
      fast.collisions += at_100.collisions / 3;
      fast.deferred += at_100.deferred / 3;
      const double factor = (at_10.collisions + at_10.deferred) / (at_100.collisions + at_100.deferred);
      least = std::min(least, factor);
      most = std::max(most, factor);
    }
    fmt::print(
        "| {} | {} | {} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.1f} ({:.1f} to {:.1f}) "
        "|\n",
        kernel.name, kernel.s4_slow, kernel.s4_fast, kernel.s4_slow / kernel.s4_fast, slow.collisions,
        fast.collisions, slow.collisions / fast.collisions, slow.collisions + slow.deferred,
        fast.collisions + fast.deferred,
        (slow.collisions + slow.deferred) / (fast.collisions + fast.deferred), least, most);
  }
}
