// The virtual cluster: hosts as network namespaces joined by a user-space switch over TAP devices, whose rate
// and delay can be set while it runs. State lives in $XDG_RUNTIME_DIR/whatwire/NAME (runtime.hpp says
// where without one); names are unique per lab.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lab/name.hpp"
#include "lab/rights.hpp"

namespace ww::lab {

// kernel: as switched, within the kernel (switch/kernel_wire.hpp). bus: one Ethernet segment with CSMA/CD, half duplex.
enum class WireKind { switched, kernel, bus, tbf };
// Does it store and forward, at a rate and with a delay?
constexpr bool is_switch(WireKind kind) {
  return kind == WireKind::switched || kind == WireKind::kernel;
}

// The TCP of the hosts. steady: the wire is seen and as little as possible of TCP; the same every time. as_linux: what
// Linux does unless told otherwise, whatever this machine was told: cubic, its buffers, slow start after a pause,
// memory of earlier connections, and frames joined in the host.
enum class Tcp { steady, as_linux };

// What the hosts' cores do while nothing runs on them. awake: they poll (switch/awake_cores.hpp), so that what a program does takes no
// longer because it waited before; as_machine: what this machine does, mostly sleep.
enum class Cores { awake, as_machine };

struct SwitchWire {
  double rate_bytes_per_s = 0;  // 0: no limit
  double delay_s = 0;           // one way, added to serialisation
  WireKind kind = WireKind::switched;
  std::uint64_t seed = 1;  // of a bus: what its hosts draw after collisions; of jitter and loss: the draws
  double jitter_s =
      0;            // each frame is up to so much later, evenly; frames of a pair of hosts keep their order
  double loss = 0;  // that a frame is lost, below 1
  Tcp tcp = Tcp::steady;
  // That a host's card hands over of a stream at once, up to most_at_once; of a switch (is_switch) without jitter and loss.
  int at_once = 1;
  Cores cores = Cores::awake;  // of a lab that is up: as it is, whatever was asked for
};
inline constexpr int most_at_once = 3;

// What of a wire can be changed while the lab runs.
struct WireChange {
  std::optional<double> rate_bytes_per_s = {}, delay_s = {}, jitter_s = {}, loss = {};
  SwitchWire of(SwitchWire wire) const;
};

// {"kind","rate_bytes_per_s","delay_s","jitter_s","loss","tcp":"steady"|"default","seed","at_once","cores":"awake"|"machine"}
void to_json(nlohmann::json& json, const SwitchWire& wire);
void from_json(const nlohmann::json& json, SwitchWire& wire);
const char* to_string(WireKind kind);  // "switch", "kernel", "bus", "tbf"
WireKind wire_kind(std::string_view text);
const char* to_string(Tcp tcp);  // "steady", "default"
Tcp tcp_of(std::string_view text);
const char* to_string(Cores cores);  // "awake", "machine"
Cores cores_of(std::string_view text);

struct UpOptions {
  LabName name;
  int hosts = 2;
  SwitchWire wire;
};

// Creates everything or nothing. Errors: no right to make namespaces (with what was tried), the name is in
// use.
Result<void> up(const UpOptions& options);
Result<void> set_wire(const LabName& name, const WireChange& change);
Result<SwitchWire> wire_of(const LabName& name);
// {"name","hosts":[{"name","address","namespace"}],"wire":{"kind","rate_bytes_per_s","delay_s",...},"switch":{"pid","frames",
//  "bytes","dropped","late_us":{"median","p99","max","covered"},"late_frames",...,
//  "bus":{"collisions","collisions_per_packet",...}},"cores":{"awake_now","asleep_because"},"programs":{"orphans_cpu_s"},"diagnostics":[...]}
// orphans_cpu_s: of programs on the hosts that have ended and had left their parent, as launchers' daemons do.
Result<nlohmann::json> status(const LabName& name);
Result<void> down(const LabName& name);
Result<std::vector<LabName>> names();
// What the daemons of a message library that a lab starts for a program (PVM's) are to have: a library to load, and variables.
struct OfDaemons {
  std::filesystem::path preload;  // empty: neither
  std::vector<std::pair<std::string, std::string>> environment;
};

// The user's LAUNCH (mpirun ...), changed so that its ranks run on the lab's hosts, one rank a host in turn.
// Of Open MPI or MPICH; each host has its own host name.
Result<std::vector<std::string>> launch_on(const LabName& name, std::vector<std::string> launch,
                                           const OfDaemons& daemons = {});

}  // namespace ww::lab
