// What a call of a message library means: as its recorder says in the spool, and in an archive of ours the
// description of its region. Of spools and archives that say nothing (older ones, other tools') by MPI's names.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.hpp"

namespace ww {

// "collective allreduce", "frame begins", "p2p polls": the role, then the operation, the phase or the manner if
// there is one.
std::string to_text(const CallMeaning& meaning);
std::optional<CallMeaning> meaning_of_text(std::string_view text);
CallMeaning meaning_by_name(std::string_view mpi_call);

// As told of a call, or if that says nothing by its name. The manner goes by the name also where none is told:
// recordings had their meanings before their manners.
CallMeaning meaning_told(std::string_view text, std::string_view name);
CallMeaning meaning_of_region(const Trace& trace, std::size_t region);

}  // namespace ww
