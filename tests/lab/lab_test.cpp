// Real labs on this machine.
#include "lab/lab.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "lab_fixture.hpp"

namespace ww::lab {
namespace {

namespace fs = std::filesystem;

std::string links() {
  const auto shown = run({.arguments = {"ip", "-o", "link"}, .output = Command::Output::capture});
  return shown ? shown->output : "";
}

// Processes in the network namespace of that inode, or whose command line names that text.
int traces_left(const std::set<unsigned long>& inodes, const std::string& text) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    struct stat info = {};
    if (stat((entry.path() / "ns/net").c_str(), &info) == 0 && inodes.contains(info.st_ino)) ++found;
    const auto line = read_file(entry.path() / "cmdline");
    if (line && line->find("ww-lab-switch") != std::string::npos && line->find(text) != std::string::npos)
      ++found;
  }
  return found;
}

// For a shell: both ends of lab_tcp_pair, the listening one (host 1) behind its back and onto the standard error.
std::string ends(const LabName& name, int port, const std::vector<std::string>& what) {
  const auto state = status(name);
  if (!state) return "false";
  const std::string at = ":" + std::to_string(port), address = (*state)["hosts"][1]["address"];
  std::vector<std::string> listener{LAB_TCP_PAIR, "-" + at}, caller{LAB_TCP_PAIR, address + at};
  listener.insert(listener.end(), what.begin(), what.end());
  caller.insert(caller.end(), what.begin(), what.end());
  return shell_quoted(on(name, 1, listener)) + " >&2 & " + shell_quoted(on(name, 0, caller));
}

// What the connecting end and the listening one printed. `run` keeps one child at a time: a shell has both.
std::pair<std::string, std::string> pair(const LabName& name, const std::vector<std::string>& what) {
  const auto done = run({.arguments = {"sh", "-c", ends(name, 5555, what) + "; wait"},
                         .output = Command::Output::capture,
                         .capture_errors = true,
                         .time_limit_s = 20});
  if (!done) return {};
  return {done->output, done->errors};
}

double shortest_us(const LabName& name, int bytes) {
  const auto [caller, listener] = pair(name, {"echo", std::to_string(bytes), "40"});
  return caller.empty() ? -1 : std::stod(caller);
}

class AnyLab : public Lab, public ::testing::WithParamInterface<WireKind> {};
INSTANTIATE_TEST_SUITE_P(, AnyLab, ::testing::ValuesIn(switches),
                         [](const auto& param) { return std::string(to_string(param.param)); });

TEST_P(AnyLab, LeavesNothingBehind) {
  const std::string before = links();
  const LabName name = make("gone", ten_megabit, 3, GetParam());
  const auto state = status(name);
  ASSERT_TRUE(state);
  EXPECT_EQ((*state)["hosts"].size(), 3u);
  std::set<unsigned long> inodes;
  for (const auto& host : (*state)["hosts"]) {
    struct stat info = {};
    ASSERT_EQ(stat(host["namespace"].get<std::string>().c_str(), &info), 0);
    inodes.insert(info.st_ino);
  }
  EXPECT_GT(shortest_us(name, 8), 0);
  // A program that is still there when the lab goes.
  const pid_t left = fork();
  if (left == 0) {
    const std::string lab = directory_of(name), agent = helper_program("ww-lab-agent");
    execl(agent.c_str(), "ww-lab-agent", "--on", lab.c_str(), "2", "--", "sleep", "100", nullptr);
    _exit(1);
  }
  usleep(100'000);
  ASSERT_TRUE(down(name));
  waitpid(left, nullptr, 0);
  EXPECT_EQ(links(), before);
  EXPECT_FALSE(fs::exists(directory_of(name)));
  EXPECT_EQ(traces_left(inodes, directory_of(name)), 0);
  const auto again = down(name);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().what, "there is no such lab");
}

