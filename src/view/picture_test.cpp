// Spools as the recorder writes them; the oracle is the archive that unify makes of the same ones.
#include "view/picture.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/owned.hpp"
#include "trace/archive_entries.hpp"
#include "trace/score_p_fixture.hpp"
#include "trace/spool.hpp"
#include "trace/spool_fixture.hpp"
#include "view/responder.hpp"

namespace ww::view {
namespace {

using namespace spool;
namespace fs = std::filesystem;

constexpr int rounds = 700;  // more calls than a piece of an index and a block hold

// Ranks that compute, exchange and meet; the counter of the last one is late by 500 ticks.
std::vector<SpoolWriter> exchanging(int size) {
  std::vector<SpoolWriter> ranks(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) {
    SpoolWriter& writer = ranks[static_cast<std::size_t>(r)];
    writer.host = "host" + std::to_string(r % 2);
    writer.standard(r, size);
    const std::int64_t late = r + 1 == size ? 500 : 0;
    writer.clock(0, late, 1, late == 0);
    const auto at = [&](std::int64_t tick) { return static_cast<std::uint64_t>(tick - late + 1000); };
    writer.add("MPI_Init", at(0), at(100 + r));
    for (int i = 0; i < rounds; ++i) {
      const std::int64_t t = 200 + i * 100;
      const auto serial = static_cast<std::uint64_t>(i + 1);
      writer.add("MPI_Irecv", at(t), at(t + 2), Kind::irecv, (r + size - 1) % size, 3, 64, serial);
      writer.add("MPI_Send", at(t + 10 + r), at(t + 13 + r), Kind::send, (r + 1) % size, 3, 64);
      writer.add("MPI_Wait", at(t + 20), at(t + 40 + r), Kind::irecv_done, (r + size - 1) % size, 3, 64,
                 serial);
      writer.add("MPI_Allreduce", at(t + 50), at(t + 70), Kind::collective, no_peer, 0, 8, 8);
    }
  }
  return ranks;
}

void finish(std::vector<SpoolWriter>& ranks) {
  for (SpoolWriter& writer : ranks) {
    const std::uint64_t last = writer.records.back().leave_ticks;
    writer.add("MPI_Finalize", last + 10, last + 20);
    writer.end(static_cast<std::int64_t>(last + 30));
  }
}

// Calls with their names: rows of no length, where threads call at once, left out, and what they cut put together.
using Rows = std::vector<std::tuple<std::int64_t, std::int64_t, std::string>>;
Rows rows_of(const Trace& trace, std::size_t number) {
  const RankTrace& rank = trace.ranks[number];
  Rows rows;
  for (std::size_t i = 0; i < rank.calls(); ++i)
    if (rank.leave_ns[i] > rank.enter_ns[i]) {
      const std::string& name = trace.regions[rank.region[i]];
      const std::int64_t enter_ns = rank.enter_ns[i] - trace.begin_ns(),
                         leave_ns = rank.leave_ns[i] - trace.begin_ns();
      if (!rows.empty() && std::get<1>(rows.back()) == enter_ns && std::get<2>(rows.back()) == name)
        std::get<1>(rows.back()) = leave_ns;
      else
        rows.emplace_back(enter_ns, leave_ns, name);
    }
  return rows;
}

void expect_calls_of(const CallsPicture& picture, const Trace& whole) {
  const auto shown = trace_of_calls(*picture.frame, *picture.index).value();
  ASSERT_EQ(shown->ranks.size(), whole.ranks.size());
  std::uint64_t calls = 0;
  for (std::size_t r = 0; r < whole.ranks.size(); ++r) {
    const RankTrace &seen = shown->ranks[r], &expected = whole.ranks[r];
    EXPECT_EQ(seen.host, expected.host);
    EXPECT_EQ(seen.begin_ns - shown->begin_ns(), expected.begin_ns - whole.begin_ns()) << r;
    EXPECT_EQ(seen.end_ns - shown->begin_ns(), expected.end_ns - whole.begin_ns()) << r;
    const Rows in_picture = rows_of(*shown, r), in_archive = rows_of(whole, r);
    ASSERT_EQ(in_picture.size(), in_archive.size()) << r;
    for (std::size_t i = 0; i < in_picture.size(); ++i)
      ASSERT_EQ(in_picture[i], in_archive[i]) << r << " " << i;
    calls += seen.calls();
  }
  EXPECT_EQ(picture.index->calls(), calls);
}

TEST(CallsPicture, HasTheCallsThatItsArchiveWillHave) {
  const TestDir dir;
  auto ranks = exchanging(3);
  // Two threads of the last rank, whose calls lie between one another.
  SpoolWriter second;
  for (int i = 0; i < rounds; ++i) second.add("MPI_Comm_rank", 900 + i * 90, 905 + i * 90);
  finish(ranks);
  write_spools(dir.path(), ranks);
  write_bytes(dir.path() / "spool" / "rank-2.thread-1.spool", second.spool_bytes(2, 10, 1));
  const CallsPicture of_spool = picture_of_spool(dir.path(), 2).value();
  const Trace whole = load_trace(dir.path()).value();
  expect_calls_of(of_spool, whole);
  const CallsPicture of_archive = picture_of_archive(dir.path(), 2).value();
  expect_calls_of(of_archive, whole);
  // Before their ranks were read nobody knew where their programs end.
  EXPECT_EQ(nlohmann::json::parse(of_archive.index->facts())["ranks"],
            nlohmann::json::parse(of_spool.index->facts())["ranks"]);
}

TEST(CallsPicture, OfAnArchiveOfAnotherTool) {
  const TestDir dir;
  write_like_score_p(dir.path());
  const fs::path anchor = dir.path() / "traces.otf2";
  expect_calls_of(picture_of_archive(anchor).value(), load_trace(anchor).value());
}

TEST(CallsPicture, OfADamagedArchiveIsAnError) {
  const TestDir dir;
  auto ranks = exchanging(2);
  finish(ranks);
  write_spools(dir.path(), ranks);
  ASSERT_TRUE(load_trace(dir.path()));
  ASSERT_TRUE(picture_of_archive(dir.path()));
  const fs::path events = dir.path() / "traces" / "1.evt";
  fs::resize_file(events, fs::file_size(events) / 2);
  const auto picture = picture_of_archive(dir.path());
  ASSERT_FALSE(picture);
  EXPECT_NE(picture.error().what.find("truncated or damaged"), std::string::npos);
  EXPECT_EQ(to_string(picture.error()), to_string(load_trace(dir.path()).error()));
  EXPECT_FALSE(picture_of_archive(dir.path() / "nowhere"));
}

TEST(CallsPicture, OfALargeArchiveIsThereBeforeItIsLoadedAndNotAfterIt) {
  const TestDir dir;
  const fs::path run = owned::Claim::make(dir.path() / "run", trace_kind).value().path();
  auto ranks = exchanging(2);
  finish(ranks);
  write_spools(run, ranks);
  ASSERT_TRUE(load_trace(run));
  const auto listed = [](Responder& responder) {
    return nlohmann::json::parse(*responder.answer({"data/traces", ""}).body)["traces"][0];
  };
  const auto open = [&](OpenTraces& traces) { traces.add(std::make_shared<OpenTrace>(run, nullptr)); };
  {
    OpenTraces small({.made_by = "whatwire test", .read_only = true, .for_good = false});
    open(small);
    Responder responder(small);
    EXPECT_FALSE(listed(responder).contains("picture"));
    EXPECT_EQ(responder.answer({"data/0/picture", ""}).status, 409);
  }
  // Events of a location that nobody defines make it large, and nothing else.
  write_bytes(run / "traces" / "77.evt", "");
  fs::resize_file(run / "traces" / "77.evt", std::uintmax_t{65} << 20);
  OpenTraces traces({.made_by = "whatwire test", .read_only = true, .for_good = false});
  open(traces);
  Responder responder(traces);
  EXPECT_EQ(listed(responder)["picture"], true);
  EXPECT_FALSE(listed(responder).contains("unclosed"));
  EXPECT_EQ(listed(responder)["kind"], "recorded");
  const auto told = nlohmann::json::parse(*responder.answer({"data/0/picture", ""}).body);
  ASSERT_EQ(told["trace"], 1);
  const auto facts = nlohmann::json::parse(*responder.answer({"data/1/trace", ""}).body);
  EXPECT_EQ(facts["calls_only"], true);
  EXPECT_EQ(facts["calls"], 2 * (2 + 4 * rounds));
  const auto whole = nlohmann::json::parse(*responder.answer({"data/0/trace", ""}).body);
  EXPECT_EQ(facts["ranks"], whole["ranks"]);
  EXPECT_EQ(facts["elapsed_s"], whole["elapsed_s"]);
  EXPECT_EQ(facts["run"]["program"], whole["run"]["program"]);
  EXPECT_FALSE(listed(responder).contains("picture"));
  // The index was kept.
  OpenTraces again({.made_by = "whatwire test", .read_only = true, .for_good = false});
  open(again);
  Responder anew(again);
  EXPECT_FALSE(listed(anew).contains("picture"));
}

TEST(CallsPicture, ACallThatHasNotReturnedReachesToWhereItsRankEnds) {
  const TestDir dir;
  auto ranks = exchanging(2);
  const std::uint64_t last = ranks[0].records.back().leave_ticks;
  ranks[0].add("", last + 10, 0, Kind::recv, 1, 9, 0, call_number("MPI_Recv"));
  write_spools(dir.path(), ranks);
  const CallsPicture picture = picture_of_spool(dir.path()).value();
  const auto shown = trace_of_calls(*picture.frame, *picture.index).value();
  // Nobody records any more, and nobody knows for how long the rank was in it.
  const RankTrace& hanging = shown->ranks[0];
  ASSERT_EQ(hanging.calls(), 2 + 4u * rounds);
  EXPECT_EQ(shown->regions[hanging.region[hanging.calls() - 1]], "MPI_Recv");
  EXPECT_EQ(hanging.enter_ns[hanging.calls() - 1], hanging.leave_ns[hanging.calls() - 2] + 10'000);
  EXPECT_EQ(hanging.leave_ns[hanging.calls() - 1], hanging.end_ns);
  EXPECT_EQ(shown->ranks[1].calls(), 1 + 4u * rounds);
}

TEST(CallsPicture, OfASpoolThatIsCutAfterItWasOpened) {
  const TestDir dir;
  auto ranks = exchanging(2);
  write_spools(dir.path(), ranks);
  for (int r = 0; r < 2; ++r)  // as the recorder prepares pages
    write_bytes(dir.path() / "spool" / ("rank-" + std::to_string(r) + ".thread-0.spool"),
                ranks[static_cast<std::size_t>(r)].spool_bytes(r, 100'000));
  Diagnostics unheeded;
  const fs::path file = dir.path() / "spool" / "rank-0.thread-0.spool";
  const auto records = Records::open(file, unheeded, true).value();
  fs::resize_file(file, header_bytes + ranks[0].records.size() * sizeof(Record));
  ASSERT_EQ(records->size(), ranks[0].records.size());
  for (std::size_t i = 0; i < records->size(); ++i)
    ASSERT_EQ((*records)[i].leave_ticks, ranks[0].records[i].leave_ticks);
  fs::resize_file(file, 100);  // damaged
  EXPECT_FALSE(Records::open(file, unheeded, true).value());
}

TEST(CallsPicture, IsATraceThatAnswersWhatCallsTellAndNothingElse) {
  const TestDir dir;
  auto ranks = exchanging(2);
  write_spools(dir.path(), ranks);
  OpenTraces traces({.made_by = "whatwire test", .read_only = true, .for_good = false});
  traces.add(std::make_shared<OpenTrace>(dir.path(), nullptr));
  Responder responder(traces);
  const auto json = [&](const std::string& path, const std::string& query = "") {
    return nlohmann::json::parse(*responder.answer({path, query}).body);
  };
  EXPECT_EQ(json("data/traces")["traces"][0]["unclosed"], true);
  const nlohmann::json told = json("data/0/picture");
  ASSERT_EQ(told["trace"], 1);
  EXPECT_EQ(json("data/0/picture"), told);  // nobody records: it does not change
  EXPECT_EQ(json("data/traces")["traces"].size(), 1u);
  const nlohmann::json facts = json("data/1/trace");
  EXPECT_EQ(facts["kind"], "live");
  EXPECT_EQ(facts["calls_only"], true);
  EXPECT_EQ(facts["calls"], 2 * (1 + 4 * rounds));
  EXPECT_EQ(facts["ranks"][1]["host"], "host1");
  EXPECT_EQ(responder
                .answer({"data/1/tile", "level=" + std::to_string(facts["index"]["top_level"].get<int>()) +
                                            "&tile=0&group=0&block=0"})
                .status,
            200);
  EXPECT_EQ(json("data/1/state", "at_ns=130000")["ranks"][1]["name"], "MPI_Wait");
  EXPECT_EQ(json("data/1/find", "text=allreduce")["found"][0]["count"], 2 * rounds);
  for (const char* name : {"report", "messages", "series", "first", "jump", "ask", "skew"})
    EXPECT_EQ(responder.answer({std::string("data/1/") + name, ""}).status, 409) << name;

  EXPECT_GT(json("data/0/report")["elapsed_s"], 0.0);  // put together
  EXPECT_FALSE(json("data/traces")["traces"][0].contains("unclosed"));
  EXPECT_EQ(json("data/0/picture"), told);
}

}  // namespace
}  // namespace ww::view
