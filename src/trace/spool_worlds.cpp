#include "trace/spool_worlds.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ww::spool {
namespace {

using Ranks = std::vector<std::int32_t>;

struct World {
  std::int32_t begin = 0, size = 0;  // its ranks in the trace
  std::string spawned_by;
};

std::size_t size_of(const RankSpool& rank) {
  std::size_t size = static_cast<std::size_t>(rank.world_rank) + 1;
  for (const CommDefinition& comm : rank.definitions.comms)
    if (comm.kind == "world") size = std::max(size, comm.ranks.size());
  return size;
}

class Joiner {
 public:
  Joiner(std::vector<RankSpool>& ranks, Diagnostics& diagnostics)
      : ranks_(ranks), diagnostics_(diagnostics) {}

  bool run() {
    if (!number_ranks()) return false;
    if (worlds_.size() > 1) {
      for (RankSpool& rank : ranks_) move_to_trace(rank);
      // A spawn over a communicator that holds spawned processes is known when those are.
      for (std::size_t round = 0; round < std::min<std::size_t>(worlds_.size(), 16); ++round) {
        name_spawns();
        for (RankSpool& rank : ranks_) resolve(rank);
      }
      for (RankSpool& rank : ranks_)
        if (rank.world > 0) take_clock_of_first_world(rank);
      std::size_t spawned = 0;
      for (const auto& [number, world] : worlds_)
        if (number > 0) spawned += static_cast<std::size_t>(world.size);
      diagnostics_.add(
          "spawned-processes",
          "the program spawned processes: their ranks come after those of the launch, from rank " +
              std::to_string(worlds_.begin()->second.size) + " on",
          spawned);
    }
    return true;
  }

 private:
  bool number_ranks() {
    for (const RankSpool& rank : ranks_) {
      World& world = worlds_[rank.world];
      world.size = static_cast<std::int32_t>(
          std::max(static_cast<std::size_t>(world.size), std::min(size_of(rank), most_ranks)));
      if (rank.definitions.process && world.spawned_by.empty())
        world.spawned_by = rank.definitions.process->spawned_by;
    }
    std::size_t next = 0;
    for (auto& [number, world] : worlds_) {
      world.begin = static_cast<std::int32_t>(next);
      next += static_cast<std::size_t>(world.size);
      if (next > most_ranks) return false;
      if (number > 0 && !world.spawned_by.empty()) spawned_[world.spawned_by] = &world;
    }
    for (RankSpool& rank : ranks_) rank.rank = worlds_[rank.world].begin + rank.world_rank;
    return true;
  }

  void move_to_trace(RankSpool& rank) {
    const std::int32_t begin = worlds_[rank.world].begin;
    for (CommDefinition& comm : rank.definitions.comms) {
      for (Ranks* ranks : {&comm.ranks, &comm.remote_ranks})
        for (std::int32_t& member : *ranks)
          if (member >= 0) member += begin;
      if (comm.kind == "world" && rank.world > 0) comm.name = "MPI_COMM_WORLD " + std::to_string(rank.world);
    }
  }

  // Only the root of a spawn knows its name. All of its parents are in the same group, and make their
  // intercommunicators to unknown worlds in the same order.
  void name_spawns() {
    std::map<std::pair<Ranks, std::size_t>, std::string> names;
    for (const bool tell : {false, true})
      for (RankSpool& rank : ranks_) {
        std::map<Ranks, std::size_t> seen;
        for (CommDefinition& comm : rank.definitions.comms) {
          if (!comm.other_world || *comm.other_world == "parents") continue;
          if (std::find(comm.ranks.begin(), comm.ranks.end(), -1) != comm.ranks.end()) continue;
          std::string& name = names[{comm.ranks, seen[comm.ranks]++}];
          if (name.empty()) name = *comm.other_world;
          if (!tell) continue;
          comm.other_world = name;
          if (!name.empty()) parents_[name] = comm.ranks;
        }
      }
  }

  // Communicators come in the order in which they were made: what one refers to was resolved before it.
  void resolve(RankSpool& rank) {
    std::unordered_map<std::uint32_t, const CommDefinition*> known;
    for (CommDefinition& comm : rank.definitions.comms) {
      const auto fill = [&](Ranks& ranks, const std::vector<ForeignMember>& foreign) {
        for (const ForeignMember& member : foreign) {
          const auto from = known.find(member.comm);
          if (from == known.end()) continue;
          const Ranks& there = from->second->remote_ranks;
          if (static_cast<std::size_t>(member.place) < there.size())
            ranks[static_cast<std::size_t>(member.member)] = there[static_cast<std::size_t>(member.place)];
        }
      };
      fill(comm.ranks, comm.foreign);
      fill(comm.remote_ranks, comm.remote_foreign);
      if (comm.other_world) take_other_world(rank, comm);
      known[comm.id] = &comm;
    }
  }

  void take_other_world(const RankSpool& rank, CommDefinition& comm) const {
    Ranks other;
    if (*comm.other_world == "parents") {
      const auto found = parents_.find(worlds_.at(rank.world).spawned_by);
      if (found != parents_.end()) other = found->second;
    } else if (const auto found = spawned_.find(*comm.other_world); found != spawned_.end()) {
      for (std::int32_t r = 0; r < found->second->size; ++r) other.push_back(found->second->begin + r);
    }
    if (other.size() == comm.remote_ranks.size()) comm.remote_ranks = std::move(other);
  }

  // A spawned world exchanged clocks with its own rank 0 only.
  void take_clock_of_first_world(RankSpool& rank) {
    if (!rank.definitions.process) return;
    const auto shares_counter = [&](const RankSpool& other) {
      return other.world == 0 && other.definitions.process && !other.definitions.process->boot_id.empty() &&
             other.definitions.process->boot_id == rank.definitions.process->boot_id;
    };
    const auto found = std::find_if(ranks_.begin(), ranks_.end(), shares_counter);
    if (found != ranks_.end())
      rank.definitions.clocks = found->definitions.clocks;
    else
      diagnostics_.add("spawned-clock-unknown");
  }

  std::vector<RankSpool>& ranks_;
  Diagnostics& diagnostics_;
  std::map<std::int32_t, World> worlds_;
  std::map<std::string, const World*> spawned_;  // by the name of the spawn
  std::map<std::string, Ranks> parents_;
};

}  // namespace

bool join_worlds(std::vector<RankSpool>& ranks, Diagnostics& diagnostics) {
  return Joiner(ranks, diagnostics).run();
}

}  // namespace ww::spool