TEST_F(Lab, KeepsNoFileOfItsCallerOpen) {
  // As a caller who runs under `flock FILE ...`: a lock that the switch inherited would be held for the lab's
  // whole life.
  const std::string file = ::testing::TempDir() + lab_name("held").text();
  std::FILE* held = std::fopen(file.c_str(), "w");
  ASSERT_NE(held, nullptr);
  ASSERT_EQ(flock(fileno(held), LOCK_EX), 0);
  make("files", ten_megabit);
  std::fclose(held);
  std::FILE* other = std::fopen(file.c_str(), "w");
  EXPECT_EQ(flock(fileno(other), LOCK_EX | LOCK_NB), 0);
  std::fclose(other);
  fs::remove(file);
}

TEST_F(Lab, AnInterruptedUpLeavesNothingBehind) {
  const std::string before = links();
  const LabName name = lab_name("cut");
  // From before the switch starts to about when it is done.
  for (const int after_ms : {1, 5, 10, 20, 40, 80}) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string program = own_program();
      if (freopen("/dev/null", "w", stdout) == nullptr || freopen("/dev/null", "w", stderr) == nullptr)
        _exit(3);
      execl(program.c_str(), "whatwire", "lab", "up", "--hosts", "8", "--rate", "10Mb/s", "--name",
            name.text().c_str(), nullptr);
      _exit(3);
    }
    usleep(static_cast<useconds_t>(after_ms) * 1000);
    kill(child, after_ms % 2 == 0 ? SIGINT : SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      ASSERT_TRUE(down(name)) << "complete before the signal";
    }
    EXPECT_FALSE(fs::exists(directory_of(name))) << after_ms;
    EXPECT_EQ(traces_left({}, directory_of(name)), 0) << after_ms;
  }
  EXPECT_EQ(links(), before);
}

TEST_F(Lab, ADeadSwitchIsRecognisedAndCleanedAway) {
  const LabName name = make("dead", ten_megabit);
  const auto state = status(name);
  ASSERT_TRUE(state);
  kill((*state)["switch"]["pid"].get<pid_t>(), SIGKILL);
  // The kernel takes a moment to take its networks away; until then the switch "does not answer".
  auto after = status(name);
  for (int tries = 0; tries < 500 && fs::exists(directory_of(name)); ++tries) {
    usleep(10'000);
    after = status(name);
  }
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().what, "the lab's switch has died; what was left of it is removed");
  EXPECT_FALSE(fs::exists(directory_of(name)));
  EXPECT_EQ(make("dead", ten_megabit), name);                // the name is free again
  EXPECT_FALSE(up({.name = name, .hosts = 2, .wire = {}}));  // and now in use
}

TEST_F(Lab, TwoLabsDoNotKnowEachOther) {
  const LabName slow = make("slow", ten_megabit), fast = make("fast", 10 * ten_megabit);
  const auto a = status(slow), b = status(fast);
  ASSERT_TRUE(a && b);
  EXPECT_NE((*a)["wire_subnet"], (*b)["wire_subnet"]);
  // Two serialisations of 1400 + 66 (Ethernet, IP, TCP with time stamps) + 24 bytes: 2384 us and 238.4 us.
  EXPECT_GT(shortest_us(slow, 1400), 2384);
  const double fast_us = shortest_us(fast, 1400);
  EXPECT_GT(fast_us, 238.4);
  EXPECT_LT(fast_us, 2384);
}

// What two TCP stacks, the switch and cores that wake from sleep may take here: 150 us, or on a slower machine one and a half times what is
// left of a wire without a limit of the rate and with a delay of 1 ms.
class TimedLab : public Lab {
 protected:
  double software_here_us(WireKind kind = WireKind::switched) {
    const LabName name = make("free", 0, 2, kind);
    EXPECT_TRUE(set_wire(name, {.delay_s = 1e-3}));
    return std::max(150.0, 1.5 * (shortest_us(name, 1400) - 1000));
  }
};

