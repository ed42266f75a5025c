// whatwire lab: the virtual cluster.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "lab/lab.hpp"
#include "launch/launch.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::optional<lab::LabName> given;  // none: the lab named "default", or all of them
  lab::LabName name() const { return given.value_or(lab::LabName()); }
  int hosts = 2, at_once = lab::SwitchWire{}.at_once;
  std::string rate, delay, jitter, loss, wire = "switch", tcp = lab::to_string(lab::Tcp::steady),
                                         cores = lab::to_string(lab::Cores::awake);
  std::uint64_t seed = lab::SwitchWire{}.seed;
  bool all = false, json = false;
};
using Shared = std::shared_ptr<Options>;

// "0" and "none" are no limit.
Result<double> rate_of(const std::string& text) {
  if (text == "0" || text == "none") return 0.0;
  return parse_rate_bytes_per_s(text);
}

Result<lab::WireChange> change_of(const Options& o) {
  lab::WireChange out;
  if (!o.rate.empty()) {
    WW_TRY(out.rate_bytes_per_s, rate_of(o.rate));
  }
  if (!o.delay.empty()) {
    WW_TRY(out.delay_s, parse_time_s(o.delay));
  }
  if (!o.jitter.empty()) {
    WW_TRY(out.jitter_s, parse_time_s(o.jitter));
  }
  if (!o.loss.empty()) {
    WW_TRY(out.loss, parse_share(o.loss));
  }
  return out;
}

std::string show(const lab::SwitchWire& wire) {
  std::string text = wire.rate_bytes_per_s > 0 ? show_rate(wire.rate_bytes_per_s) : "no limit";
  if (wire.delay_s > 0) text += ", delay " + show_time(wire.delay_s);
  if (wire.jitter_s > 0) text += ", jitter up to " + show_time(wire.jitter_s);
  if (wire.loss > 0) text += fmt::format(", loses {:.3g}% of the frames", 100 * wire.loss);
  if (wire.tcp == lab::Tcp::as_linux) text += ", TCP as Linux has it";
  if (wire.at_once > 1) text += fmt::format(", up to {} frames at once", wire.at_once);
  if (wire.cores == lab::Cores::awake) text += ", cores kept awake";
  return text;
}

void print(const nlohmann::json& s) {
  fmt::print("lab {}: {} ({}, {})\n", s["name"].get<std::string>(), show(s["wire"].get<lab::SwitchWire>()),
             s["wire"]["kind"].get<std::string>(), s["wire_subnet"].get<std::string>());
  for (const auto& host : s["hosts"])
    fmt::print("  {:<16} {:<14} nsenter --net={}\n", host["name"].get<std::string>(),
               host["address"].get<std::string>(), host["namespace"].get<std::string>());
  if (s["cores"].contains("asleep_because"))
    fmt::print("  cores sleep while nothing runs, as this machine has it: {}\n",
               s["cores"]["asleep_because"].get<std::string>());
  const auto& sw = s["switch"];
  if (!sw.contains("frames")) return;
  const auto us = [&](const char* key) { return show_time(sw["late_us"][key].get<double>() * 1e-6); };
  fmt::print("  {} frames, {}, {} dropped; late: median {}, 99% {}, most {}\n",
             sw["frames"].get<std::uint64_t>(), show_bytes(sw["bytes"].get<double>()),
             sw["dropped"].get<std::uint64_t>(), us("median"), us("p99"), us("max"));
  if (sw.contains("bus")) {
    const auto& bus = sw["bus"];
    fmt::print(
        "  bus: {} packets, {} collisions, {:.3g} a packet, {} given up; on the wire {:.3g}% of the time, "
        "{:.3g}% of that in which a host had something to send\n",
        bus["packets"].get<std::uint64_t>(), bus["collisions"].get<std::uint64_t>(),
        bus["collisions_per_packet"].get<double>(), bus["given_up"].get<std::uint64_t>(),
        100 * bus["utilisation"].get<double>(), 100 * bus["utilisation_when_wanted"].get<double>());
  }
  if (sw.contains("missing_rights"))
    fmt::print("  the switch is less exact: {}\n", sw["missing_rights"].get<std::string>());
  for (const auto& said : s["diagnostics"])
    fmt::print("  {}: {}\n", said["name"].get<std::string>(), said["remedy"].get<std::string>());
}

