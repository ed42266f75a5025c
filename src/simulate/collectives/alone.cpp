#include "simulate/collectives/alone.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "simulate/events/engine.hpp"

namespace ww::simulate {
namespace {

// The members alone, each in one call.
Program members_alone(const Program& whole, std::span<const ShapeMessage> messages) {
  Program out;
  out.hosts = whole.hosts;
  out.regions = {"a non-blocking collective"};
  out.progress = whole.progress;
  std::map<std::int32_t, std::int32_t> numbers;  // by world rank
  const auto member = [&](std::int32_t world) {
    const auto [at, added] = numbers.emplace(world, static_cast<std::int32_t>(out.ranks.size()));
    if (added) {
      RankProgram& rank = out.ranks.emplace_back();
      rank.host = whole.ranks[static_cast<std::size_t>(world)].host;
      rank.add(OpKind::enter, 0);
    }
    return at->second;
  };
  const auto rank = [&](std::int32_t number) -> RankProgram& {
    return out.ranks[static_cast<std::size_t>(number)];
  };
  for (std::size_t begin = 0, end = 0; begin < messages.size(); begin = end) {
    while (end < messages.size() && messages[end].round == messages[begin].round) ++end;
    const auto first = static_cast<std::uint32_t>(out.messages.size());
    std::map<std::int32_t, std::vector<EndNumber>> ends;  // by member
    for (const ShapeMessage& m : messages.subspan(begin, end - begin)) {
      const auto number = static_cast<std::uint32_t>(out.messages.size());
      out.messages.push_back({member(m.source), member(m.destination), m.bytes, false, true, m.reduced, {}});
      rank(out.messages[number].destination).add(OpKind::receive, number);
      ends[out.messages[number].destination].push_back(receive_end(number));
    }
    for (std::uint32_t number = first; number < out.messages.size(); ++number) {
      rank(out.messages[number].source).add(OpKind::send, number);
      ends[out.messages[number].source].push_back(send_end(number));
    }
    for (const auto& [number, of_member] : ends) rank(number).add_wait(of_member);
  }
  for (RankProgram& each : out.ranks) each.add(OpKind::leave, 0);
  return out;
}

Result<double> elapsed_s(const Program& program, const ReplayCosts& costs) {
  WW_TRY(const Simulated simulated, play(program, costs, {}));
  return simulated.elapsed_s;
}

}  // namespace

Result<std::vector<SyncTime>> times_alone(const Program& program, const MachineModel& model,
                                          double extra_software_s) {
  std::vector<SyncTime> out;
  for (std::size_t shape = 0; shape < program.shapes.size(); ++shape) {
    const auto all = std::span(program.shapes.messages.begin() + program.shapes.first[shape],
                               program.shapes.messages.begin() + program.shapes.first[shape + 1]);
    if (all.empty()) {
      out.push_back({});
      continue;
    }
    const Program whole = members_alone(program, all);
    WW_TRY(const ReplayCosts costs, ReplayCosts::make(whole, model, extra_software_s));
    WW_TRY(const double whole_s, elapsed_s(whole, costs));
    double before_s = 0;  // that needs nobody inside the library
    std::size_t first_round = 0;
    bool eager = true;
    for (; first_round < all.size() && all[first_round].round == all[0].round; ++first_round)
      eager = eager && costs.of(static_cast<std::uint32_t>(first_round)).protocol != Protocol::rendezvous;
    if (program.progress == Progress::always) {
      before_s = whole_s;
    } else if (eager) {
      const Program first = members_alone(program, all.subspan(0, first_round));
      WW_TRY(const ReplayCosts of_first, ReplayCosts::make(first, model, extra_software_s));
      WW_TRY(before_s, elapsed_s(first, of_first));
    }
    out.push_back({whole_s, std::max(0.0, whole_s - before_s)});
  }
  return out;
}

}  // namespace ww::simulate
