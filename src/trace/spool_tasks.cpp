#include "trace/spool_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "trace/spool_worlds.hpp"

namespace ww::spool {

std::optional<std::uint64_t> parse_address(std::string_view text) {
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address, 16);
  if (text.size() != address_digits || error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return address;
}

std::string show_address(std::uint64_t address) {
  return fmt::format("{:016x}", address);
}

void sort_tasks(std::vector<TaskStart>& tasks) {
  std::sort(tasks.begin(), tasks.end(), [](const TaskStart& a, const TaskStart& b) {
    if (a.realtime_ns.has_value() != b.realtime_ns.has_value()) return a.realtime_ns.has_value();
    return std::pair(a.realtime_ns, a.address) < std::pair(b.realtime_ns, b.address);
  });
}

std::vector<std::uint64_t> addresses_of(const std::vector<RankSpool>& ranks) {
  std::vector<std::uint64_t> addresses;
  std::set<std::uint64_t> others;
  for (const RankSpool& task : ranks) {
    if (!task.address) return {};
    addresses.push_back(*task.address);
    for (const auto& [index, address] : task.definitions.peers) others.insert(address);
  }
  for (const std::uint64_t recorded : addresses) others.erase(recorded);
  addresses.insert(addresses.end(), others.begin(), others.end());
  return addresses;
}

bool join_tasks(std::vector<RankSpool>& ranks, Diagnostics& diagnostics) {
  const std::vector<std::uint64_t> addresses = addresses_of(ranks);
  if (addresses.empty()) return true;
  if (addresses.size() > most_ranks) return false;
  std::unordered_map<std::uint64_t, std::int32_t> rank_of;
  for (const std::uint64_t address : addresses)
    rank_of.emplace(address, static_cast<std::int32_t>(rank_of.size()));
  std::vector<std::int32_t> all(addresses.size());
  std::iota(all.begin(), all.end(), 0);
  for (RankSpool& task : ranks) {
    const auto& peers = task.definitions.peers;
    if (!peers.empty()) task.peer_ranks.assign(std::size_t{peers.rbegin()->first} + 1, -1);
    for (const auto& [index, address] : peers) task.peer_ranks[index] = rank_of.at(address);
    for (CommDefinition& comm : task.definitions.comms) {
      if (comm.all_tasks) {
        comm.ranks = all;
        continue;
      }
      for (auto* members : {&comm.ranks, &comm.remote_ranks})
        for (std::int32_t& member : *members)
          member = member >= 0 && static_cast<std::size_t>(member) < task.peer_ranks.size()
                       ? task.peer_ranks[static_cast<std::size_t>(member)]
                       : -1;
    }
  }
  if (const std::size_t others = addresses.size() - ranks.size(); others > 0) {
    std::string which;
    constexpr std::size_t most_named = 8;
    for (std::size_t i = 0; i < std::min(others, most_named); ++i)
      which += (i == 0 ? "" : ", ") + show_address(addresses[ranks.size() + i]);
    diagnostics.add(
        "task-not-recorded",
        fmt::format("tasks that others send to or receive from were not recorded ({}{}): they are the "
                    "ranks from {} on, without calls, and their messages have one end",
                    which, others > most_named ? ", ..." : "", ranks.size()),
        others);
  }
  return true;
}

}  // namespace ww::spool
