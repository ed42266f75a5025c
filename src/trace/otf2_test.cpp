// Archives written here and read back, and one as Score-P writes its own.
#include <gtest/gtest.h>

#include <cmath>

#include "base/files.hpp"
#include "trace/otf2_read.hpp"
#include "trace/otf2_whole.hpp"
#include "trace/otf2_write.hpp"
#include "trace/score_p_fixture.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"

// libotf2 3.0.2 loses the file handles of an archive that it refuses to open, and asks for as much memory as
// a damaged anchor says (and handles it when there is not so much). Both happen below on purpose.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2";
}
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:print_suppressions=0";
}

namespace ww {
namespace {

using spool::TestDir;

TEST(Otf2, WhatIsWrittenIsReadBack) {
  TraceBuilder builder(3, 0);
  builder.trace().comms.push_back({"pair", {2, 0}, 0});
  builder.trace().comms.push_back({"between", {0, 1, 2}, 1});  // {0} and {1, 2}
  for (std::size_t r = 0; r < 3; ++r) {
    builder.trace().ranks[r].host = r == 2 ? "beta" : "alpha";
    builder.call(r, "MPI_Init", 0, 50);
  }
  Action send = message_action(ActionKind::send, 0, 7, 123, 0, action_synchronous);
  send.comm = 1;
  builder.call(2, "MPI_Ssend", 100, 110, {send});
  Action receive = message_action(ActionKind::recv, 2, 7, 123, 0, action_wildcard_source);
  receive.comm = 1;
  builder.call(0, "MPI_Recv", 90, 120, {receive});
  Action across = message_action(ActionKind::isend, 0, 1, 1, 1);
  across.comm = 2;
  builder.call(2, "MPI_Isend", 130, 131, {across});
  builder.call(2, "MPI_Iprobe", 132, 133, {message_action(ActionKind::test_failed, -1, 0, 0)});
  across.kind = ActionKind::isend_done;
  builder.call(2, "MPI_Test", 134, 135, {[&] {
                 Action failed = message_action(ActionKind::test_failed, -1, 0, 0, 1);
                 return failed;
               }()});
  builder.call(2, "MPI_Wait", 136, 140, {across});
  // Room of 1000 bytes, 1 arrives; and one that stays open.
  Action posted = message_action(ActionKind::irecv, 2, 1, 1000, 1, action_wildcard_tag);
  posted.comm = 2;
  builder.call(0, "MPI_Irecv", 125, 126, {posted});
  builder.call(0, "MPI_Irecv", 127, 128, {message_action(ActionKind::irecv, 1, 9, 77, 2)});
  Action done = message_action(ActionKind::irecv_done, 2, 1, 1, 1);
  done.comm = 2;
  builder.call(0, "MPI_Waitany", 129, 150, {done});
  for (std::size_t r = 0; r < 3; ++r) {
    Action in_place = collective_action(64, 128, 1);
    in_place.flags = action_in_place;
    builder.call(r, "MPI_Reduce", 200, 210, {in_place});
    builder.call(r, "MPI_Ibarrier", 220, 221, {{ActionKind::icollective, -1, 0, 0, 0, 0, 5, 0}});
    builder.call(r, "MPI_Wait", 230, 240, {{ActionKind::icollective_done, -1, 0, 0, 0, 0, 5, 0}});
  }
  const Trace written = builder.matched();
  const TestDir dir;
  const auto result = otf2::write_archive(written, dir.path());
  ASSERT_TRUE(result) << to_string(result.error());
  auto read = otf2::read_archive(dir.path() / "traces.otf2");
  ASSERT_TRUE(read) << to_string(read.error());
  match(*read);

  ASSERT_EQ(read->ranks.size(), 3u);
  EXPECT_EQ(read->regions, written.regions);
  ASSERT_EQ(read->comms.size(), 3u);
  EXPECT_EQ(read->comms[1].ranks, written.comms[1].ranks);
  EXPECT_EQ(read->comms[2].first_group, 1u);
  for (std::size_t r = 0; r < 3; ++r) {
    const RankTrace &a = written.ranks[r], &b = read->ranks[r];
    EXPECT_EQ(a.host, b.host);
    EXPECT_EQ(a.enter_ns, b.enter_ns);
    EXPECT_EQ(a.leave_ns, b.leave_ns);
    EXPECT_EQ(a.region, b.region);
    EXPECT_EQ(a.first_action, b.first_action);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.peer, b.peer);
    EXPECT_EQ(a.tag, b.tag);
    EXPECT_EQ(a.comm, b.comm);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.bytes_received, b.bytes_received);
    EXPECT_EQ(a.flags, b.flags);
    EXPECT_EQ(a.match, b.match);
  }
  EXPECT_EQ(read->messages.size(), 2u);
  EXPECT_TRUE(read->messages[0].synchronous);
  EXPECT_EQ(read->collectives.size(), 2u);
  EXPECT_EQ(read->unmatched_receives, 1u);
}

