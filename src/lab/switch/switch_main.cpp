// ww-lab-switch DIR READY_FD LOCK_FD: builds the lab that DIR/lab.json plans, says so (or why not) on
// READY_FD, then is its switch until it is told to stop or gets SIGTERM. Started by ww::lab::up only.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "lab/switch/build.hpp"
#include "lab/switch/bus_schedule.hpp"
#include "lab/switch/init.hpp"
#include "lab/switch/port_schedule.hpp"
#include "lab/switch/pump.hpp"
#include "lab/switch/switch_control.hpp"

namespace ww::lab {
namespace {

Result<Running> describe(const Built& built, const Init& init) {
  Running running{.process = {},
                  .init = {},
                  .own_user_namespace = built.own_user_namespace,
                  .processes = init.pid_namespace(),
                  .networks = built.hosts};
  WW_TRY(running.process, ProcessId::of(getpid()));
  WW_TRY(running.init, ProcessId::of(init.pid()));
  return running;
}

std::unique_ptr<Timetable> make_timetable(const Plan& plan) {
  const WireTimes wire = times_of(plan.wire);
  const int ports = static_cast<int>(plan.hosts.size());
  if (plan.wire.kind == WireKind::bus)
    return std::make_unique<BusSchedule>(ports, wire, plan.wire.seed, Pump::now_ns());
  return std::make_unique<PortSchedule>(ports, wire, port_queue_bytes, plan.wire.seed);
}

void tell(int ready_fd, const std::string& text) {
  // up() is gone: then nobody wants this lab.
  if (write(ready_fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(1);
  close(ready_fd);
}

Result<void> serve(const std::filesystem::path& directory, int ready_fd) {
  WW_TRY(const Plan plan, read_plan(directory));
  WW_TRY(Built built, build(plan));
  WW_TRY(const Init init, Init::start(built.hosts));
  WW_TRY(const Running running, describe(built, init));
  Pump pump(built.taps, built.macs, make_timetable(plan), cores_of_hands(plan.hosts.size(), usable_cores()),
            Pump::Header::virtio);
  WW_TRY(Control control, Control::listen(directory / "control"));
  WW_CHECK(write_file(directory / "running.json", nlohmann::json(running).dump()));
  // Blocked in every thread; the control thread takes them from a signalfd.
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ends, signal);
  sigprocmask(SIG_BLOCK, &ends, nullptr);
  if (built.taps.empty()) {
    tell(ready_fd, "ok");
    control.serve(plan, built, pump, init.ended(), "");
    return {};
  }
  const std::string missing = pump.start();
  tell(ready_fd, "ok");
  control.serve(plan, built, pump, init.ended(), missing);
  pump.stop();
  return {};
}

}  // namespace
}  // namespace ww::lab

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("ww-lab-switch is started by whatwire lab up\n", stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  const int ready_fd = std::atoi(argv[2]);
  fcntl(ready_fd, F_SETFD, FD_CLOEXEC);
  fcntl(std::atoi(argv[3]), F_SETFD, FD_CLOEXEC);  // its lock is ours for as long as we live
  const auto done = ww::lab::serve(argv[1], ready_fd);
  if (done) return 0;
  const ww::Error& error = done.error();
  const std::string text =
      nlohmann::json({{"what", error.what}, {"where", error.where}, {"remedy", error.remedy}}).dump();
  [[maybe_unused]] const ssize_t written = write(ready_fd, text.data(), text.size());
  return 1;
}
