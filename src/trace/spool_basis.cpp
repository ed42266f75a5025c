#include "trace/spool_basis.hpp"

#include <algorithm>
#include <limits>

#include "trace/call_meaning.hpp"
#include "trace/spool_tasks.hpp"

namespace ww::spool {
namespace {

void find_clock(Basis& basis, const std::vector<Extent>& extents, Diagnostics& diagnostics) {
  const std::vector<RankSpool>& spools = *basis.spools;
  basis.time.ticks_per_s = 0;
  for (const RankSpool& spool : spools) {
    basis.time.ticks_per_s = ticks_per_s(spool.definitions);
    if (basis.time.ticks_per_s > 0) break;
  }
  if (basis.time.ticks_per_s <= 0) {
    basis.time.ticks_per_s = 1e9;
    diagnostics.add("clock-unknown");
  }
  std::vector<std::uint64_t> last_ticks;
  for (const Extent& extent : extents) last_ticks.push_back(extent.last_ticks);
  basis.maps = tick_maps(spools, last_ticks, basis.time.ticks_per_s, diagnostics);
  long double first = std::numeric_limits<long double>::max();
  for (std::size_t s = 0; s < spools.size(); ++s)
    if (extents[s].first_ticks) first = std::min(first, basis.maps[s]->root_ticks(*extents[s].first_ticks));
  basis.time.origin_ticks = first == std::numeric_limits<long double>::max() ? 0 : first;
}

// Programs that only open sessions exchange no clocks; within a boot none are needed.
void note_missing_exchanges(const std::vector<RankSpool>& spools, Diagnostics& diagnostics) {
  const auto& root = spools.front().definitions.process;
  std::uint64_t missing = 0;
  for (const RankSpool& spool : spools) {
    const auto& process = spool.definitions.process;
    if (root && process && spool.definitions.clocks.empty() && process->boot_id != root->boot_id) ++missing;
  }
  if (missing > 0) diagnostics.add("clock-not-exchanged", missing);
}

void find_ranks(Basis& basis, const std::vector<Extent>& extents, Diagnostics& diagnostics) {
  const std::vector<RankSpool>& spools = *basis.spools;
  basis.addresses = addresses_of(spools);
  std::size_t size = basis.addresses.size();
  for (const RankSpool& spool : spools) {
    size = std::max(size, static_cast<std::size_t>(spool.rank) + 1);
    for (const CommDefinition& comm : spool.definitions.comms)
      if (comm.kind == "world" && !comm.ranks.empty())
        size = std::max(size, static_cast<std::size_t>(std::max(comm.ranks.back(), 0)) + 1);
  }
  basis.hosts.resize(size);
  std::size_t recorded = 0;
  for (std::size_t s = 0; s < spools.size(); ++s) {
    if (extents[s].recorded) ++recorded;
    if (spools[s].definitions.process)
      basis.hosts[static_cast<std::size_t>(spools[s].rank)] = spools[s].definitions.process->host;
  }
  // Tasks that were not recorded have been told already.
  if (!basis.addresses.empty()) size = spools.size();
  if (recorded < size)
    diagnostics.add("rank-missing",
                    "a rank of MPI_COMM_WORLD left no spool; was its directory shared between the hosts?",
                    size - recorded);
}

}  // namespace

Result<const RankDefinitions*> find_calls(const std::vector<RankSpool>& spools) {
  for (const RankSpool& spool : spools)
    if (!spool.definitions.calls.empty()) return &spool.definitions;
  return fail("the spool does not name the calls it recorded", {},
              "its definitions (rank-*.defs) were lost or another version wrote them; record again");
}

const RankDefinitions& calls_for(const RankSpool& spool, const RankDefinitions* otherwise) {
  return spool.definitions.calls.empty() ? *otherwise : spool.definitions;
}

Extent extent_of(const RankSpool& spool, std::size_t call_count) {
  Extent extent{!spool.threads.empty(), std::nullopt, 0};
  for (const Records& thread : spool.threads) {
    const auto ticks = first_ticks(spool, call_count, thread);
    if (ticks) extent.first_ticks = std::min(extent.first_ticks.value_or(*ticks), *ticks);
    if (thread.size() > 0)
      extent.last_ticks = std::max(extent.last_ticks, thread[thread.size() - 1].leave_ticks);
  }
  return extent;
}

Basis Basis::make(const std::vector<RankSpool>& spools, const RankDefinitions* otherwise,
                  const std::vector<Extent>& extents, Diagnostics& diagnostics) {
  WW_INVARIANT(extents.size() == spools.size() && otherwise != nullptr);
  Basis basis;
  basis.spools = &spools;
  basis.otherwise = otherwise;
  find_clock(basis, extents, diagnostics);
  note_missing_exchanges(spools, diagnostics);
  find_ranks(basis, extents, diagnostics);
  basis.comm_of = number_comms(spools, basis.hosts.size(), basis.comms);
  basis.name_of = number_names(spools, basis.user);
  basis.window_of = number_windows(spools, basis.comm_of, basis.windows);
  basis.file_of = number_files(spools, basis.comm_of, basis.files);
  return basis;
}

CallMeaning Basis::meaning_of(std::size_t spool, std::size_t call) const {
  const RankDefinitions& definitions = definitions_of_calls(spool);
  const auto& told = definitions.call_meanings;
  return meaning_told(call < told.size() ? told[call] : std::string_view(), definitions.calls[call]);
}

DecodeContext Basis::context(std::size_t s) const {
  return {(*spools)[s], calls_of(s), comm_of[s], comms,    name_of[s],
          window_of[s], windows,     file_of[s], *maps[s], time};
}

}  // namespace ww::spool
