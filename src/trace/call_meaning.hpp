// What a call of a message library means: as its recorder says in the spool, and in an archive of ours the
// description of its region. Of spools and archives that say nothing (older ones, other tools') by MPI's names.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.hpp"

namespace ww {

// The first is that of calls that are told by none of the others.
enum class CallRole : std::uint8_t { other, frame, p2p, collective, one_sided, communicator, io };
// Of the frame: the program proper is what lies between.
enum class CallPhase : std::uint8_t { within, begins, ends };

struct CallMeaning {
  CallRole role = CallRole::other;
  CollectiveOp op = CollectiveOp::other;
  CallPhase phase = CallPhase::within;
  bool operator==(const CallMeaning&) const = default;
};

// "collective allreduce", "frame begins": the role, then the operation or the phase if there is one.
std::string to_text(const CallMeaning& meaning);
std::optional<CallMeaning> meaning_of_text(std::string_view text);
CallMeaning meaning_by_name(std::string_view mpi_call);

// The operation of a call of a trace. `meanings` are those of its first regions; the rest goes by names.
inline CollectiveOp op_of_region(const Trace& trace, std::span<const CallMeaning> meanings,
                                 std::uint16_t region) {
  return region < meanings.size() ? meanings[region].op : collective_op(trace.regions[region]);
}

}  // namespace ww
