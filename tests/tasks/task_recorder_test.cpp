// What the recorder's core leaves of a library whose processes have addresses and whose calls nest, unified and
// loaded: two processes call functions that call one another, as pvm_psend does pvm_send. Expected is what they
// call, in this file.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "interpose/core/definitions.hpp"
#include "interpose/core/own_computation.hpp"
#include "interpose/core/peers.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/thread.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/unify.hpp"

// Of a process whose clock nobody stretches.
int ww::interpose::real_clock_gettime(clockid_t id, timespec* value) {
  return clock_gettime(id, value);
}
// And of which one thread only calls: what follows several (own_computation.hpp) is never asked.
uint64_t ww::interpose::settle_own(bool) {
  return ticks();
}
void ww::interpose::compute_on(Before) {}
uint64_t ww::interpose::unseen_wait_ns() {
  return 0;
}
bool ww::interpose::has_teams() {
  return false;
}

namespace ww {
namespace {

using interpose::BasicFrame;
using interpose::DefinitionLine;
using spool::Kind;

constexpr std::uint64_t sender_address = 0xfedcba9876543210, receiver_address = 0x4000b;
enum Call : std::uint16_t { mytid = 1, psend, send, recv, exit_call };

[[gnu::noinline]] void call_send(std::int32_t peer, bool& nested) {
  BasicFrame<true> frame(send);
  nested = frame.is_nested();
  if (frame.leave()) frame.put(Kind::send, 100, 0, peer, 7, 0, 0);
}
[[gnu::noinline]] void call_psend(std::int32_t peer, bool& nested) {
  BasicFrame<true> frame(psend);
  call_send(peer, nested);
  if (frame.leave()) frame.put_call();
}
[[gnu::noinline]] void call_recv(std::int32_t peer) {
  BasicFrame<true> frame(recv);
  if (frame.leave()) frame.put(Kind::recv, 100, 0, peer, 7, 0, 0);
}
// Of a recorder that does not want them.
[[gnu::noinline]] void call_unwanted() {
  const BasicFrame<false> frame(send);
  EXPECT_FALSE(frame.on());
}
[[gnu::noinline]] void call_mytid() {
  BasicFrame<true> frame(mytid);
  call_unwanted();
  if (frame.leave()) frame.put_call();
}

void begin_task(const std::string& dir, std::uint64_t address, std::int64_t realtime_ns) {
  interpose::choose_clock();
  interpose::Wishes wishes;
  wishes.spool_dir = dir.c_str();
  interpose::start_task(wishes, address, 2, false);
  DefinitionLine("calls")
      .raw("names", R"(["","pvm_mytid","pvm_psend","pvm_send","pvm_recv","pvm_exit"])")
      .raw("meanings", R"(["","frame begins","p2p","p2p","p2p","frame ends"])")
      .write();
  DefinitionLine("process")
      .address("address", address)
      .text("host", "alpha")
      .text("boot_id", "b")
      .number("pid", getpid())
      .text("program", "./a.out")
      .text("mpi", "pvm")
      .text("mpi_version", "3.4.6")
      .real("ticks_per_s", 1e9)
      .number("ticks", static_cast<std::int64_t>(interpose::ticks()))
      .number("monotonic_ns", 0)
      .number("realtime_ns", realtime_ns)
      .real("dilation", 1)
      .number("format", 1)
      .write();
  DefinitionLine("comm").number("id", 0).text("kind", "world").text("name", "PVM").write();
  call_mytid();
}

// In a process of its own, as the recorder is one of a process. Gives whether all was as the task says.
bool run_task(auto task) {
  const pid_t child = fork();
  if (child == 0) {
    const bool good = task() && !testing::Test::HasFailure();
    interpose::finish("exit");
    interpose::close_all_spools();
    _exit(good ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(TaskRecorder, LeavesAddressesAndNestedCalls) {
  const spool::TestDir dir;
  const std::string spool_dir = dir.path() / "spool";
  std::filesystem::create_directories(spool_dir);
  EXPECT_TRUE(run_task([&] {
    begin_task(spool_dir, sender_address, 1000);
    bool by_psend = false, by_program = true;
    call_psend(interpose::peer_index(receiver_address), by_psend);
    call_send(interpose::peer_index(receiver_address), by_program);
    return by_psend && !by_program && interpose::peer_index(receiver_address) == 0 &&
           interpose::peer_index(receiver_address + 1) == 1;
  }));
  EXPECT_TRUE(run_task([&] {
    begin_task(spool_dir, receiver_address, 2000);
    call_recv(interpose::peer_index(sender_address));
    call_recv(interpose::peer_index(sender_address));
    return true;
  }));
  // The same address once more: it is not recorded, and that is said.
  EXPECT_TRUE(run_task([&] {
    begin_task(spool_dir, receiver_address, 3000);
    return !interpose::recording;
  }));
  const auto unified = unify(dir.path(), nlohmann::json::object());
  ASSERT_TRUE(unified) << to_string(unified.error());
  std::map<std::string, std::uint64_t> met;
  for (const Diagnostic& one : unified->all()) met[one.name] = one.count;
  EXPECT_EQ(met, (std::map<std::string, std::uint64_t>{{"task-not-recorded", 1}, {"other-job", 1}}));
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->ranks.size(), 3u);
  EXPECT_EQ(trace->ranks[0].address, sender_address);
  EXPECT_EQ(trace->ranks[1].address, receiver_address);
  EXPECT_EQ(trace->ranks[2].address, receiver_address + 1);
  EXPECT_EQ(trace->messages.size(), 2u);
  EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
  EXPECT_EQ(trace->ranks[0].calls(), 3u);
  ASSERT_EQ(trace->ranks[0].nested.size(), 1u);
  EXPECT_EQ(trace->regions[trace->ranks[0].nested[0].region], "pvm_send");
  EXPECT_EQ(trace->regions[trace->ranks[0].nested[0].around], "pvm_psend");
  EXPECT_EQ(trace->ranks[1].calls(), 3u);
  EXPECT_TRUE(trace->ranks[1].nested.empty());
}

}  // namespace
}  // namespace ww
