// A schedule's tape, and what its costs are on a machine.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/schedule/schedule.hpp"
#include "simulate/schedule/tape.hpp"

namespace ww::schedule {

// What a step adds: so much of the machine, of a message of so many bytes.
enum class CostKind : std::uint8_t {
  nothing,
  send_processor,
  card,
  receive_processor,
  first_byte,
  control,
  control_first_byte,  // both
  control_send_processor
};
struct CostRow {
  CostKind kind = CostKind::nothing;
  std::uint64_t bytes = 0;
  // The time, and how often L, G and o are in it.
  std::array<Ticks, 4> on(const LogGopsTicks& machine) const;
};

struct Taped {
  Tape tape;
  std::vector<CostRow> rows;
  std::vector<std::uint64_t> computations_ns;  // by TapeStep::cost of timed steps
  std::vector<std::uint32_t> computing_rank;   // likewise
  std::vector<std::uint32_t> finish_slot;      // by rank
};

// Messages of more than `S_bytes` are asked for first. Nothing: operations wait for each other.
std::optional<Taped> tape_of(const Schedule& schedule, std::uint64_t S_bytes);

}  // namespace ww::schedule
