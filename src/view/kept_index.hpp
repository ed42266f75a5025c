// The index of a trace, kept in `view.index` beside the archive.
#pragma once
#include "analyze/breakdown.hpp"
#include "view/index_build.hpp"

namespace ww::view {

// Where it is kept. `anchor`: the trace's anchor file.
std::filesystem::path index_beside(const std::filesystem::path& anchor);

// May it be kept there: is the directory a trace of ours that can be written?
bool keeps_index(const std::filesystem::path& anchor);

// TRACE as users name it. Nothing: there is no archive yet, no index beside it, one of other files or another
// whatwire, or a damaged one. `machine`: that told software from waiting, or nullptr.
std::shared_ptr<const Index> kept_index(const std::filesystem::path& trace, const MachineModel* machine);

// Of a loaded trace. Kept beside it if it may be; where there is no room for that, a diagnostic says so, and it lives
// as long as this process only (Trace::store says where). `facts`: Index::facts.
Result<std::shared_ptr<const Index>> make_index(const Trace& trace,
                                                const std::vector<Breakdown::CallSplit>& splits,
                                                const MachineModel* machine, std::string facts,
                                                Diagnostics& diagnostics);

}  // namespace ww::view
