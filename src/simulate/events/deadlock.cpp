#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "simulate/events/state.hpp"
#include "simulate/schedule/stuck.hpp"

namespace ww::simulate {
namespace {

// The first rank that this one waits for; nothing for a sync, whose missing members are not kept.
std::optional<std::int32_t> waits_for(const Program& program, std::size_t rank, const RankState& state,
                                      const std::vector<MessageState>& messages) {
  const RankProgram& of_rank = program.ranks[rank];
  if (state.next >= of_rank.size() || of_rank.kind[state.next] != OpKind::wait) return std::nullopt;
  const std::uint32_t group = of_rank.argument[state.next];
  for (std::uint32_t i = of_rank.group_first[group]; i < of_rank.group_first[group + 1]; ++i) {
    const EndNumber end = of_rank.group_end[i];
    if (messages[message_of(end)].complete[end & 1]) continue;
    const ProgramMessage& message = program.messages[message_of(end)];
    return is_send_end(end) ? message.destination : message.source;
  }
  return std::nullopt;
}

std::string describe(const Program& program, const std::vector<RankState>& ranks,
                     const std::vector<MessageState>& messages) {
  const auto call = [&](std::size_t rank) {
    const std::uint32_t region = ranks[rank].region;
    return region < program.regions.size() ? program.regions[region] : std::string("an MPI call");
  };
  const auto first =
      std::find_if(ranks.begin(), ranks.end(), [](const RankState& rank) { return !rank.ended; });
  const auto goes_on_after = [&](std::uint64_t rank) -> std::optional<std::uint64_t> {
    const auto partner = waits_for(program, rank, ranks[rank], messages);
    if (!partner || ranks[static_cast<std::size_t>(*partner)].ended) return std::nullopt;
    return static_cast<std::uint64_t>(*partner);
  };
  const schedule::WhomItWaitsFor waits =
      schedule::follow_waits(static_cast<std::uint64_t>(first - ranks.begin()), goes_on_after);
  const std::vector<std::uint64_t>& path = waits.path;
  if (!waits.cycle) {
    const std::uint64_t last = path.back();
    const auto partner = waits_for(program, last, ranks[last], messages);
    return partner
               ? fmt::format("rank {} in {} waits for rank {}, which has ended", last, call(last), *partner)
               : fmt::format("rank {} in {} waits for members that never enter it", last, call(last));
  }
  std::string cycle = "deadlock";
  for (std::size_t i = 0; i < path.size() && i < 8; ++i)
    cycle += fmt::format("{} rank {} in {} waits for rank {}", i == 0 ? ":" : ",", path[i], call(path[i]),
                         path[(i + 1) % path.size()]);
  if (path.size() > 8) cycle += fmt::format(", and {} more", path.size() - 8);
  return cycle;
}

}  // namespace

Error why_stuck(const Program& program, const std::vector<RankState>& ranks,
                const std::vector<MessageState>& messages) {
  return {"the replay cannot go on", describe(program, ranks, messages),
          "the trace lacks messages or was cut; record the program again"};
}

}  // namespace ww::simulate
