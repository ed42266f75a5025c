// A link as S2 (Ross, figure 3.5) tabulates it: T(n) = t_s + t_c n in seconds, in cycles of a clock, and in
// operations of a processor that does so many a cycle.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "machine/place.hpp"

namespace ww {

struct MachineModel;

// Numbers that follow from what is not known are 0.
struct AlphaBeta {
  Place between = Place::inter;
  double t_s = 0;             // seconds of the smallest message
  double t_c_s_per_byte = 0;  // seconds that each byte adds
  double clock_hz = 0;        // f
  double ipc = 0;             // operations a cycle
  double alpha_cycles = 0, beta_cycles_per_byte = 0, inverse_beta_bytes_per_cycle = 0;
  double operations_per_s = 0;  // t_a = f IPC
  double alpha_operations = 0, beta_operations_per_byte = 0;
  bool operator==(const AlphaBeta&) const = default;
};

// alpha = t_s f, beta = t_c f, and both times IPC. `clock_hz` and `ipc`: 0, where not known.
AlphaBeta alpha_beta(Place between, double t_s, double t_c_s_per_byte, double clock_hz, double ipc);

// Of a model's link: one way, by the byte.
struct LinkAlphaBeta {
  AlphaBeta row;
  // Of the least squares (not weighted) that t_c is the slope of.
  std::size_t sizes = 0, measured_sizes = 0;  // measured: their medians; the others are the model's own times
  double from_bytes = 0, to_bytes = 0;
};

// t_s is the smallest message's measured time. t_c is fitted as S2's script does (tstc.py): its program sends
// 1 to 4194304 doubles by doubling, the script leaves the first twelve sizes out, so 32 KiB to 32 MiB; of these
// those that the link knows, or all on its line where it knows less than three.
std::vector<LinkAlphaBeta> alpha_beta_of(const MachineModel& model);

// `t_s`, `t_c_s_per_byte` and so on; what is not known is null.
nlohmann::json to_json(const AlphaBeta& row);
// With "fit": {"sizes","measured_sizes","from_bytes","to_bytes"}.
nlohmann::json to_json(const LinkAlphaBeta& link);
// What to_json wrote, or a damaged file: numbers that are not there are 0.
AlphaBeta alpha_beta_from_json(const nlohmann::json& row);

}  // namespace ww
