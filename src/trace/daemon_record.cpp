#include "trace/daemon_record.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/json_check.hpp"

namespace ww {
namespace {

using nlohmann::json;

struct Count {
  const char* key;
  std::uint64_t DaemonTraffic::*value;
};
constexpr Count counts[] = {{"packets_sent", &DaemonTraffic::packets_sent},
                            {"bytes_sent", &DaemonTraffic::bytes_sent},
                            {"acknowledgements_sent", &DaemonTraffic::acknowledgements_sent},
                            {"sent_again", &DaemonTraffic::sent_again},
                            {"packets_received", &DaemonTraffic::packets_received},
                            {"bytes_received", &DaemonTraffic::bytes_received},
                            {"acknowledgements_received", &DaemonTraffic::acknowledgements_received},
                            {"received_again", &DaemonTraffic::received_again}};

json counts_of(const DaemonTraffic& of) {
  json out = json::object();
  for (const Count& count : counts) out[count.key] = of.*count.value;
  return out;
}

json json_of(const DaemonTraffic& of) {
  json out = counts_of(of);
  out["host"] = of.host.empty() ? json() : json(of.host);
  out["address"] = of.address;
  return out;
}

json json_of(const DaemonUse& use) {
  json calls = json::object(), peers = json::array();
  for (const DaemonCallTotal& call : use.calls)
    calls[call.name] = {{"count", call.count}, {"time_s", call.time_s}};
  for (const DaemonTraffic& peer : use.peers) peers.push_back(json_of(peer));
  return {{"time_s", use.time_s},      {"waiting_s", use.waiting_s},  {"own_s", use.own_s},
          {"calls", std::move(calls)}, {"udp", counts_of(use.all())}, {"peers", std::move(peers)}};
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
  std::vector<check::Key> of_all;
  for (const Count& count : counts) of_all.push_back({count.key, is_whole, required});
  std::vector<check::Key> of_peer = of_all;
  of_peer.push_back({"host", is_string});
  of_peer.push_back({"address", is_string, required});
  return check::object(
      {{"time_s", is_number, required},
       {"waiting_s", is_number, required},
       {"own_s", is_number, required},
       {"calls", map_of(check::object({{"count", is_whole, required}, {"time_s", is_number, required}})),
        required},
       {"udp", check::object(of_all), required},
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
  for (const json& peer : of["peers"]) {
    DaemonTraffic& traffic = use.peers.emplace_back();
    traffic.host = check::text_of(peer, "host");
    traffic.address = peer["address"];
    for (const Count& count : counts) traffic.*count.value = peer[count.key];
  }
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

void DaemonTraffic::add_counts(const DaemonTraffic& other) {
  for (const Count& count : counts) this->*count.value += other.*count.value;
}

DaemonTraffic DaemonUse::all() const {
  DaemonTraffic all;
  for (const DaemonTraffic& peer : peers) all.add_counts(peer);
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