// The shortest of 40 round trips is asked for: it is what the wire gives when the machine's other users let
// it.
class AnyTimedLab : public TimedLab, public ::testing::WithParamInterface<WireKind> {};
INSTANTIATE_TEST_SUITE_P(, AnyTimedLab, ::testing::ValuesIn(switches),
                         [](const auto& param) { return std::string(to_string(param.param)); });

TEST_P(AnyTimedLab, SmallAndFullFramesTakeTheirTimeAndARateChangeShows) {
  const LabName name = make("time", ten_megabit, 2, GetParam());
  const double software_us = software_here_us(GetParam());
  const auto expect = [&](int bytes, double rate_bytes_per_s, double delay_us) {
    const double wire_us = 2 * (bytes + 66 + 24) / rate_bytes_per_s * 1e6 + delay_us;
    const double got_us = shortest_us(name, bytes);
    EXPECT_GE(got_us, wire_us - 1) << bytes << " bytes at " << rate_bytes_per_s;
    EXPECT_LE(got_us, wire_us + software_us) << bytes << " bytes at " << rate_bytes_per_s;
  };
  expect(8, ten_megabit, 0);
  expect(1400, ten_megabit, 0);
  ASSERT_TRUE(set_wire(name, {.rate_bytes_per_s = 10 * ten_megabit}));
  expect(1400, 10 * ten_megabit, 0);
  ASSERT_TRUE(set_wire(name, {.delay_s = 2e-3}));
  expect(1400, 10 * ten_megabit, 2000);
  const auto wire = wire_of(name);
  ASSERT_TRUE(wire);
  EXPECT_DOUBLE_EQ(wire->rate_bytes_per_s, 10 * ten_megabit);
  EXPECT_DOUBLE_EQ(wire->delay_s, 2e-3);
  const auto state = status(name);
  ASSERT_TRUE(state);
  EXPECT_EQ((*state)["switch"]["dropped"], 0);
}

// 20 full frames and a part, of which cards hand over four at once at 1 Gb/s: link by link as frames of their own, so that the
// last byte is there when 20 frames, the part and one frame more (the second link's) have passed. After a change of the rate
// frames go singly again, or three at once where that was asked for; both with each TCP.
TEST_P(AnyTimedLab, StreamsAtAGigabitTakeTheTimeOfTheirFrames) {
  // The kernel's timers come late, some 50 us on a virtual machine, where the other switch waits awake: the last of six pieces on both links.
  const double software_us = software_here_us(GetParam()) + (GetParam() == WireKind::kernel ? 300 : 0);
  constexpr double gigabit = 125e6;
  constexpr int bytes = 20 * 1448 + 500, on_wire = bytes + 21 * 90 + 1538;
  for (const auto& [tcp, at_once] :
       {std::pair(Tcp::steady, 1), {Tcp::as_linux, 1}, {Tcp::steady, 3}, {Tcp::as_linux, 3}}) {
    const LabName name = lab_name(std::string(tcp == Tcp::steady ? "gs" : "gl") + std::to_string(at_once));
    ASSERT_TRUE(
        up({.name = name,
            .hosts = 2,
            .wire = {.rate_bytes_per_s = gigabit, .kind = GetParam(), .tcp = tcp, .at_once = at_once}}));
    made_.push_back(name);
    const auto frames = [&] { return (*status(name))["switch"]["frames"].get<double>(); };
    double got_us = shortest_us(name, bytes);
    EXPECT_GE(got_us, on_wire / gigabit * 1e6 - 1);
    EXPECT_LE(got_us, on_wire / gigabit * 1e6 + software_us);
    EXPECT_GE(frames(), 2 * 40 * 21);  // the frames of the data of 40 rounds, not the pieces
    for (const double slower : {10 * ten_megabit, 5 * ten_megabit}) {
      ASSERT_TRUE(set_wire(name, {.rate_bytes_per_s = slower}));
      got_us = shortest_us(name, bytes);
      EXPECT_GE(got_us, on_wire / slower * 1e6 - 1);
      EXPECT_LE(got_us, on_wire / slower * 1e6 + software_us);
    }
    EXPECT_EQ((*status(name))["switch"]["dropped"], 0);
  }
}

