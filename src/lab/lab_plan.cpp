#include "lab/lab_plan.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/units.hpp"

namespace ww::lab {

namespace fs = std::filesystem;

Plan make_plan(const std::string& name, int hosts, const SwitchWire& wire, int subnet_index) {
  Plan plan{.name = name,
            .wire = wire,
            .wire_subnet = fmt::format("10.77.{}.0/24", subnet_index),
            .management_subnet = fmt::format("10.78.{}.0/24", subnet_index),
            .hosts = {}};
  for (int k = 0; k < hosts; ++k)
    plan.hosts.push_back({.name = fmt::format("ww{}-h{}", name, k),
                          .address = fmt::format("10.77.{}.{}", subnet_index, k + 1),
                          .management_address = fmt::format("10.78.{}.{}", subnet_index, k + 1),
                          .mac = fmt::format("02:77:77:00:{:02x}:{:02x}", subnet_index, k + 1)});
  return plan;
}

std::string hosts_file(const Plan& plan) {
  std::string text = "127.0.0.1 localhost\n";
  for (const PlannedHost& host : plan.hosts) text += host.address + " " + host.name + "\n";
  return text;
}

const char* to_string(WireKind kind) {
  switch (kind) {
    case WireKind::switched:
      return "switch";
    case WireKind::kernel:
      return "kernel";
    case WireKind::bus:
      return "bus";
    case WireKind::tbf:
      break;
  }
  return "tbf";
}

WireKind wire_kind(std::string_view text) {
  for (const WireKind kind : {WireKind::kernel, WireKind::bus, WireKind::tbf})
    if (text == to_string(kind)) return kind;
  return WireKind::switched;
}

const char* to_string(Tcp tcp) {
  return tcp == Tcp::as_linux ? "default" : "steady";
}

Tcp tcp_of(std::string_view text) {
  return text == "default" ? Tcp::as_linux : Tcp::steady;
}

const char* to_string(Cores cores) {
  return cores == Cores::awake ? "awake" : "machine";
}

Cores cores_of(std::string_view text) {
  return text == "awake" ? Cores::awake : Cores::as_machine;
}

SwitchWire WireChange::of(SwitchWire wire) const {
  wire.rate_bytes_per_s = rate_bytes_per_s.value_or(wire.rate_bytes_per_s);
  wire.delay_s = delay_s.value_or(wire.delay_s);
  wire.jitter_s = jitter_s.value_or(wire.jitter_s);
  wire.loss = loss.value_or(wire.loss);
  return wire;
}

Result<void> check_wire(const SwitchWire& wire) {
  const double rate = wire.rate_bytes_per_s;
  if (rate != 0 && !(rate >= slowest_bytes_per_s && rate <= fastest_bytes_per_s))
    return wrong_usage(fmt::format("a lab's wire has {} to {}, or no limit", show_rate(slowest_bytes_per_s),
                                   show_rate(fastest_bytes_per_s)),
                       fmt::format("{:g} b/s", 8 * rate), "10Mb/s, or none");
  if (!(wire.delay_s >= 0 && wire.delay_s <= longest_delay_s))
    return wrong_usage(fmt::format("a lab's wire has a delay of up to {}", show_time(longest_delay_s)),
                       fmt::format("{:g} s", wire.delay_s), "--delay 50us");
  if (!(wire.jitter_s >= 0 && wire.jitter_s <= longest_delay_s))
    return wrong_usage(fmt::format("a lab's wire has a jitter of up to {}", show_time(longest_delay_s)),
                       fmt::format("{:g} s", wire.jitter_s), "--jitter 50us");
  if (!(wire.loss >= 0 && wire.loss <= most_loss))
    return wrong_usage(fmt::format("a lab's wire loses up to {:.0f}% of its frames", 100 * most_loss),
                       fmt::format("{:g}", wire.loss), "--loss 0.1%");
  if (!is_switch(wire.kind) && wire.delay_s > 0)
    return wrong_usage(fmt::format("a {} wire has no delay of its own", to_string(wire.kind)), "--delay",
                       "--wire switch");
  if (wire.kind != WireKind::switched && (wire.jitter_s > 0 || wire.loss > 0))
    return wrong_usage(fmt::format("a {} wire has no jitter or loss of its own", to_string(wire.kind)),
                       wire.loss > 0 ? "--loss" : "--jitter", "--wire switch");
  if (wire.at_once < 1 || wire.at_once > most_at_once)
    return wrong_usage(fmt::format("a host's card hands over 1 to {} frames at once", most_at_once),
                       fmt::format("{}", wire.at_once), "--at-once 3");
  if (!is_switch(wire.kind) && wire.at_once > 1)
    return wrong_usage(fmt::format("cards on a {} wire hand over single frames", to_string(wire.kind)),
                       "--at-once", "--wire switch");
  if (wire.kind == WireKind::kernel &&
      (wire.delay_s > longest_kernel_delay_s || (rate > 0 && rate < slowest_kernel_bytes_per_s)))
    return wrong_usage(fmt::format("a wire within the kernel has {} or more, and a delay of up to {}",
                                   show_rate(slowest_kernel_bytes_per_s), show_time(longest_kernel_delay_s)),
                       fmt::format("{:g} b/s, {:g} s", 8 * rate, wire.delay_s), "--wire switch");
  constexpr double fastest_bus_bytes_per_s = 12.5e6;
  if (wire.kind == WireKind::bus &&
      (wire.rate_bytes_per_s <= 0 || wire.rate_bytes_per_s > fastest_bus_bytes_per_s))
    return wrong_usage("a bus works at up to 100 Mb/s: above, IEEE 802.3 has other slots",
                       fmt::format("{:g} bytes/s", wire.rate_bytes_per_s), "--rate 10Mb/s, or --wire switch");
  return {};
}

void to_json(nlohmann::json& json, const SwitchWire& wire) {
  json = {{"kind", to_string(wire.kind)},
          {"rate_bytes_per_s", wire.rate_bytes_per_s},
          {"delay_s", wire.delay_s},
          {"jitter_s", wire.jitter_s},
          {"loss", wire.loss},
          {"tcp", to_string(wire.tcp)},
          {"seed", wire.seed},
          {"at_once", wire.at_once},
          {"cores", to_string(wire.cores)}};
}

void from_json(const nlohmann::json& json, SwitchWire& wire) {
  wire.kind = wire_kind(json.at("kind").get<std::string>());
  json.at("rate_bytes_per_s").get_to(wire.rate_bytes_per_s);
  json.at("delay_s").get_to(wire.delay_s);
  wire.jitter_s = json.value("jitter_s", 0.0);
  wire.loss = json.value("loss", 0.0);
  wire.tcp = tcp_of(json.value("tcp", ""));
  wire.seed = json.value("seed", wire.seed);
  wire.at_once = json.value("at_once", wire.at_once);
  wire.cores = cores_of(json.value("cores", ""));
}

void to_json(nlohmann::json& json, const Plan& plan) {
  json = {{"name", plan.name},
          {"wire_subnet", plan.wire_subnet},
          {"management_subnet", plan.management_subnet},
          {"wire", plan.wire},
          {"hosts", nlohmann::json::array()}};
  for (const PlannedHost& host : plan.hosts)
    json["hosts"].push_back({{"name", host.name},
                             {"address", host.address},
                             {"management_address", host.management_address},
                             {"mac", host.mac}});
}

void from_json(const nlohmann::json& json, Plan& plan) {
  json.at("name").get_to(plan.name);
  json.at("wire_subnet").get_to(plan.wire_subnet);
  json.at("management_subnet").get_to(plan.management_subnet);
  json.at("wire").get_to(plan.wire);
  plan.hosts.clear();
  for (const auto& host : json.at("hosts"))
    plan.hosts.push_back(
        {host.at("name"), host.at("address"), host.at("management_address"), host.at("mac")});
}

void to_json(nlohmann::json& json, const Running& running) {
  json = {{"process", running.process},
          {"init", running.init},
          {"own_user_namespace", running.own_user_namespace},
          {"processes", running.processes},
          {"networks", running.networks}};
}

void from_json(const nlohmann::json& json, Running& running) {
  json.at("process").get_to(running.process);
  json.at("init").get_to(running.init);
  json.at("own_user_namespace").get_to(running.own_user_namespace);
  json.at("processes").get_to(running.processes);
  json.at("networks").get_to(running.networks);
}

std::string Running::network(std::size_t host) const {
  return fmt::format("/proc/{}/fd/{}", process.pid, networks.at(host));
}

namespace {

template <class T>
Result<T> read_json(const fs::path& file) {
  WW_TRY(const std::string text, read_file(file));
  try {
    return nlohmann::json::parse(text).get<T>();
  } catch (const nlohmann::json::exception& problem) {
    return fail("cannot understand a lab's state", fmt::format("{}: {}", file.string(), problem.what()),
                "whatwire lab down --all");
  }
}

}  // namespace

Result<Plan> read_plan(const fs::path& directory) {
  return read_json<Plan>(directory / "lab.json");
}
Result<Running> read_running(const fs::path& directory) {
  return read_json<Running>(directory / "running.json");
}

}  // namespace ww::lab