// A study names the recording that its report is about; it may have been moved since, and its other
// directories are none of it.
TEST(Otf2, AStudyIsReadByItsRecording) {
  TraceBuilder builder(2, 0);
  for (std::size_t r = 0; r < 2; ++r) builder.call(r, "MPI_Barrier", 10, 20, {collective_action(0, 0)});
  const TestDir dir;
  const auto recording = dir.path() / "recorded-2.ww";
  std::filesystem::create_directory(recording);
  ASSERT_TRUE(otf2::write_archive(builder.matched(), recording));
  EXPECT_FALSE(load_trace(dir.path()));
  ASSERT_TRUE(write_file(dir.path() / "study.json", R"({"trace": "/gone/app.study/recorded-2.ww"})"));
  const auto read = load_trace(dir.path());
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->collectives.size(), 1u);
  for (const char* damaged : {"", "[", "7", "{\"trace\": 4}", "{\"trace\": \"\"}"}) {
    ASSERT_TRUE(write_file(dir.path() / "study.json", damaged));
    EXPECT_FALSE(load_trace(dir.path())) << damaged;
  }
}

TEST(Otf2, ReadsArchivesOfOtherTools) {
  const TestDir dir;
  write_like_score_p(dir.path());
  const auto trace = load_trace(dir.path() / "traces.otf2");
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->ranks.size(), 2u);
  EXPECT_EQ(trace->ranks[0].host, "node1");
  EXPECT_EQ(trace->events, 32u);
  EXPECT_EQ(trace->ranks[0].calls(), 3u);  // MPI_Init and two sends; the program's regions are no calls
  EXPECT_EQ(trace->ranks[1].calls(), 5u);
  EXPECT_EQ(trace->ranks[0].enter_ns[0], 50);   // 100 ticks of half a nanosecond
  EXPECT_EQ(trace->ranks[1].enter_ns[0], 350);  // and 600 ticks of clock offset
  EXPECT_EQ(trace->ranks[0].begin_ns, 100);
  EXPECT_EQ(trace->ranks[0].end_ns, 4500);                               // no MPI_Finalize: the last event
  EXPECT_DOUBLE_EQ(trace->clock_uncertainty_s, 10e-9 * std::sqrt(3.0));  // 20 ticks of deviation
  EXPECT_FALSE(trace->diagnostics.has("threads-interleaved"));           // the second thread has no MPI calls
  ASSERT_EQ(trace->messages.size(), 2u);
  EXPECT_EQ(trace->messages[0].send_call, 1u);
  EXPECT_EQ(trace->messages[0].recv_post_call, 1u);
  EXPECT_EQ(trace->messages[0].recv_done_call, 2u);
  EXPECT_EQ(trace->messages[1].recv_post_call, 3u);  // the same request number, another operation
  EXPECT_EQ(trace->messages[1].recv_done_call, 4u);
  EXPECT_EQ(trace->comms[trace->messages[0].comm].name, "world");
}