TEST_P(AnyLab, OneConnectionFillsTheWireInBothDirectionsAtOnce) {
  // 1448 of 1538 bytes on the wire are the user's: 94.1%. What is missing to that is the start.
  const LabName name = make("both", ten_megabit, 2, GetParam());
  const auto seen = on_time("both ways at 10 Mb/s", 1, [&](std::uint64_t) {
    return watched(ten_megabit, [&] { return pair(name, {"both", "2"}); });
  });
  if (seen.empty()) return;
  const auto& [caller, listener] = seen[0];
  ASSERT_FALSE(caller.empty() || listener.empty());
  EXPECT_GT(std::stod(caller), 0.88 * ten_megabit);
  EXPECT_GT(std::stod(listener), 0.88 * ten_megabit);
  EXPECT_LT(std::stod(caller), 0.95 * ten_megabit);
  EXPECT_LT(std::stod(listener), 0.95 * ten_megabit);
}

// What goes before a small message where both directions have been full for three seconds: what a bucket lets through at once (three
// frames and a piece of three), and the piece that the links of either host have: 15 full frames of 1.23 ms at most. With pieces counted
// as single frames another 25 ms wait there by then, and more each second.
TEST_F(Lab, ASmallMessageBesideStreamsIsThereWhenTheyLetIt) {
  const LabName name = lab_name("beside");
  ASSERT_TRUE(up({.name = name, .hosts = 2, .wire = {.rate_bytes_per_s = ten_megabit, .at_once = 3}}));
  made_.push_back(name);
  const auto late_frames = [&] { return (*status(name))["switch"]["late_frames"].get<double>(); };
  const auto seen = on_time("beside streams at 10 Mb/s", 1, [&](std::uint64_t) {
    const double late_before = late_frames();
    const auto done = watched(ten_megabit, [&] {
      return run({.arguments = {"sh", "-c",
                                ends(name, 5601, {"both", "4"}) + " >&2 & sleep 3; " +
                                    ends(name, 5602, {"echo", "8", "15"}) + "; wait"},
                  .output = Command::Output::capture,
                  .capture_errors = true,
                  .time_limit_s = 20});
    });
    // A frame that was later than the switch has frames for left the link idle: a piece more waits from then on.
    if (late_frames() > late_before) away_ = 1;
    return done ? done->output : std::string();
  });
  if (seen.empty()) return;
  ASSERT_FALSE(seen[0].empty());
  const double median_us = std::stod(seen[0].substr(seen[0].find(' ')));
  EXPECT_LE(median_us, 15 * 1538 / ten_megabit * 1e6);
}

// What the hosts' kernel says of its TCP: that of the lab, and not that of this machine. 10% of lost frames are seen by a
// connection, which goes on.
TEST_F(Lab, TcpIsTheOneAskedForAndLossIsReal) {
  const auto setting = [](const LabName& name, const char* what) {
    const auto said = run({.arguments = on(name, 1, {"cat", std::string("/proc/sys/net/ipv4/") + what}),
                           .output = Command::Output::capture});
    return said ? said->output : std::string();
  };
  const LabName steady = make("steady", 10 * ten_megabit);
  EXPECT_EQ(setting(steady, "tcp_congestion_control"), "reno\n");
  EXPECT_EQ(setting(steady, "tcp_slow_start_after_idle"), "0\n");
  const LabName name = lab_name("linux");
  ASSERT_TRUE(up({.name = name,
                  .hosts = 2,
                  .wire = {.rate_bytes_per_s = 10 * ten_megabit, .loss = 0.1, .tcp = Tcp::as_linux}}));
  made_.push_back(name);
  EXPECT_EQ(setting(name, "tcp_congestion_control"), "cubic\n");
  EXPECT_EQ(setting(name, "tcp_slow_start_after_idle"), "1\n");
  EXPECT_EQ(setting(name, "tcp_wmem"), "4096\t16384\t4194304\n");
  const auto [caller, listener] = pair(name, {"echo", "1400", "40"});
  ASSERT_FALSE(caller.empty());
  EXPECT_GT((*status(name))["switch"]["dropped"].get<int>(), 0);
  EXPECT_EQ(wire_of(name)->tcp, Tcp::as_linux);
  EXPECT_DOUBLE_EQ(wire_of(name)->loss, 0.1);
  ASSERT_TRUE(set_wire(name, {.jitter_s = 1e-3, .loss = 0}));
  EXPECT_EQ(wire_of(name)->loss, 0);
  EXPECT_DOUBLE_EQ(wire_of(name)->jitter_s, 1e-3);
}

