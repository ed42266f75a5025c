#include "trace/spool_calls.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/files.hpp"
#include "base/parallel.hpp"
#include "trace/directory.hpp"
#include "trace/recording.hpp"

namespace ww::spool {
namespace {

// Where a call that begins the program is looked for from the front, and one that ends it from the back.
constexpr std::size_t records_at_an_end = 4096;

std::string boot_of_this_host() {
  std::string boot = read_file("/proc/sys/kernel/random/boot_id").value_or("");
  boot.resize(std::min(boot.find('\n'), boot.size()));
  return boot;
}

// The rank's counter now, of a process that is there. Nothing: it is not, or it is on another host.
std::optional<std::uint64_t> ticks_now(const RankSpool& spool, const std::string& boot) {
  const auto& process = spool.definitions.process;
  if (!process || spool.definitions.end || boot.empty() || process->boot_id != boot ||
      !(process->ticks_per_s > 0) || access(fmt::format("/proc/{}", process->pid).c_str(), F_OK) != 0)
    return std::nullopt;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t since_ns =
      std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec - process->monotonic_ns;
  const double ticks = static_cast<double>(since_ns) * 1e-9 * process->ticks_per_s;
  return static_cast<std::uint64_t>(process->ticks + static_cast<std::int64_t>(ticks));
}

}  // namespace

Result<std::shared_ptr<const SpoolCalls>> SpoolCalls::open(const std::filesystem::path& dir) {
  const std::shared_ptr<SpoolCalls> calls(new SpoolCalls);
  Diagnostics& diagnostics = calls->frame_.diagnostics;
  const SpoolShare all{[](std::size_t) { return true; }, nullptr, true};
  WW_TRY(calls->spools_, read_spools(dir / spool_name, diagnostics, &all));
  WW_TRY(const RankDefinitions* const otherwise, find_calls(calls->spools_));
  std::vector<Extent> extents;
  for (const RankSpool& spool : calls->spools_)
    extents.push_back(extent_of(spool, calls_for(spool, otherwise).calls.size()));
  calls->basis_ = Basis::make(calls->spools_, otherwise, extents, diagnostics);
  Trace& frame = calls->frame_;
  frame.source = dir;
  frame.comms = calls->basis_.comms;
  frame.user = calls->basis_.user;
  frame.ranks.resize(calls->basis_.hosts.size());
  for (std::size_t r = 0; r < frame.ranks.size(); ++r) frame.ranks[r].host = calls->basis_.hosts[r];
  if (const auto& process = calls->spools_.front().definitions.process) {
    frame.dilation = process->dilation;
    frame.run.program = process->program;
    frame.run.mpi = process->mpi;
  }
  calls->spool_of_.assign(frame.ranks.size(), calls->spools_.size());
  for (std::size_t s = 0; s < calls->spools_.size(); ++s)
    calls->spool_of_[static_cast<std::size_t>(calls->spools_[s].rank)] = s;
  calls->name_calls(processors());
  calls->find_programs(recorder_of(dir).has_value());
  return std::shared_ptr<const SpoolCalls>(calls);
}

// Calls that were made, in the order of the ranks and of the numbers that each gives to its calls.
void SpoolCalls::name_calls(std::size_t threads) {
  std::vector<std::vector<bool>> made(spools_.size());
  static_cast<void>(in_parallel(spools_.size(), threads, [&](std::size_t s) -> Result<void> {
    made[s].assign(basis_.calls_of(s).size(), false);
    for (const Records& thread : spools_[s].threads) {
      for (std::size_t i = 0; i < thread.size(); ++i) {
        if (const std::uint16_t call = thread[i].call; call < made[s].size()) made[s][call] = true;
        thread.passed(i, i + 1);
      }
      if (const auto& standing = thread.standing(); standing && standing->operation < made[s].size())
        made[s][standing->operation] = true;
    }
    return {};
  }));
  std::unordered_map<std::string, std::uint16_t> known;
  for (std::size_t s = 0; s < spools_.size(); ++s) {
    const auto& calls = basis_.calls_of(s);
    region_of_.emplace_back(calls.size(), std::uint16_t{0});
    for (std::size_t call = 0; call < calls.size(); ++call) {
      if (!made[s][call]) continue;
      const auto [entry, added] =
          known.try_emplace(calls[call], static_cast<std::uint16_t>(frame_.regions.size()));
      if (added) {
        frame_.regions.push_back(calls[call]);
        frame_.meanings.push_back(basis_.meaning_of(s, call));
      }
      region_of_[s][call] = entry->second;
    }
  }
}

std::vector<SpoolCalls::Standing> SpoolCalls::standing_of(std::size_t s) const {
  std::vector<Standing> out;
  if (spools_[s].definitions.end) return out;
  for (std::size_t t = 0; t < spools_[s].threads.size(); ++t) {
    const auto& record = spools_[s].threads[t].standing();
    if (record && record->operation < basis_.calls_of(s).size())
      out.push_back({t, ns_at(s, record->enter_ticks), static_cast<std::uint16_t>(record->operation)});
  }
  std::sort(out.begin(), out.end(),
            [](const Standing& a, const Standing& b) { return a.enter_ns < b.enter_ns; });
  return out;
}

// As the archive's reader finds them: from the return of the first call that begins the program to the entry of the last that ends it.
void SpoolCalls::find_programs(bool running) {
  const std::string boot = running ? boot_of_this_host() : std::string();
  for (std::size_t s = 0; s < spools_.size(); ++s) {
    RankTrace& rank = frame_.ranks[static_cast<std::size_t>(spools_[s].rank)];
    const auto phase_of = [&](const Record& record) {
      return record.call < region_of_[s].size() ? frame_.meanings[region_of_[s][record.call]].phase
                                                : CallPhase::within;
    };
    std::optional<std::int64_t> first_ns, last_ns, begun_ns, ended_ns;
    for (const Records& thread : spools_[s].threads) {
      if (thread.size() == 0) continue;
      const std::int64_t from_ns = ns_at(s, thread[0].enter_ticks),
                         to_ns = ns_at(s, thread[thread.size() - 1].leave_ticks);
      first_ns = std::min(first_ns.value_or(from_ns), from_ns);
      last_ns = std::max(last_ns.value_or(to_ns), to_ns);
      for (std::size_t i = 0; i < std::min(thread.size(), records_at_an_end); ++i) {
        if (phase_of(thread[i]) != CallPhase::begins) continue;
        const std::int64_t at_ns = ns_at(s, thread[i].leave_ticks);
        begun_ns = std::min(begun_ns.value_or(at_ns), at_ns);
        break;
      }
      for (std::size_t i = 0; i < std::min(thread.size(), records_at_an_end); ++i) {
        const Record record = thread[thread.size() - 1 - i];
        if (phase_of(record) != CallPhase::ends) continue;
        const std::int64_t at_ns = ns_at(s, record.enter_ticks);
        ended_ns = std::max(ended_ns.value_or(at_ns), at_ns);
        break;
      }
    }
    rank.begin_ns = begun_ns.value_or(first_ns.value_or(0));
    rank.end_ns = ended_ns.value_or(last_ns.value_or(rank.begin_ns));
    if (const auto now = ticks_now(spools_[s], boot); now && !ended_ns)
      rank.end_ns = std::max(rank.end_ns, ns_at(s, *now));
    for (const Standing& call : standing_of(s)) rank.end_ns = std::max(rank.end_ns, call.enter_ns);
    rank.end_ns = std::max(rank.begin_ns, rank.end_ns);
  }
}

Result<void> SpoolCalls::read(std::size_t rank, const TakeCall& take) const {
  const std::size_t s = spool_of_[rank];
  if (s == spools_.size()) return {};
  const std::vector<std::uint16_t>& regions = region_of_[s];
  const std::vector<Standing> standing = standing_of(s);
  auto next = standing.begin();
  const bool alone = spools_[s].threads.size() <= 1;
  ThreadRows rows(take);
  const auto give = [&](std::size_t thread, const OuterCall& call) {
    alone ? take(call) : rows.add(thread, call);
  };
  const auto take_standing = [&](std::int64_t before_ns) {
    for (; next != standing.end() && next->enter_ns < before_ns; ++next)
      give(next->thread,
           {next->enter_ns, std::max(next->enter_ns, frame_.ranks[rank].end_ns), regions[next->call]});
  };
  std::size_t depth = 0;
  decode(basis_.context(s), [&](const DecodedCall& call) {
    if (call.part == CallPart::end) --depth;
    if (call.part != CallPart::end && depth == 0) {
      if (next != standing.end()) take_standing(call.enter_ns);
      give(call.thread, {call.enter_ns, call.leave_ns, regions[call.call]});
    }
    if (call.part == CallPart::begin) ++depth;
  });
  take_standing(std::numeric_limits<std::int64_t>::max());
  rows.finish();
  return {};
}

}  // namespace ww::spool