// What libotf2 3.0.2 reads for ever or crashes on is seen before it reads.
TEST(Otf2, DefinitionsThatEndEarlyAreNotRead) {
  const TestDir whole;
  write_like_score_p(whole.path());
  for (const char* name : {"traces/3.def", "traces.def"}) {
    const auto bytes = std::filesystem::file_size(whole.path() / name);
    for (std::uintmax_t left = 0; left < bytes - 1; ++left) {  // its last byte only fills a chunk up
      const TestDir dir;
      std::filesystem::copy(whole.path(), dir.path(), std::filesystem::copy_options::recursive);
      std::filesystem::resize_file(dir.path() / name, left);
      const auto trace = load_trace(dir.path() / "traces.otf2");
      EXPECT_TRUE(!trace || trace->diagnostics.has("local-definitions-unreadable")) << name << " " << left;
    }
  }
}

TEST(Otf2, AnAnchorThatPromisesManyPropertiesIsRefused) {
  const TestDir dir;
  write_like_score_p(dir.path());
  std::string anchor = *read_file(dir.path() / "traces.otf2");
  // its three names are empty, and there are no properties
  ASSERT_EQ(anchor.substr(0x2e, 7), std::string(7, '\0'));
  anchor[0x34] = '\x20';  // 2^29 properties are 2^32 bytes of pointers to names and values
  spool::write_bytes(dir.path() / "traces.otf2", anchor);
  const auto trace = load_trace(dir.path() / "traces.otf2");
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().what, "the archive is truncated or damaged");
}

// Two chunks of 64 bytes as libotf2 lays them out: a record that does not fit begins the second one.
std::string two_chunks_of_events() {
  const std::string header = std::string(
                                 "\x03"
                                 "B") +
                             std::string(16, '\0');
  const std::string event = "\x05" + std::string(8, 't') +
                            "\x0c\x02"
                            "ab";
  std::string file = header + event + event + event;
  file.resize(64, '\0');
  return file + header + event + "\x0d\xff" + std::string("\x03\0\0\0\0\0\0\0", 8) + "abc\x02\x01";
}

TEST(Otf2, FilesWhoseRecordsDoNotEndWithThemAreFound) {
  const TestDir dir;
  const auto file = dir.path() / "0.evt";
  const auto judge = [&](const std::string& bytes) {
    spool::write_bytes(file, bytes);
    return otf2::records_are_whole(file, 64, otf2::Holds::events);
  };
  const std::string good = two_chunks_of_events();
  EXPECT_TRUE(judge(good));
  EXPECT_TRUE(judge(good.substr(0, good.size() - 1)));  // the file's end is marked before
  for (std::size_t left = 0; left < good.size() - 1; ++left)
    EXPECT_FALSE(judge(good.substr(0, left))) << left;
  const auto with = [&](std::size_t at, char value) {
    std::string bytes = good;
    bytes[at] = value;
    return bytes;
  };
  EXPECT_FALSE(judge(with(64, '\x05')));   // no header
  EXPECT_FALSE(judge(with(28, '\x40')));   // a length beyond the chunk
  for (const char follows : {'\0', '\1'})  // the last chunk says that another follows
    EXPECT_FALSE(judge(with(64 + 18, follows)));
  std::string reversed = with(1, '#');
  reversed[65] = '#';
  EXPECT_FALSE(judge(reversed));  // 3 in the other order of bytes is more than there is
  std::swap(reversed[64 + 18 + 13 + 2], reversed[64 + 18 + 13 + 9]);
  EXPECT_TRUE(judge(reversed));
  EXPECT_TRUE(otf2::records_are_whole(dir.path() / "none", 64, otf2::Holds::events));
}

}  // namespace
}  // namespace ww
