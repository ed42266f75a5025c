#include "view/kept_index.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "simulate/stored.hpp"
#include "trace/archive_entries.hpp"
#include "trace/directory.hpp"
#include "view/index_parts.hpp"
#include "view/trace_source.hpp"

namespace ww::view {
namespace fs = std::filesystem;
namespace {

std::optional<fs::path> anchor_file_of(const fs::path& trace) {
  std::error_code ignored;
  const fs::path anchor = anchor_of(trace);
  return fs::is_regular_file(anchor, ignored) ? std::optional(anchor) : std::nullopt;
}

// What the index was made of, as a number: the archive's files, this whatwire, the machine's model.
std::uint64_t rests_on(const fs::path& anchor, const MachineModel* machine) {
  const std::uint64_t files = simulate::fingerprint(anchor);
  return machine == nullptr ? files : fnv1a(json_text(to_json(*machine)), files);
}

// What a trace has beside calls.
void widen(const Trace& trace, Building& building) {
  const std::int64_t begin_ns = trace.begin_ns();
  const auto take = [&](std::int64_t ns) {
    building.from_ns = std::min(building.from_ns, ns - begin_ns);
    building.to_ns = std::max(building.to_ns, ns - begin_ns);
  };
  for (const RankTrace& rank : trace.ranks) {
    for (const UserRegion& region : rank.user.regions) take(region.enter_ns), take(region.leave_ns);
    for (const UserValue& value : rank.user.values) take(value.at_ns);
    for (const UserMarker& marker : rank.user.markers) take(marker.at_ns);
  }
}

}  // namespace

fs::path index_beside(const fs::path& anchor) {
  return anchor.parent_path() / "view.index";
}

bool keeps_index(const fs::path& anchor) {
  const fs::path dir = anchor.has_parent_path() ? anchor.parent_path() : fs::path(".");
  std::error_code ignored;
  return anchor.filename() == anchor_name && fs::is_regular_file(anchor, ignored) &&
         access(dir.c_str(), W_OK) == 0 && owned::look_at(dir, trace_kind).state == owned::FileState::ours;
}

std::shared_ptr<const Index> kept_index(const fs::path& trace, const MachineModel* machine) {
  const auto anchor = anchor_file_of(trace);
  if (!anchor) return nullptr;
  auto index = Index::open(index_beside(*anchor), rests_on(*anchor, machine));
  return index ? *index : nullptr;
}

Result<std::shared_ptr<const Index>> make_index(const Trace& trace,
                                                const std::vector<Breakdown::CallSplit>& splits,
                                                const MachineModel* machine, std::string facts,
                                                Diagnostics& diagnostics) {
  Building building;
  building.store = trace.store;
  building.facts = [&] { return std::move(facts); };
  widen(trace, building);
  // Before it is made: what is written meanwhile makes it stale.
  const bool keeps = keeps_index(trace.source);
  const std::uint64_t made_from = keeps ? rests_on(trace.source, machine) : 0;
  WW_TRY(std::shared_ptr<const Index> index, build_index(TraceSource(trace, splits), building));
  if (!keeps) return index;
  const fs::path file = index_beside(trace.source);
  if (const auto saved = index->save(file, made_from); !saved) {
    diagnostics.add("index-not-kept", to_string(saved.error()));
    return index;
  }
  auto mapped = Index::open(file, made_from);
  return mapped ? *mapped : index;
}

}  // namespace ww::view
