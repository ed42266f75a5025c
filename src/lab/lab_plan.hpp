// What a lab consists of: decided once by `up`, written to DIR/lab.json, read by the switch, the agent and
// every later command. Where DIR is: runtime.hpp.
//   lab.json      the Plan
//   running.json  Running, once the lab is complete
//   lock          flock()ed by the switch for as long as the lab lives: a directory whose lock is free is
//   what a dead
//                 lab left behind
//   control       the switch's socket
//   hosts         becomes /etc/hosts inside the hosts
//   switch.log    what the switch had to say
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "lab/process.hpp"

namespace ww::lab {

// Interfaces inside every host.
inline constexpr const char* wire_interface = "wire0";
inline constexpr const char* management_interface = "mgmt0";

struct PlannedHost {
  std::string name;                // wwNAME-h0
  std::string address;             // on the wire
  std::string management_address;  // on the unlimited network that only launching uses
  std::string mac;                 // of the wire interface
};

struct Plan {
  std::string name;
  SwitchWire wire;  // as at `up`
  std::string wire_subnet,
      management_subnet;  // 10.77.I.0/24, 10.78.I.0/24, I unique among the labs of this machine
  std::vector<PlannedHost> hosts;
};

struct Running {
  ProcessId process;  // the switch, which holds all namespaces
  ProcessId init;     // the first process of the lab's PID namespace, whose end is that of all others there
  bool own_user_namespace = false;  // made without root
  int processes = -1;               // descriptors of the switch: the PID namespace,
  std::vector<int> networks;  // and of each host its network namespace, which init has under that number, too
  // A path that setns and nsenter --net= accept.
  std::string network(std::size_t host) const;
};

Plan make_plan(const std::string& name, int hosts, const SwitchWire& wire, int subnet_index);
std::string hosts_file(const Plan& plan);

void to_json(nlohmann::json& json, const Plan& plan);
void from_json(const nlohmann::json& json, Plan& plan);
void to_json(nlohmann::json& json, const Running& running);
void from_json(const nlohmann::json& json, Running& running);

// What a wire can be: below, a full frame would take longer than programs and TCP wait (1538 bytes at 1 kb/s:
// 12 s); above, no switch in user space is the wire. The kernel's tc would say its usage, or take another
// number.
inline constexpr double slowest_bytes_per_s = 125, fastest_bytes_per_s = 12.5e9;
inline constexpr double longest_delay_s = 10;
// Within the kernel no frame may wait for longer than fillers last (switch/kernel_wire.hpp: 55 ms).
inline constexpr double slowest_kernel_bytes_per_s = 125e3, longest_kernel_delay_s = 15e-3;
inline constexpr double most_loss = 0.5;  // TCP gets nothing through long before
// Error: no such wire can be (usage).
Result<void> check_wire(const SwitchWire& wire);

// Error: no such lab, or what is there is of a dead one.
Result<Plan> read_plan(const std::filesystem::path& directory);
Result<Running> read_running(const std::filesystem::path& directory);

}  // namespace ww::lab
