#include "lab/switch/switch_control.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/processors.hpp"
#include "lab/switch/awake_cores.hpp"

namespace ww::lab {
namespace {

using nlohmann::json;

double cpu_s() {
  timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

// As the simulated bus counts (`simulate --json`, network=bus); collisions of a packet are those that its
// station took part in.
json bus_status(const BusTally& bus, double up_s) {
  const auto count = [](const auto& number) { return static_cast<double>(number.load()); };
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  const double busy_s = count(bus.busy_ns) * 1e-9, wanted_s = count(bus.wanted_ns) * 1e-9;
  return {{"packets", bus.packets.load()},
          {"bytes", bus.bytes.load()},
          {"collisions", bus.collisions.load()},
          {"collided_attempts", bus.collided_attempts.load()},
          {"collisions_per_packet", share(count(bus.collided_attempts), count(bus.packets))},
          {"given_up", bus.given_up.load()},
          {"busy_s", busy_s},
          {"wanted_s", wanted_s},
          {"up_s", up_s},
          {"utilisation", share(busy_s, up_s)},
          {"utilisation_when_wanted", share(busy_s, wanted_s)}};
}

// Of the switch in user space, or, put into `within_kernel`, of the kernel's.
const Counters& counters_of(const Built& built, Pump& pump, Counters& within_kernel) {
  if (!built.kernel) return pump.counters();
  built.kernel.count(within_kernel);
  return within_kernel;
}

std::uint64_t frames_carried(const Built& built, Pump& pump) {
  Counters within_kernel;
  return counters_of(built, pump, within_kernel).frames.load();
}

// Of a lab that is to keep them awake; empty: it does.
std::string why_cores_sleep(const SwitchWire& wire) {
  if (wire.cores == Cores::as_machine) return "";
  if (wire.kind == WireKind::tbf) return "nobody counts the frames of a tbf wire";
  return AwakeCores::impossible();
}

json status(const SwitchWire& wire, const Built& built, Pump& pump, const std::string& missing_rights,
            const ProcessorTimes& before) {
  Counters within_kernel;
  const Counters& counters = counters_of(built, pump, within_kernel);
  const auto late_us = [&](double share) {
    return static_cast<double>(counters.late.quantile_ns(share)) * 1e-3;
  };
  json answer = {{"wire", wire}, {"switch", {{"pid", getpid()}, {"cpu_s", cpu_s()}}}};
  if (wire.kind != WireKind::tbf) {
    const std::int64_t covered_ns = built.kernel ? KernelWire::covered_ns : times_of(wire).covered_ns();
    json& out = answer["switch"];
    out["frames"] = counters.frames.load();
    out["bytes"] = counters.bytes.load();
    out["dropped"] = counters.dropped.load();
    out["late_frames"] = counters.late_frames.load();
    out["spun_s"] = static_cast<double>(counters.spun_ns.load()) * 1e-9;
    out["late_us"] = {{"median", late_us(0.5)},
                      {"p99", late_us(0.99)},
                      {"max", static_cast<double>(counters.late.max_ns()) * 1e-3},
                      {"covered", static_cast<double>(covered_ns) * 1e-3}};
    // Since the lab is up: for how long its hands were ready to run and had no core, and for how long the
    // machine's host kept cores from it.
    if (const auto waited_s = waited_for_processors_s(); waited_s && !built.kernel)
      out["waited_s"] = *waited_s;
    if (const auto times = processor_times()) out["stolen_s"] = times->stolen_s - before.stolen_s;
    if (const BusTally* bus = pump.bus()) out["bus"] = bus_status(*bus, pump.up_s());
    if (!missing_rights.empty()) out["missing_rights"] = missing_rights;
  }
  return answer;
}

// The wire of a lab that the switch in user space, or the kernel, plays.
void set_times(Built& built, Pump& pump, const SwitchWire& wire) {
  if (built.kernel)
    built.kernel.set(times_of(wire));
  else
    pump.set_wire(times_of(wire));
}

json set(const json& wanted, const Plan& plan, Built& built, Pump& pump, SwitchWire& wire) {
  const SwitchWire asked = wanted.at("wire").get<SwitchWire>();
  const SwitchWire next =
      WireChange{asked.rate_bytes_per_s, asked.delay_s, asked.jitter_s, asked.loss}.of(wire);
  if (const auto possible = check_wire(next); !possible) return {{"error", ww::to_string(possible.error())}};
  // The hosts' queues must never be what limits: they are opened before the wire becomes faster.
  const bool faster = next.rate_bytes_per_s == 0 || next.rate_bytes_per_s > wire.rate_bytes_per_s;
  if (!faster) set_times(built, pump, next);
  if (const auto done = set_queues(plan, built, next); !done) {
    set_times(built, pump, wire);
    return {{"error", ww::to_string(done.error())}};
  }
  set_times(built, pump, next);
  wire = next;
  return json::object();
}

}  // namespace

Result<Control> Control::listen(const std::filesystem::path& socket_path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = socket_path.string();
  if (path.size() >= sizeof address.sun_path)
    return fail("path of the control socket is too long", path, "give the lab a shorter --name");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd, 8) != 0) {
    const int problem = errno;
    if (fd >= 0) close(fd);
    return fail("cannot listen for commands", path + ": " + std::strerror(problem));
  }
  return Control(fd);
}

Control::~Control() {
  if (socket_ >= 0) close(socket_);
}

void Control::serve(const Plan& plan, Built& built, Pump& pump, int ended,
                    const std::string& missing_rights) {
  SwitchWire wire = plan.wire;
  AwakeCores cores;
  const std::string asleep_because = why_cores_sleep(wire);
  if (!asleep_because.empty()) wire.cores = Cores::as_machine;
  const ProcessorTimes before = processor_times().value_or(ProcessorTimes{});
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ends, signal);
  const int signals = signalfd(-1, &ends, SFD_CLOEXEC);
  for (bool stop = false; !stop;) {
    std::array<pollfd, 3> fds{{{socket_, POLLIN, 0}, {signals, POLLIN, 0}, {ended, POLLIN, 0}}};
    const int ready =
        poll(fds.data(), fds.size(), wire.cores == Cores::awake ? AwakeCores::look_again_ms : -1);
    if (wire.cores == Cores::awake) cores.look(Pump::now_ns(), frames_carried(built, pump));
    if (ready <= 0) continue;
    if (fds[1].revents != 0 || fds[2].revents != 0) break;
    const int peer = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) continue;
    const timeval patience{2, 0};
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::array<char, 4096> text{};
    const ssize_t length = recv(peer, text.data(), text.size(), 0);
    json answer;
    try {
      const json request = json::parse(text.data(), text.data() + (length > 0 ? length : 0));
      const std::string what = request.at("do");
      if (what == "status") {
        answer = status(wire, built, pump, missing_rights, before);
        answer["cores"] = {{"awake_now", cores.awake()}};
        if (!asleep_because.empty()) answer["cores"]["asleep_because"] = asleep_because;
      } else if (what == "wake") {
        if (wire.cores == Cores::awake) cores.wake(Pump::now_ns());
        answer = json::object();
      } else if (what == "set")
        answer = set(request, plan, built, pump, wire);
      else if (what == "stop") {
        stop = true;
        answer = json::object();
      } else
        answer = {{"error", "unknown request " + what}};
    } catch (const json::exception& problem) {
      answer = {{"error", problem.what()}};
    }
    const std::string reply = answer.dump();
    (void)send(peer, reply.data(), reply.size(), MSG_NOSIGNAL);
    close(peer);
  }
  close(signals);
}

}  // namespace ww::lab
