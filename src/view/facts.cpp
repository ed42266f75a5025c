#include "view/facts.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "trace/call_meaning.hpp"

namespace ww::view {
namespace {

using nlohmann::json;

const char* role_name(CallRole role) {
  switch (role) {
    case CallRole::p2p:
      return "p2p";
    case CallRole::collective:
      return "collective";
    case CallRole::one_sided:
      return "one-sided";
    case CallRole::communicator:
      return "communicator";
    case CallRole::io:
      return "io";
    case CallRole::frame:
    case CallRole::other:
      return "other";
  }
  return "";
}

// S5's states. A call that both sends and receives (MPI_Sendrecv, MPI_Wait) is `receiving`: what it stays for is a
// message of another.
const char* state_of(CallRole role, const std::string& name, TimePart part) {
  if (part == TimePart::algorithmic) return "idle";
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  switch (role) {
    case CallRole::p2p:
      return (has("end") || has("Start")) && !has("ecv") ? "sending" : "receiving";
    case CallRole::collective:  // the ranks pass on what is meant for others
    case CallRole::communicator:
      return "routing";
    case CallRole::one_sided:
      return has("Get") || has("Win_") ? "receiving" : "sending";
    default:
      return part == TimePart::service ? "receiving" : "computing";
  }
}

const char* part_name(TimePart part) {
  switch (part) {
    case TimePart::library:
      return "library";
    case TimePart::algorithmic:
      return "algorithmic";
    case TimePart::service:
      return "service";
  }
  return "";
}

json ranks_of(const Trace& trace) {
  json ranks = json::array();
  const std::int64_t begin_ns = trace.begin_ns();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r)
    ranks.push_back({{"rank", r},
                     {"host", trace.ranks[r].host},
                     {"begin_ns", trace.ranks[r].begin_ns - begin_ns},
                     {"end_ns", trace.ranks[r].end_ns - begin_ns}});
  return ranks;
}

// Of one that every rank is in, their number and no list: of 16,384 ranks it would be most of the answer.
json comms_of(const Trace& trace) {
  json comms = json::array();
  for (const Comm& comm : trace.comms) {
    bool all = comm.ranks.size() == trace.ranks.size();
    for (std::size_t i = 0; all && i < comm.ranks.size(); ++i)
      all = comm.ranks[i] == static_cast<std::int32_t>(i);
    comms.push_back({{"name", comm.name}, {"ranks", all ? json(comm.ranks.size()) : json(comm.ranks)}});
  }
  return comms;
}

// The grid that the program made of its ranks (MPI_Cart_create). Its last coordinate changes fastest; here the first does.
json topology_of(const Trace& trace) {
  for (const RunRecord::Rank& rank : trace.run.ranks) {
    std::size_t nodes = 1;
    for (const int size : rank.grid_dims) {
      if (size < 1 || nodes > trace.ranks.size()) return nullptr;
      nodes *= static_cast<std::size_t>(size);
    }
    if (rank.grid_dims.empty() || nodes != trace.ranks.size() ||
        rank.grid_periods.size() != rank.grid_dims.size())
      continue;
    json periodic = json::array();
    for (std::size_t d = rank.grid_periods.size(); d-- > 0;) periodic.push_back(rank.grid_periods[d] != 0);
    return {{"dims", std::vector<int>(rank.grid_dims.rbegin(), rank.grid_dims.rend())},
            {"periodic", std::move(periodic)}};
  }
  return nullptr;
}

}  // namespace

json facts_of(const Trace& trace) {
  std::uint64_t calls = 0, markers = 0;
  for (const RankTrace& rank : trace.ranks) {
    calls += rank.calls();
    markers += rank.user.markers.size();
  }
  json roles = json::array();
  for (std::size_t r = 0; r < trace.regions.size(); ++r)
    roles.push_back(role_name(meaning_of_region(trace, r).role));
  json values = json::array(), units = json::array();
  for (const ValueName& value : trace.user.values) {
    values.push_back(value.name);
    units.push_back(value.unit);
  }
  json run = {{"program", trace.run.program}, {"library", trace.run.mpi},
              {"launch", trace.run.launch},   {"machine", trace.run.machine.name},
              {"in_lab", trace.run.in_lab},   {"in_virtual_time", trace.run.in_virtual_time},
              {"dilation", trace.dilation},   {"clock_uncertainty_s", trace.clock_uncertainty_s}};
  return {{"ranks", ranks_of(trace)},
          {"elapsed_s", trace.elapsed_s()},
          {"calls", calls},
          {"messages", trace.messages.size()},
          {"collectives", trace.collectives.size()},
          {"roles", std::move(roles)},
          {"communicators", comms_of(trace)},
          {"user_regions", trace.user.regions},
          {"values", std::move(values)},
          {"value_units", std::move(units)},
          {"markers", markers},
          {"topology", topology_of(trace)},
          {"diagnostics", trace.diagnostics},
          {"run", std::move(run)}};
}

void add_index(json& facts, const Index& index) {
  const std::vector<std::string>& names = index.names();
  const json roles = facts.contains("roles") ? facts["roles"] : json::array();
  const auto role_of = [&](std::int32_t name) {
    const auto at = static_cast<std::size_t>(name);
    return at < roles.size() && roles[at].is_string() ? roles[at].get<std::string>() : std::string("other");
  };
  const auto meaning = [&](const std::string& role) {
    for (const CallRole one :
         {CallRole::p2p, CallRole::collective, CallRole::one_sided, CallRole::communicator, CallRole::io})
      if (role == role_name(one)) return one;
    return CallRole::other;
  };
  json keys = json::array();
  for (std::size_t k = 0; k < index.keys().size(); ++k) {
    const auto& key = index.keys()[k];
    if (key.name < 0) {
      const bool outside = k == outside_key;
      keys.push_back({{"name", -1},
                      {"part", outside ? "outside" : "compute"},
                      {"role", "none"},
                      {"state", outside ? "outside" : "computing"}});
      continue;
    }
    const std::string role = role_of(key.name);
    const std::string& name = names[static_cast<std::size_t>(key.name)];
    keys.push_back({{"name", key.name},
                    {"part", part_name(key.part)},
                    {"role", role},
                    {"state", state_of(meaning(role), name, key.part)}});
  }
  facts.erase("roles");
  facts["names"] = names;
  facts["keys"] = std::move(keys);
  if (facts.contains("calls_only")) facts["calls"] = index.calls();
  facts["span_ns"] = {index.from_ns(), index.to_ns()};
  facts["index"] = {{"top_level", index.top_level()}, {"bytes", index.bytes()}};
}

}  // namespace ww::view
