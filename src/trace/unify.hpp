// The spools of a run to its archive, by one process or by several (team.hpp).
#pragma once
#include "trace/team.hpp"
#include "trace/trace.hpp"

namespace ww {

inline constexpr const char* anchor_name = "traces.otf2";  // in a trace directory

// As unify of trace.hpp, together with the other processes of the crew, which call it alike; every one but
// the leader, whose diagnostics are those of the whole, gives none. The archive is the same however many they
// are.
Result<Diagnostics> unify(const std::filesystem::path& dir, nlohmann::json run, const Crew& crew);

// Of a trace directory that still has its spool: the run is over, and what run.json says of it is kept.
// Errors: no such directory, still being recorded, and those of unify.
Result<Diagnostics> unify_recorded(const std::filesystem::path& dir, const Crew& crew);

// What run.json of a trace directory says; null: nothing that can be read.
nlohmann::json read_run(const std::filesystem::path& dir);

// There is a complete archive in the trace directory.
bool is_unified(const std::filesystem::path& dir);

}  // namespace ww