// As long as frames come, of either switch; and where nobody asked for it, never.
TEST_P(AnyLab, KeepsCoresAwakeWhileItIsUsed) {
  const auto awake_now = [](const LabName& name) {
    const auto state = status(name);
    return state && (*state)["cores"]["awake_now"].get<bool>();
  };
  const LabName name = make("awake", 10 * ten_megabit, 2, GetParam()), other = lab_name("asleep");
  ASSERT_TRUE(
      up({.name = other,
          .hosts = 2,
          .wire = {.rate_bytes_per_s = 10 * ten_megabit, .kind = GetParam(), .cores = Cores::as_machine}}));
  made_.push_back(other);
  if (wire_of(name)->cores == Cores::as_machine)
    GTEST_SKIP() << (*status(name))["cores"]["asleep_because"].get<std::string>();
  EXPECT_FALSE(awake_now(name)) << "nothing has been started";
  for (const LabName& used : {name, other}) {
    const auto [caller, listener] = pair(used, {"echo", "1400", "40"});
    ASSERT_FALSE(caller.empty());
  }
  // The switch looks each second.
  for (int tenths = 0; tenths < 30 && !awake_now(name); ++tenths)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(awake_now(name));
  EXPECT_FALSE(awake_now(other));
}

// Within the kernel frames wait for fillers, which last for so long; and none are lost or delayed at random.
TEST_F(Lab, AWireWithinTheKernelIsRefusedWhatItCannotBe) {
  const auto refused = [](const SwitchWire& wire) {
    const auto made = up({.name = lab_name("no"), .hosts = 2, .wire = wire});
    return !made && made.error().usage;
  };
  const SwitchWire plain{.rate_bytes_per_s = ten_megabit, .kind = WireKind::kernel};
  SwitchWire slow = plain, late = plain, uneven = plain, lossy = plain;
  slow.rate_bytes_per_s = ten_megabit / 20;
  late.delay_s = 0.1;
  uneven.jitter_s = 1e-3;
  lossy.loss = 0.1;
  for (const SwitchWire& wire : {slow, late, uneven, lossy}) EXPECT_TRUE(refused(wire));
  const LabName name = make("kernel", ten_megabit, 2, WireKind::kernel);
  EXPECT_FALSE(set_wire(name, {.delay_s = 0.1}));
  EXPECT_DOUBLE_EQ(wire_of(name)->delay_s, 0);
  EXPECT_EQ(wire_of(name)->kind, WireKind::kernel);
}

