#include "lab/switch/build.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "base/files.hpp"
#include "lab/rights.hpp"
#include "lab/switch/held_queue.hpp"
#include "lab/switch/in_namespace.hpp"

namespace ww::lab {
namespace {

Result<int> new_network() {
  if (unshare(CLONE_NEWNET) != 0)
    return fail("cannot make a network namespace", std::strerror(errno), "run as root");
  const int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail("cannot open the new network namespace", std::strerror(errno));
  return fd;
}

Result<int> open_tap(const char* name) {
  const int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return fail("cannot open /dev/net/tun", std::strerror(errno),
                "run as root (or chmod 666 /dev/net/tun), or take the kernel's rate limit: --wire tbf");
  ifreq request = {};
  std::snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  if (ioctl(fd, TUNSETIFF, &request) != 0) {
    const int problem = errno;
    close(fd);
    return fail("cannot make a TAP interface", std::strerror(problem), "run as root, or --wire tbf");
  }
  return fd;
}

// Pieces on the wire are what the sending TCP made of the data, as long as its card lets them be (set_cards, which says so again of
// segmentation): none is split or joined behind its back.
void no_offloads(const char* name) {
  const int socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  for (const std::uint32_t what : {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO}) {
    ethtool_value value = {what, 0};
    ifreq request = {};
    std::snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    request.ifr_data = reinterpret_cast<char*>(&value);
    // A kind of interface that does not know an offload does not do it either.
    (void)ioctl(socket_fd, SIOCETHTOOL, &request);
  }
  close(socket_fd);
}

using Settings = std::vector<std::pair<const char*, const char*>>;

// So that what is seen is the wire and not this machine's settings (whose congestion control may be one that probes for
// bandwidth, as bbr does, and whose caches remember the rate that the lab had before).
const Settings steady{
    {"net/ipv4/tcp_congestion_control", "reno"},   // without loss it only grows: the same every time
    {"net/ipv4/tcp_slow_start_after_idle", "0"},   // a program computes between messages
    {"net/ipv4/tcp_no_metrics_save", "1"},         // no memory from run to run
    {"net/ipv4/tcp_limit_output_bytes", "8192"},   // TCP small queues: three frames, whatever the window
    {"net/ipv4/tcp_rmem", "4096 524288 8388608"},  // 8 MiB: 1 Gb/s over 60 ms of round trip
    {"net/ipv4/tcp_wmem", "4096 524288 8388608"},
};

// The kernel's own values (Documentation/networking/ip-sysctl.rst; net/ipv4/tcp.c for the buffers, of a machine with
// 4 GiB or more), since a network namespace begins with those of the machine.
const Settings as_linux{
    {"net/ipv4/tcp_congestion_control", "cubic"}, {"net/ipv4/tcp_slow_start_after_idle", "1"},
    {"net/ipv4/tcp_no_metrics_save", "0"},        {"net/ipv4/tcp_limit_output_bytes", "1048576"},
    {"net/ipv4/tcp_rmem", "4096 131072 6291456"}, {"net/ipv4/tcp_wmem", "4096 16384 4194304"},
};

// Of this network: no neighbour chatter on the wire, which frames wait behind and which would keep cores awake.
Result<void> without_ipv6() {
  if (access("/proc/sys/net/ipv6", F_OK) != 0) return {};
  return set_kernel("net/ipv6/conf/all/disable_ipv6", "1");
}

Result<void> tune_tcp(Tcp tcp) {
  WW_CHECK(without_ipv6());
  for (const auto& [path, value] : tcp == Tcp::steady ? steady : as_linux) WW_CHECK(set_kernel(path, value));
  return {};
}

// The kernel lets a namespace of ours take only a congestion control that everybody may take, a list that is the machine's: while this
// lives, cubic is in it. A namespace keeps what it has taken.
class CubicAllowed {
 public:
  // Without effect where it is allowed, or is not asked for. In the machine's own network namespace.
  static Result<CubicAllowed> take(Tcp tcp) {
    CubicAllowed out;
    if (tcp == Tcp::steady) return out;
    WW_TRY(std::string allowed, read_file(std::string("/proc/sys/") + list));
    while (!allowed.empty() && allowed.back() == '\n') allowed.pop_back();
    if ((" " + allowed + " ").find(" cubic ") != std::string::npos) return out;
    out.home_ = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (out.home_ < 0) return fail("cannot open the network namespace", std::strerror(errno));
    if (!set_kernel(list, allowed + " cubic"))
      return fail(
          "this kernel lets hosts of a lab not have cubic, Linux's usual congestion control", list,
          fmt::format("as root: sysctl net.ipv4.tcp_allowed_congestion_control='{} cubic'; or --tcp steady",
                      allowed));
    out.before_ = allowed;
    return out;
  }
  CubicAllowed(CubicAllowed&& other) noexcept
      : home_(std::exchange(other.home_, -1)), before_(std::move(other.before_)) {
    other.before_.clear();
  }
  CubicAllowed(const CubicAllowed&) = delete;
  CubicAllowed& operator=(CubicAllowed&&) = delete;
  ~CubicAllowed() {
    if (!before_.empty() && enter_network(home_)) (void)set_kernel(list, before_);
    if (home_ >= 0) close(home_);
  }