Result<int> up(const Options& o) {
  lab::UpOptions options{.name = o.name(), .hosts = o.hosts, .wire = {}};
  WW_TRY(const lab::WireChange given, change_of(o));
  options.wire = given.of({.kind = lab::wire_kind(o.wire),
                           .seed = o.seed,
                           .tcp = lab::tcp_of(o.tcp),
                           .at_once = o.at_once,
                           .cores = lab::cores_of(o.cores)});
  WW_CHECK(lab::up(options));
  WW_TRY(const nlohmann::json state, lab::status(o.name()));
  if (o.json)
    fmt::print("{}\n", json_text(state, 2));
  else
    print(state);
  return 0;
}

Result<int> rate(const Options& o) {
  if (o.rate.empty() && o.delay.empty() && o.jitter.empty() && o.loss.empty())
    return wrong_usage("nothing to change", "lab rate", "whatwire lab rate 100Mb/s, or lab rate --delay 1ms");
  WW_TRY(const lab::WireChange change, change_of(o));
  WW_CHECK(lab::set_wire(o.name(), change));
  WW_TRY(const lab::SwitchWire wire, lab::wire_of(o.name()));
  if (o.json)
    fmt::print("{}\n", json_text(wire, 2));
  else
    fmt::print("{}\n", show(wire));
  return 0;
}

Result<int> run_launch(const Options& o, const std::vector<std::string>& launch) {
  WW_TRY(const auto changed, change_launcher(launch, [&](std::vector<std::string> line) {
           return lab::launch_on(o.name(), std::move(line));
         }));
  WW_TRY(const Finished finished, run({.arguments = changed}));
  return finished.exit_code;
}

Result<int> status(const Options& o) {
  std::vector<lab::LabName> names{o.name()};
  if (!o.given) {
    WW_TRY(names, lab::names());
  }
  nlohmann::json all = nlohmann::json::array();
  for (const lab::LabName& name : names) {
    auto state = lab::status(name);
    if (!state && o.given) return tl::unexpected(state.error());
    if (state) all.push_back(*std::move(state));
  }
  if (o.json) {
    // Of one lab its object; of several (or none) a list under "labs".
    fmt::print("{}\n", json_text(all.size() == 1 ? all[0] : nlohmann::json({{"labs", all}}), 2));
    return 0;
  }
  if (all.empty()) fmt::print("no lab is up\n");
  for (const auto& state : all) print(state);
  return 0;
}

Result<int> down(const Options& o) {
  std::vector<lab::LabName> names{o.name()};
  if (o.all) {
    WW_TRY(names, lab::names());
  }
  nlohmann::json done = nlohmann::json::array();
  Result<void> all;
  for (const lab::LabName& name : names)
    if (auto ended = lab::down(name); ended)
      done.push_back(name.text());
    else if (all)
      all = std::move(ended);
  WW_CHECK(all);
  if (o.json) fmt::print("{}\n", json_text({{"down", done}}, 2));
  return 0;
}

CLI::App* part(CLI::App& lab, const Shared& options, const char* name, const char* what,
               const char* example) {
  CLI::App* sub = lab.add_subcommand(name, what);
  sub->footer(std::string("Example:  ") + example);
  add_lab_name(*sub, options->given);
  return sub;
}

}  // namespace