// Two hosts send to a third: its port has one rate, and beyond 512 KiB waits nothing. Each stream's TCP learns of it by what is dropped.
TEST_P(AnyLab, SendersToOneHostShareItsLink) {
  const LabName name = make("incast", 10 * ten_megabit, 3, GetParam());
  const auto state = status(name);
  ASSERT_TRUE(state);
  const std::string address = (*state)["hosts"][2]["address"];
  std::string line;
  for (const int from : {0, 1}) {
    const std::string at = ":" + std::to_string(5610 + from);
    line += shell_quoted(on(name, 2, {LAB_TCP_PAIR, "-" + at, "bulk", "2"})) + " & " +
            shell_quoted(on(name, from, {LAB_TCP_PAIR, address + at, "bulk", "2"})) + " >&2 & ";
  }
  const auto seen = on_time("two streams into one link at 100 Mb/s", 1, [&](std::uint64_t) {
    return watched(10 * ten_megabit, [&] {
      const auto done = run({.arguments = {"sh", "-c", line + "wait"},
                             .output = Command::Output::capture,
                             .capture_errors = true,
                             .time_limit_s = 20});
      return done ? done->output : std::string();
    });
  });
  if (seen.empty()) return;
  std::istringstream numbers(seen[0]);
  double first = 0, second = 0;
  ASSERT_TRUE(numbers >> first >> second) << seen[0];
  EXPECT_GT(first + second, 0.8 * 10 * ten_megabit);
  // Each stream is counted from a read to a read, which also gives what came before out of order; two links would give 1.9.
  EXPECT_LT(first + second, 1.1 * 10 * ten_megabit);
}

TEST_F(Lab, TheKernelsTokenBucketIsAWireToo) {
  const LabName name = lab_name("tbf");
  const auto made = up({.name = name, .hosts = 2, .wire = {ten_megabit, 0, WireKind::tbf}});
  ASSERT_TRUE(made) << to_string(made.error());
  made_.push_back(name);
  const auto [caller, listener] = pair(name, {"both", "2"});
  ASSERT_FALSE(caller.empty() || listener.empty());
  // Its burst lets the first frames through at once; in two seconds that is within a few percent.
  EXPECT_LT(std::stod(caller), 1.05 * ten_megabit);
  EXPECT_GT(std::stod(caller), 0.6 * ten_megabit);
}

// IEEE 802.3 has the bus's rules up to 100 Mb/s only, and a slot that leaves no room for a delay.
TEST_F(Lab, ABusIsRefusedWhatItCannotBe) {
  const SwitchWire too_fast{100 * ten_megabit, 0, WireKind::bus}, delayed{ten_megabit, 1e-3, WireKind::bus};
  EXPECT_TRUE(up({.name = lab_name("no"), .hosts = 2, .wire = too_fast}).error().usage);
  EXPECT_TRUE(up({.name = lab_name("no"), .hosts = 2, .wire = delayed}).error().usage);
  const LabName name = lab_name("bus");
  ASSERT_TRUE(
      up({.name = name, .hosts = 2, .wire = {.rate_bytes_per_s = ten_megabit, .kind = WireKind::bus}}));
  made_.push_back(name);
  EXPECT_FALSE(set_wire(name, {.rate_bytes_per_s = 0}));
  EXPECT_FALSE(set_wire(name, {.delay_s = 1e-3}));
  EXPECT_DOUBLE_EQ(wire_of(name)->rate_bytes_per_s, ten_megabit);
  EXPECT_EQ(wire_of(name)->kind, WireKind::bus);
}

// One after the other: the wire is never contended, and each frame is on it once, 14 (Ethernet) + 20 (IP) +
// 32 (TCP with time stamps) + 4 + 8 bytes besides the user's; the answer's acknowledgement rides on the
// answer.
TEST_F(TimedLab, OnABusAFrameIsSerialisedOnce) {
  const LabName name = lab_name("once");
  ASSERT_TRUE(
      up({.name = name, .hosts = 2, .wire = {.rate_bytes_per_s = ten_megabit, .kind = WireKind::bus}}));
  made_.push_back(name);
  const double wire_us = (1400 + 66 + 4 + 8) / ten_megabit * 1e6;
  const double got_us = shortest_us(name, 1400);
  EXPECT_GE(got_us, wire_us);
  EXPECT_LE(got_us, wire_us + software_here_us());
}

}  // namespace
}  // namespace ww::lab