 private:
  static constexpr const char* list = "net/ipv4/tcp_allowed_congestion_control";
  CubicAllowed() = default;
  int home_ = -1;
  std::string before_;
};

// Of an IPv4 address with a prefix of 24 bits.
std::string network_of(const std::string& address) {
  return address.substr(0, address.rfind('.')) + ".0";
}

bool of_taps(WireKind kind) {
  return kind == WireKind::switched || kind == WireKind::bus;
}

// Of the bridge that joins hosts without a switch in user space, towards host k.
std::string hub_port(std::size_t k) {
  return fmt::format("w{}", k);
}

Result<void> build_host(const Plan& plan, std::size_t k, Built& built) {
  const PlannedHost& host = plan.hosts[k];
  WW_TRY(const int network, new_network());
  built.hosts.push_back(network);
  std::string ip = "link set lo up\n";
  if (of_taps(plan.wire.kind)) {
    WW_TRY(const int tap, open_tap(wire_interface));
    built.taps.push_back(tap);
  }
  const std::string here = fmt::format("/proc/{}/fd/{}", getpid(), network);
  std::string hub =
      fmt::format("link add m{0} type veth peer name {1} netns {2}\nlink set m{0} master mgmt up\n", k,
                  management_interface, here);
  if (!of_taps(plan.wire.kind))
    hub += fmt::format("link add {0} type veth peer name {1} netns {2}\nlink set {0} master wire up\n",
                       hub_port(k), wire_interface, here);
  WW_CHECK(enter_network(built.hub));
  WW_CHECK(run_with_input({"ip", "-batch", "-"}, hub));
  WW_CHECK(enter_network(network));
  WW_CHECK(tune_tcp(plan.wire.tcp));
  if (plan.wire.tcp == Tcp::steady && plan.wire.kind != WireKind::kernel) no_offloads(wire_interface);
  // The TAP's ring (txqueuelen frames; it drops what is beyond) holds more than
  // TCP may have on its way, so that a sender never loses any.
  ip += fmt::format("link set {} address {} txqueuelen 10000\n", wire_interface, host.mac);
  ip +=
      fmt::format("address add {}/24 dev {}\nlink set {} up\n", host.address, wire_interface, wire_interface);
  ip += fmt::format("address add {0}/24 dev {1}\nlink set {1} up\n", host.management_address,
                    management_interface);
  // Steady TCP has its whole window from the first byte on (8 MiB of it, as its buffers): no slow start.
  if (plan.wire.tcp == Tcp::steady)
    ip += fmt::format("route replace {0}/24 dev {1} proto kernel scope link src {2} initcwnd 5800\n",
                      network_of(host.address), wire_interface, host.address);
  for (const PlannedHost& other : plan.hosts)
    if (other.name != host.name)
      ip += fmt::format("neighbour add {} lladdr {} dev {} nud permanent\n", other.address, other.mac,
                        wire_interface);
  WW_CHECK(run_with_input({"ip", "-batch", "-"}, ip));
  Mac mac{};
  unsigned part[6] = {};
  std::sscanf(host.mac.c_str(), "%x:%x:%x:%x:%x:%x", part, part + 1, part + 2, part + 3, part + 4, part + 5);
  for (std::size_t i = 0; i < 6; ++i) mac[i] = static_cast<std::uint8_t>(part[i]);
  built.macs.push_back(mac);
  return {};
}

// How many frames of a stream a card hands over at once: as many as fit into 50 us, and at least those that the lab was asked for, at every
// rate, so that what hosts do for a message does not depend on it. What is held back knows pieces of most_at_once, and no wire that is
// held back has more (held_queue.hpp).
int frames_at_once(const SwitchWire& wire) {
  const int most = wire.kind == WireKind::kernel ? KernelWire::most_frames : 40;  // in 64 KiB
  // below 1 Mb/s three of them would be in the way of others for longer than TCP waits to acknowledge (40 ms)
  constexpr std::int64_t longest_frame_ns = 13'000'000;
  if (!is_switch(wire.kind) || wire.jitter_s > 0 || wire.loss > 0) return 1;
  const std::int64_t frame_ns = WireTimes{wire.rate_bytes_per_s}.serialise_ns(1514);
  if (frame_ns == 0) return most;
  if (frame_ns > longest_frame_ns) return 1;
  return static_cast<int>(std::clamp<std::int64_t>(gathered_ns / frame_ns, wire.at_once, most));
}

}  // namespace

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

WireTimes times_of(const SwitchWire& wire) {
  const auto ns = [](double seconds) { return static_cast<std::int64_t>(seconds * 1e9); };
  return {wire.rate_bytes_per_s, ns(wire.delay_s), ns(wire.jitter_s), wire.loss, frames_at_once(wire)};
}

Result<Built> build(const Plan& plan) {
  Built built;
  // before rights are taken: they begin with a network namespace
  std::optional<CubicAllowed> allowed;
  {
    WW_TRY(CubicAllowed taken, CubicAllowed::take(plan.wire.tcp));
    allowed.emplace(std::move(taken));
  }
  WW_TRY(const Rights rights, take_rights());
  built.own_user_namespace = rights == Rights::user_namespace;
  WW_TRY(built.hub, new_network());
  WW_CHECK(without_ipv6());
  std::string bridges = "link set lo up\nlink add mgmt type bridge\nlink set mgmt up\n";
  if (!of_taps(plan.wire.kind)) bridges += "link add wire type bridge mcast_snooping 0\nlink set wire up\n";
  WW_CHECK(run_with_input({"ip", "-batch", "-"}, bridges));
  for (std::size_t k = 0; k < plan.hosts.size(); ++k) WW_CHECK(build_host(plan, k, built));
  if (plan.wire.kind == WireKind::kernel) {
    std::vector<std::string> ports;
    for (std::size_t k = 0; k < plan.hosts.size(); ++k) ports.push_back(hub_port(k));
    WW_TRY(built.kernel,
           KernelWire::attach(built.hub, built.hosts, ports, usable_cores(), times_of(plan.wire)));
  }
  WW_CHECK(set_queues(plan, built, plan.wire));
  allowed.reset();
  WW_CHECK(enter_network(built.hub));
  return built;
}

namespace {

Result<void> set_cards(const Plan& plan, const Built& built, const SwitchWire& wire) {
  const int at_once = frames_at_once(wire);
  // Of single frames: steady TCP makes nothing else, Linux's own is cut to frames before the card.
  // Nothing cuts behind the queues of a wire within the kernel.
  const bool cut_later = at_once == 1 && plan.wire.tcp == Tcp::as_linux && plan.wire.kind != WireKind::kernel;
  const int segments = cut_later ? 65535 : at_once;
  const unsigned offloads = at_once == 1 ? 0 : TUN_F_CSUM | TUN_F_TSO4;
  for (const int tap : built.taps)
    if (ioctl(tap, TUNSETOFFLOAD, offloads) != 0)
      return fail("cannot set what a TAP interface segments", std::strerror(errno));
  for (const int host : built.hosts) {
    WW_CHECK(enter_network(host));
    WW_CHECK(run_with_input({"ip", "-batch", "-"},
                            fmt::format("link set {} gso_max_segs {}\n", wire_interface, segments)));
  }
  return {};
}

}  // namespace

Result<void> set_queues(const Plan& plan, const Built& built, const SwitchWire& wire) {
  const double rate_bytes_per_s = wire.rate_bytes_per_s;
  WW_CHECK(set_cards(plan, built, wire));
  if (plan.wire.kind == WireKind::kernel) return enter_network(built.hub);  // KernelWire::set
  constexpr double no_limit_bytes_per_s = 12.5e9, most_held_bytes_per_s = 31.25e6;
  const bool held =
      rate_bytes_per_s > 0 && (plan.wire.kind == WireKind::tbf || rate_bytes_per_s <= most_held_bytes_per_s);
  const double rate = held ? rate_bytes_per_s : no_limit_bytes_per_s;
  // Beside the piece that waits for its tokens, or what they grow by while a timer is late would be lost.
  const int at_once = frames_at_once(wire);
  const double burst = std::max(3 * 1538.0, rate * 300e-6) + (held && at_once > 1 ? at_once * 1538.0 : 0);
  const auto queue = [&](const std::string& device) {
    return fmt::format(
        "qdisc replace dev {} root stab overhead 24 tbf rate {:.0f}bps burst {:.0f} limit 16777216\n", device,
        rate, burst);
  };
  for (const int host : built.hosts) {
    WW_CHECK(enter_network(host));
    if (held && plan.wire.kind != WireKind::tbf)
      WW_CHECK(hold_back(wire_interface, rate, burst));
    else
      WW_CHECK(run_with_input({"tc", "-batch", "-"}, queue(wire_interface)));
  }
  WW_CHECK(enter_network(built.hub));
  if (plan.wire.kind == WireKind::tbf) {
    std::string all;
    for (std::size_t k = 0; k < built.hosts.size(); ++k) all += queue(hub_port(k));
    WW_CHECK(run_with_input({"tc", "-batch", "-"}, all));
  }
  return {};
}

}  // namespace ww::lab
