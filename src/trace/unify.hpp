// The spools of a run to its archive, by one process or by several (team.hpp). directory.hpp says what the
// trace directory goes through.
#pragma once
#include "trace/directory.hpp"
#include "trace/team.hpp"
#include "trace/trace.hpp"

namespace ww {

// As unify of trace.hpp, together with the other processes of the crew, which call it alike; every one but
// the leader, whose diagnostics are those of the whole, gives none. The archive is the same however many they
// are. Of a directory that others unified meanwhile it gives what they found.
Result<Diagnostics> unify(const std::filesystem::path& dir, nlohmann::json run, const Crew& crew);

// Of a trace directory that still has its spool: the run is over, and what was said of it is kept.
// Errors: no such directory, still being recorded, and those of unify.
Result<Diagnostics> unify_recorded(const std::filesystem::path& dir, const Crew& crew);

// The archive of what was recorded in `dir`, made in `place`, an empty directory elsewhere; nothing in `dir`
// is changed. Errors: those of unify_recorded.
Result<void> unify_elsewhere(const std::filesystem::path& dir, const std::filesystem::path& place);

// Somebody is still recording into the directory, or the program that was recorded still runs.
Result<void> check_ended(const std::filesystem::path& dir);

// What run.json of a trace directory says; null: nothing that can be read.
nlohmann::json read_run(const std::filesystem::path& dir);

}  // namespace ww
