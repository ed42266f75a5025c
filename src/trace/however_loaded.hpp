// For tests: a trace is the same however it was loaded.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trace/trace.hpp"

namespace ww {

template <class T>
void expect_same_bytes(const Column<T>& a, const Column<T>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_TRUE(a[i] == b[i]) << what << " " << i;
}

inline void expect_same(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.regions, b.regions);
  EXPECT_EQ(a.user.texts, b.user.texts);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(nlohmann::json(a.diagnostics), nlohmann::json(b.diagnostics));
  EXPECT_EQ(a.unmatched_sends, b.unmatched_sends);
  EXPECT_EQ(a.unmatched_receives, b.unmatched_receives);
  EXPECT_EQ(a.wildcard_receives, b.wildcard_receives);
  EXPECT_EQ(a.half_left_out, b.half_left_out);
  EXPECT_EQ(a.clock_uncertainty_s, b.clock_uncertainty_s);
  EXPECT_EQ(a.causality.violations, b.causality.violations);
  ASSERT_EQ(a.comms.size(), b.comms.size());
  for (std::size_t c = 0; c < a.comms.size(); ++c) {
    EXPECT_EQ(a.comms[c].name, b.comms[c].name);
    EXPECT_EQ(a.comms[c].ranks, b.comms[c].ranks);
  }
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (std::size_t r = 0; r < a.ranks.size(); ++r) {
    const RankTrace &one = a.ranks[r], &other = b.ranks[r];
    SCOPED_TRACE(r);
    EXPECT_EQ(one.begin_ns, other.begin_ns);
    EXPECT_EQ(one.end_ns, other.end_ns);
    expect_same_bytes(one.enter_ns, other.enter_ns, "enter");
    expect_same_bytes(one.leave_ns, other.leave_ns, "leave");
    expect_same_bytes(one.region, other.region, "region");
    expect_same_bytes(one.first_action, other.first_action, "first action");
    expect_same_bytes(one.kind, other.kind, "kind");
    expect_same_bytes(one.peer, other.peer, "peer");
    expect_same_bytes(one.tag, other.tag, "tag");
    expect_same_bytes(one.comm, other.comm, "comm");
    expect_same_bytes(one.bytes, other.bytes, "bytes");
    expect_same_bytes(one.bytes_received, other.bytes_received, "received");
    expect_same_bytes(one.operation, other.operation, "operation");
    expect_same_bytes(one.match, other.match, "match");
    expect_same_bytes(one.flags, other.flags, "flags");
    expect_same_bytes(one.thread, other.thread, "thread");
    EXPECT_EQ(one.waits.size(), other.waits.size());
    EXPECT_EQ(one.ways.size(), other.ways.size());
    ASSERT_EQ(one.user.markers.size(), other.user.markers.size());
    for (std::size_t m = 0; m < one.user.markers.size(); ++m)
      EXPECT_EQ(one.user.markers[m].text, other.user.markers[m].text);
    EXPECT_EQ(one.user.regions.size(), other.user.regions.size());
    EXPECT_EQ(one.user.values.size(), other.user.values.size());
  }
  ASSERT_EQ(a.messages.size(), b.messages.size());
  for (std::size_t m = 0; m < a.messages.size(); ++m) {
    const Message &one = a.messages[m], &other = b.messages[m];
    ASSERT_TRUE(one.source == other.source && one.destination == other.destination && one.tag == other.tag &&
                one.comm == other.comm && one.bytes == other.bytes && one.send_call == other.send_call &&
                one.send_done_call == other.send_done_call && one.recv_post_call == other.recv_post_call &&
                one.recv_done_call == other.recv_done_call && one.wildcard == other.wildcard &&
                one.synchronous == other.synchronous)
        << "message " << m;
  }
  ASSERT_EQ(a.collectives.size(), b.collectives.size());
  for (std::size_t c = 0; c < a.collectives.size(); ++c) {
    const Collective &one = a.collectives[c], &other = b.collectives[c];
    ASSERT_TRUE(one.op == other.op && one.comm == other.comm && one.root == other.root &&
                one.members.size() == other.members.size());
    for (std::size_t m = 0; m < one.members.size(); ++m)
      ASSERT_TRUE(one.members[m].rank == other.members[m].rank &&
                  one.members[m].call == other.members[m].call &&
                  one.members[m].done_call == other.members[m].done_call &&
                  one.members[m].bytes_sent == other.members[m].bytes_sent &&
                  one.members[m].bytes_received == other.members[m].bytes_received);
  }
}

// In memory by one thread; in a file by one, in memory and in a file by several.
inline Result<Trace> load_in_all_ways(const std::filesystem::path& path) {
  using Keep = Loading::Keep;
  auto first = load_trace(path, {1, Keep::memory});
  for (const Loading loading : {Loading{1, Keep::file}, Loading{3, Keep::memory}, Loading{4, Keep::file}}) {
    const auto again = load_trace(path, loading);
    EXPECT_EQ(first.has_value(), again.has_value());
    if (first && again) expect_same(*first, *again);
    if (again) {
      EXPECT_EQ(again->store != nullptr, loading.keep == Keep::file);
    }
  }
  return first;
}

}  // namespace ww
