#include "trace/spool_comms.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace ww::spool {
namespace {

Comm as_comm(const CommDefinition& definition) {
  Comm comm{definition.name, definition.ranks};
  if (comm.name.empty() && definition.kind == "world") comm.name = "MPI_COMM_WORLD";
  if (definition.kind != "inter" || definition.remote_ranks.empty()) return comm;
  // Both sides see the same two groups, each its own first; the one with the lower first rank leads.
  const bool own_leads = definition.ranks.front() < definition.remote_ranks.front();
  const auto& second = own_leads ? definition.remote_ranks : definition.ranks;
  comm.ranks = own_leads ? definition.ranks : definition.remote_ranks;
  comm.first_group = comm.ranks.size();
  comm.ranks.insert(comm.ranks.end(), second.begin(), second.end());
  return comm;
}

}  // namespace

CommNumbers number_comms(const std::vector<RankSpool>& spools, std::size_t world_size,
                         std::vector<Comm>& comms) {
  using Members = std::pair<std::vector<std::int32_t>, std::size_t>;  // ranks, first group
  // by the call that made it, or how many of the same members came before
  std::map<std::tuple<Members, bool, std::int64_t>, std::uint32_t> known;
  CommNumbers numbers(spools.size());
  const auto outside = [&](std::int32_t rank) {
    return rank < 0 || static_cast<std::size_t>(rank) >= world_size;
  };
  for (std::size_t s = 0; s < spools.size(); ++s) {
    std::map<Members, std::int64_t> seen;
    for (const CommDefinition& definition : spools[s].definitions.comms) {
      Comm comm = as_comm(definition);
      if (std::any_of(comm.ranks.begin(), comm.ranks.end(), outside) ||
          (definition.kind == "inter" && comm.first_group == 0)) {  // the other group is not known
        numbers[s][definition.id] = none;
        continue;
      }
      const Members members{comm.ranks, comm.first_group};
      const std::int64_t which = definition.made ? *definition.made : seen[members]++;
      const auto [entry, added] = known.try_emplace({members, definition.made.has_value(), which},
                                                    static_cast<std::uint32_t>(comms.size()));
      if (added) comms.push_back(std::move(comm));
      numbers[s][definition.id] = entry->second;
    }
  }
  return numbers;
}

CommNumbers number_windows(const std::vector<RankSpool>& spools, const CommNumbers& comms,
                           std::vector<Window>& windows) {
  CommNumbers numbers(spools.size());
  std::map<std::uint32_t, std::uint32_t> of_comm;
  std::map<std::uint32_t, std::size_t> namer;  // by window: the spool that gave it a name after its making
  for (std::size_t s = 0; s < spools.size(); ++s)
    for (const ObjectDefinition& definition : spools[s].definitions.windows) {
      const auto comm = comms[s].find(definition.id);
      if (comm == comms[s].end() || comm->second == none) continue;
      const auto [entry, added] =
          of_comm.try_emplace(comm->second, static_cast<std::uint32_t>(windows.size()));
      if (added) windows.push_back({definition.name, comm->second});
      const bool named_again = !numbers[s].try_emplace(definition.id, entry->second).second;
      if (named_again && namer.try_emplace(entry->second, s).first->second == s)
        windows[entry->second].name = definition.name;
    }
  return numbers;
}

std::vector<FileNumbers> number_files(const std::vector<RankSpool>& spools, const CommNumbers& comms,
                                      OpenedFiles& files) {
  std::vector<FileNumbers> numbers(spools.size());
  std::map<std::string, std::uint32_t> by_name;
  std::map<std::uint32_t, std::uint32_t> of_comm;
  for (std::size_t s = 0; s < spools.size(); ++s)
    for (const ObjectDefinition& definition : spools[s].definitions.files) {
      const auto [file, new_file] =
          by_name.try_emplace(definition.name, static_cast<std::uint32_t>(files.files.size()));
      if (new_file) files.files.push_back(definition.name);
      numbers[s].files[definition.id] = file->second;
      const auto comm = comms[s].find(definition.id);
      if (comm == comms[s].end() || comm->second == none) continue;
      const auto [handle, added] =
          of_comm.try_emplace(comm->second, static_cast<std::uint32_t>(files.handles.size()));
      if (added) {
        files.handles.push_back({file->second, comm->second});
        files.modes.push_back(definition.mode);
      }
      numbers[s].handles[definition.id] = handle->second;
    }
  return numbers;
}

}  // namespace ww::spool
