#include "base/run_record.hpp"

#include <nlohmann/json.hpp>

#include "base/json_check.hpp"
#include "base/text.hpp"

namespace ww {
namespace {

using check::member_of, check::number_of, check::text_of;
using nlohmann::json;

template <class T>
T whole_of(const json& of, const char* key, T otherwise) {
  const json& value = member_of(of, key);
  return value.is_number() ? value.get<T>() : otherwise;
}

// Those of an array that are of the type.
template <class T>
std::vector<T> those_of(const json& array, bool (json::*is_one)() const) {
  std::vector<T> list;
  if (array.is_array())
    for (const json& one : array)
      if ((one.*is_one)()) list.push_back(one.get<T>());
  return list;
}

std::vector<RunRecord::Function> functions_from_json(const json& list) {
  std::vector<RunRecord::Function> functions;
  if (!list.is_array()) return functions;
  for (const json& of : list) {
    const json& thinned = member_of(of, "thinned");
    functions.push_back({printable(text_of(of, "name")), whole_of(of, "calls", std::uint64_t{0}),
                         whole_of(of, "recorded", std::uint64_t{0}), 1e-9 * number_of(of, "own_ns"),
                         1e-9 * number_of(of, "all_ns"), thinned.is_boolean() && thinned.get<bool>()});
  }
  return functions;
}

RunRecord::Rank rank_from_json(const json& of) {
  RunRecord::Rank rank;
  if (member_of(of, "rank").is_number()) rank.rank = of["rank"].get<std::int64_t>();
  rank.host = text_of(of, "host");
  rank.elapsed_s = number_of(of, "elapsed_s");
  rank.polled_s = number_of(of, "polled_s");
  rank.cpu_s = number_of(of, "cpu_s", -1);
  rank.waited_s = number_of(of, "waited_s", -1);
  rank.involuntary_switches = whole_of<std::int64_t>(of, "involuntary_switches", 0);
  rank.arithmetic_s = those_of<double>(member_of(of, "arithmetic_s"), &json::is_number);
  rank.code_files = text_of(member_of(of, "code"), "files");
  const json& grid = member_of(of, "grid");
  rank.grid_dims = those_of<int>(member_of(grid, "dims"), &json::is_number_integer);
  rank.grid_periods = those_of<int>(member_of(grid, "periods"), &json::is_number_integer);
  const json& direct = member_of(member_of(of, "route"), "direct");
  rank.direct_route = direct.is_boolean() && direct.get<bool>();
  const json& stretch = member_of(of, "stretch");
  rank.stretch = {text_of(stretch, "thread_level"),
                  whole_of(stretch, "calling_threads", 1),
                  whole_of(stretch, "count", std::uint64_t{0}),
                  number_of(stretch, "late_median_ns"),
                  number_of(stretch, "late_p99_ns"),
                  member_of(stretch, "teams").is_boolean() && stretch["teams"].get<bool>(),
                  1e-9 * number_of(stretch, "unseen_wait_ns")};
  const json& functions = member_of(of, "functions");
  rank.functions = functions_from_json(member_of(functions, "list"));
  const json& counted = member_of(functions, "count_only");
  rank.functions_only_counted = counted.is_boolean() && counted.get<bool>();
  const json& memory = member_of(of, "memory");
  rank.memory = {number_of(memory, "peak_bytes", -1), number_of(memory, "recorder_code_bytes", -1),
                 number_of(memory, "recorder_data_bytes", -1), number_of(memory, "spools_resident_bytes", -1),
                 number_of(memory, "spools_bytes", -1)};
  const json& tcp = member_of(of, "tcp");
  rank.tcp = {number_of(tcp, "sent", -1),     number_of(tcp, "retransmitted", -1),
              number_of(tcp, "timeouts", -1), number_of(tcp, "probes", -1),
              number_of(tcp, "no_room", -1),  number_of(tcp, "delayed_acknowledgements", -1)};
  return rank;
}

}  // namespace

RunRecord run_from_json(const json& of) {
  RunRecord run;
  run.program = text_of(of, "program");
  run.mpi = text_of(of, "mpi");
  run.launch = those_of<std::string>(member_of(of, "launch"), &json::is_string);
  run.in_lab = of.is_object() && of.contains("lab");
  run.in_virtual_time = member_of(of, "environment").is_object() && of["environment"].contains("WW_VIRTUAL");
  const json& machine = member_of(of, "machine");
  const json& use = member_of(machine, "use");
  run.machine = {text_of(machine, "name"),
                 whole_of(machine, "usable_processors", 0),
                 {number_of(use, "wall_s"), number_of(use, "busy_s"), number_of(use, "stolen_s"),
                  number_of(use, "own_s"), number_of(use, "lab_s", -1)}};
  if (const json& ranks = member_of(of, "ranks"); ranks.is_array())
    for (const json& rank : ranks) run.ranks.push_back(rank_from_json(rank));
  json lasting = json::object();
  for (const char* key :
       {"program", "launch", "mpi", "mpi_version", "environment", "lab", "wire", "dilation"})
    if (of.is_object() && of.contains(key)) lasting[key] = of[key];
  run.lasting = json_text(lasting);
  if (const json& daemons = member_of(of, "daemons"); daemons.is_object()) run.daemons = json_text(daemons);
  return run;
}

}  // namespace ww
