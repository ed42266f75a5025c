// What stands in a trace directory, so that it can be removed and nothing else with it (base/owned.hpp).
// Every file that a version of ours makes in one is named here.
#pragma once
#include "base/owned.hpp"

namespace ww {

inline constexpr owned::Entry archive_entries[] = {
    {"[0-9]*.evt"}, {"[0-9]*.def"}, {"[0-9]*.snap"}, {"[0-9]*.marker"}};
inline constexpr owned::ContentKind archive_kind{"archive", archive_entries, false};

inline constexpr owned::Entry spawned_world_entries[] = {{"rank-*.thread-*.spool"}, {"rank-*.defs"}};
inline constexpr owned::ContentKind spawned_world_kind{"world", spawned_world_entries, false};

inline constexpr owned::Entry spool_entries[] = {{"rank-*.thread-*.spool"},
                                                 {"rank-*.defs"},
                                                 {"task-*.thread-*.spool"},
                                                 {"task-*.defs"},
                                                 {"daemon-[0-9]*"},
                                                 {"world-0"},
                                                 {"world-*", &spawned_world_kind},
                                                 {"other-job-*"},
                                                 {"other-mpi"},
                                                 {"stamps-*"},
                                                 {"run.json"},
                                                 {"run.json.*part*"},
                                                 {"recording"},
                                                 {"recording.*part*"},
                                                 {"loaded"},
                                                 {"init-unseen"}};
inline constexpr owned::ContentKind spool_kind{"spool", spool_entries, false};

// Of one attempt to unify, and where processes meet that share one piece of work: nobody else knows these
// names, and what stands in them is ours whatever its name.
inline constexpr owned::Entry work_part_entries[] = {{"*"}, {"traces", &archive_kind}};
inline constexpr owned::ContentKind work_part_kind{"part", work_part_entries, false};
inline constexpr owned::Entry work_entries[] = {
    {"*"}, {"traces", &archive_kind}, {"traces.before", &archive_kind}, {"part.*", &work_part_kind}};
inline constexpr owned::ContentKind work_kind{"work", work_entries, false};
// The same beside a trace that may be another tool's, and so with a marker of its own.
inline constexpr owned::ContentKind meeting_kind{"meeting", work_entries};

inline constexpr owned::Entry trace_entries[] = {{"run.json"},
                                                 {"run.json.*part*"},
                                                 {"machine.json"},
                                                 {"traces.otf2"},
                                                 {"traces.def"},
                                                 {"traces.marker"},
                                                 {"traces.wwp"},
                                                 {"traces.wwp.*"},
                                                 {"program.wws"},
                                                 {"program.wws.*"},
                                                 {"view.index"},
                                                 {"view.index.*"},
                                                 {".lock"},
                                                 {"traces", &archive_kind},
                                                 {"spool", &spool_kind},
                                                 {".spool-*", &spool_kind},
                                                 {".unify-*", &work_kind},
                                                 {".sweep-*", &work_kind}};
inline constexpr owned::ContentKind trace_kind{"trace", trace_entries};

}  // namespace ww