void add_lab(CLI::App& root, Chosen& chosen) {
  auto* lab =
      root.add_subcommand("lab", "The virtual cluster: hosts on this machine, joined by a wire of any rate");
  lab->footer(
      "Example:  whatwire lab up --hosts 2 --rate 10Mb/s\n"
      "          whatwire lab run -- mpirun -n 2 ./app\n"
      "          whatwire lab rate 100Mb/s\n"
      "          whatwire lab down");
  lab->require_subcommand(1);
  auto o = std::make_shared<Options>();
  const char* delay_help = "One-way delay besides serialisation, up to 10s: 50us, 5ms";
  const char* jitter_help =
      "Each frame is up to so much later, evenly; none overtakes another of its pair of hosts";
  const char* loss_help = "Share of the frames that are lost: 0.1%, up to 50%";

  auto* sub = part(*lab, o, "up", "Create a lab", "whatwire lab up --hosts 2 --rate 10Mb/s --delay 50us");
  sub->add_option("--hosts", o->hosts, "Number of hosts")->capture_default_str();
  sub->add_option("--rate", o->rate,
                  "Rate of every host's link, 1kb/s to 100Gb/s: 10Mb/s; 0 or none: no limit")
      ->required();
  sub->add_option("--delay", o->delay, delay_help);
  sub->add_option("--jitter", o->jitter, jitter_help);
  sub->add_option("--loss", o->loss, loss_help);
  sub->add_option(
         "--tcp", o->tcp,
         "The hosts' TCP. steady: tuned so that the wire is what is seen, the same every time; default: as "
         "Linux has it (cubic, its buffers, slow start after a pause)")
      ->check(CLI::IsMember({"steady", "default"}))
      ->capture_default_str();
  sub->add_option("--wire", o->wire,
                  "switch: store and forward, exact; kernel: the same without a program that wakes for each "
                  "frame; bus: one shared Ethernet with CSMA/CD, half duplex, up to "
                  "100Mb/s; tbf: the kernel's token bucket")
      ->check(CLI::IsMember({"switch", "kernel", "bus", "tbf"}))
      ->capture_default_str();
  sub->add_option("--seed", o->seed,
                  "Of a bus: what its hosts draw after collisions; else of jitter and loss")
      ->capture_default_str();
  sub->add_option("--at-once", o->at_once,
                  "Frames of a stream that a host's card hands over together, 1 to 3, as cards do that "
                  "segment: streams take half as much of the cores, and what is sent in bursts of small "
                  "messages shares them; single ones with jitter or loss, and below 1 Mb/s")
      ->capture_default_str();
  sub->add_option(
         "--cores", o->cores,
         "What the hosts' cores do while nothing runs. awake: they poll while the lab is used, so that "
         "nothing is slower because it waited before; machine: what this machine does, mostly sleep")
      ->check(CLI::IsMember({"awake", "machine"}))
      ->capture_default_str();
  add_json(*sub, o->json);
  sub->callback([&chosen, o] { chosen.action = [o] { return up(*o); }; });

  sub = part(*lab, o, "rate", "Change the wire while the lab runs", "whatwire lab rate 100Mb/s");
  sub->add_option("rate", o->rate, "The new rate, 1kb/s to 100Gb/s; 0 or none: no limit");
  sub->add_option("--delay", o->delay, delay_help);
  sub->add_option("--jitter", o->jitter, jitter_help);
  sub->add_option("--loss", o->loss, loss_help);
  add_json(*sub, o->json);
  sub->callback([&chosen, o] { chosen.action = [o] { return rate(*o); }; });

  sub = part(*lab, o, "run", "Run a program of Open MPI or MPICH on the lab's hosts, one rank a host in turn",
             "whatwire lab run -- mpirun -n 2 ./app");
  chosen.launching[sub] = "LAUNCH";
  sub->callback([&chosen, o] { chosen.action = [o, &chosen] { return run_launch(*o, chosen.launch); }; });

  sub = part(*lab, o, "status", "Hosts, wire, frames, how late they were, and a bus's collisions",
             "whatwire lab status --json");
  add_json(*sub, o->json);
  sub->callback([&chosen, o] { chosen.action = [o] { return status(*o); }; });

  sub = part(*lab, o, "down", "Remove a lab and what runs on it", "whatwire lab down --all");
  sub->add_flag("--all", o->all, "Every lab of this user");
  add_json(*sub, o->json);
  sub->callback([&chosen, o] { chosen.action = [o] { return down(*o); }; });
}

}  // namespace ww::cli
