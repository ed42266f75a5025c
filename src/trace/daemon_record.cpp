#include "trace/daemon_record.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/json_check.hpp"

namespace ww {
namespace {

using nlohmann::json;

json json_of(const DaemonTraffic& of) {
  return {{"host", of.host.empty() ? json() : json(of.host)},
          {"address", of.address},
          {"packets_sent", of.packets_sent},
          {"bytes_sent", of.bytes_sent},
          {"acknowledgements_sent", of.acknowledgements_sent},
          {"sent_again", of.sent_again},
          {"packets_received", of.packets_received},
          {"bytes_received", of.bytes_received},
          {"acknowledgements_received", of.acknowledgements_received},
          {"received_again", of.received_again}};
}

json json_of(const DaemonUse& use) {
  json calls = json::object(), peers = json::array();
  for (const DaemonCallTotal& call : use.calls)
    calls[call.name] = {{"count", call.count}, {"time_s", call.time_s}};
  for (const DaemonTraffic& peer : use.peers) peers.push_back(json_of(peer));
  json all = json_of(use.all());
  all.erase("host");
  all.erase("address");
  return {{"time_s", use.time_s},      {"waiting_s", use.waiting_s}, {"own_s", use.own_s},
          {"calls", std::move(calls)}, {"udp", std::move(all)},      {"peers", std::move(peers)}};
}

json json_of(const DaemonStage& stage) {
  return {{"fragments", stage.fragments},
          {"total_s", stage.total_s},
          {"median_s", stage.median_s},
          {"p90_s", stage.p90_s}};
}

using check::is_flag, check::is_number, check::is_object, check::is_string, check::is_whole, check::list_of,
    check::map_of, check::required;

check::Check is_stage() {
  return check::object({{"fragments", is_whole, required},
                        {"total_s", is_number, required},
                        {"median_s", is_number, required},
                        {"p90_s", is_number, required}});
}

check::Check is_use() {
  std::vector<check::Key> counts;
  for (const char* key :
       {"packets_sent", "bytes_sent", "acknowledgements_sent", "sent_again", "packets_received",
        "bytes_received", "acknowledgements_received", "received_again"})
    counts.push_back({key, is_whole, required});
  std::vector<check::Key> of_peer = counts;
  of_peer.push_back({"host", is_string});
  of_peer.push_back({"address", is_string, required});
  return check::object(
      {{"time_s", is_number, required},
       {"waiting_s", is_number, required},
       {"own_s", is_number, required},
       {"calls", map_of(check::object({{"count", is_whole, required}, {"time_s", is_number, required}})),
        required},
       {"udp", check::object(counts), required},
       {"peers", list_of(check::object(of_peer)), required}});
}

check::Check is_record() {
  return check::object(
      {{"daemons",
        list_of(check::object({{"host", is_string, required},
                               {"address", is_string, required},
                               {"tid", is_string},
                               {"pid", is_whole, required},
                               {"ended", is_flag, required},
                               {"cpu_s", is_number},
                               {"life", is_use(), required},
                               {"program", is_use()},
                               {"over_time", check::object({{"bin_s", is_number, required},
                                                            {"busy", list_of(is_number), required}})}})),
        required},
       {"ways",
        list_of(check::object({{"from", is_string, required},
                               {"to", is_string, required},
                               {"fragments", is_whole, required},
                               {"bytes", is_whole, required},
                               {"held", is_stage(), required},
                               {"under_way", is_stage(), required},
                               {"delivered", is_stage(), required},
                               {"acknowledged", is_stage(), required}})),
        required}});
}

DaemonUse use_from(const json& of) {
  DaemonUse use{of["time_s"], of["waiting_s"], of["own_s"], {}, {}};
  for (const auto& [name, call] : of["calls"].items())
    use.calls.push_back({name, call["count"], call["time_s"]});
  for (const json& peer : of["peers"])
    use.peers.push_back({check::text_of(peer, "host"), peer["address"], peer["packets_sent"],
                         peer["bytes_sent"], peer["acknowledgements_sent"], peer["sent_again"],
                         peer["packets_received"], peer["bytes_received"], peer["acknowledgements_received"],
                         peer["received_again"]});
  return use;
}

DaemonStage stage_from(const json& of) {
  return {of["fragments"], of["total_s"], of["median_s"], of["p90_s"]};
}

DaemonFacts facts_from(const json& of) {
  DaemonFacts facts;
  facts.host = of["host"];
  facts.address = of["address"];
  if (const std::string tid = check::text_of(of, "tid"); !tid.empty())
    facts.tid = static_cast<std::uint32_t>(std::strtoul(tid.c_str(), nullptr, 16));
  facts.pid = of["pid"];
  facts.ended = of["ended"];
  if (check::member_of(of, "cpu_s").is_number()) facts.cpu_s = of["cpu_s"].get<double>();
  facts.life = use_from(of["life"]);
  if (check::member_of(of, "program").is_object()) facts.program = use_from(of["program"]);
  if (const json& bins = check::member_of(of, "over_time"); bins.is_object()) {
    facts.bin_s = bins["bin_s"];
    facts.busy_over_time = bins["busy"].get<std::vector<double>>();
  }
  return facts;
}

}  // namespace

DaemonTraffic DaemonUse::all() const {
  DaemonTraffic all;
  for (const DaemonTraffic& peer : peers) {
    all.packets_sent += peer.packets_sent;
    all.bytes_sent += peer.bytes_sent;
    all.acknowledgements_sent += peer.acknowledgements_sent;
    all.sent_again += peer.sent_again;
    all.packets_received += peer.packets_received;
    all.bytes_received += peer.bytes_received;
    all.acknowledgements_received += peer.acknowledgements_received;
    all.received_again += peer.received_again;
  }
  return all;
}

json to_json(const DaemonRecord& record) {
  json daemons = json::array(), ways = json::array();
  for (const DaemonFacts& facts : record.daemons) {
    json one = {{"host", facts.host},
                {"address", facts.address},
                {"tid", facts.tid ? json(fmt::format("{:08x}", *facts.tid)) : json()},
                {"pid", facts.pid},
                {"ended", facts.ended},
                {"cpu_s", facts.cpu_s ? json(*facts.cpu_s) : json()},
                {"life", json_of(facts.life)},
                {"program", facts.program ? json_of(*facts.program) : json()}};
    if (facts.program) one["over_time"] = {{"bin_s", facts.bin_s}, {"busy", facts.busy_over_time}};
    daemons.push_back(std::move(one));
  }
  for (const DaemonWay& way : record.ways)
    ways.push_back({{"from", way.from},
                    {"to", way.to},
                    {"fragments", way.fragments},
                    {"bytes", way.bytes},
                    {"held", json_of(way.held)},
                    {"under_way", json_of(way.under_way)},
                    {"delivered", json_of(way.delivered)},
                    {"acknowledged", json_of(way.acknowledged)}});
  return {{"daemons", std::move(daemons)}, {"ways", std::move(ways)}};
}

std::optional<DaemonRecord> daemons_from(std::string_view text) {
  if (text.empty()) return std::nullopt;
  json of = json::parse(text, nullptr, false);
  if (!is_record()(of, "daemons")) return std::nullopt;
  check::leave_out_nulls(of);
  DaemonRecord record;
  for (const json& one : of["daemons"]) record.daemons.push_back(facts_from(one));
  for (const json& way : of["ways"])
    record.ways.push_back({way["from"], way["to"], way["fragments"], way["bytes"], stage_from(way["held"]),
                           stage_from(way["under_way"]), stage_from(way["delivered"]),
                           stage_from(way["acknowledged"])});
  return record;
}

}  // namespace ww
