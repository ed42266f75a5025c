// Spools as the recorder writes them; the oracle is the archive that unify makes of the same ones.
#include "view/picture.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
      if (!rows.empty() && std::get<1>(rows.back()) == rank.enter_ns[i] && std::get<2>(rows.back()) == name)
        std::get<1>(rows.back()) = rank.leave_ns[i];
      else
        rows.emplace_back(rank.enter_ns[i], rank.leave_ns[i], name);
    }
  return rows;
}

TEST(SpoolPicture, HasTheCallsThatItsArchiveWillHave) {
  const TestDir dir;
  auto ranks = exchanging(3);
  // Two threads of the last rank, whose calls lie between one another.
  SpoolWriter second;
  for (int i = 0; i < rounds; ++i) second.add("MPI_Comm_rank", 900 + i * 90, 905 + i * 90);
  finish(ranks);
  write_spools(dir.path(), ranks);
  write_bytes(dir.path() / "spool" / "rank-2.thread-1.spool", second.spool_bytes(2, 10, 1));
  const SpoolPicture picture = picture_of_spool(dir.path(), 2).value();
  const auto shown = trace_of_calls(*picture.frame, *picture.index).value();
  const Trace whole = load_trace(dir.path()).value();

  ASSERT_EQ(shown->ranks.size(), whole.ranks.size());
  EXPECT_EQ(shown->begin_ns(), whole.begin_ns());
  for (std::size_t r = 0; r < whole.ranks.size(); ++r) {
    const RankTrace &of_spool = shown->ranks[r], &of_archive = whole.ranks[r];
    EXPECT_EQ(of_spool.host, of_archive.host);
    EXPECT_EQ(of_spool.begin_ns, of_archive.begin_ns) << r;
    EXPECT_EQ(of_spool.end_ns, of_archive.end_ns) << r;
    const Rows in_spool = rows_of(*shown, r), in_archive = rows_of(whole, r);
    ASSERT_EQ(in_spool.size(), in_archive.size()) << r;
    for (std::size_t i = 0; i < in_spool.size(); ++i) ASSERT_EQ(in_spool[i], in_archive[i]) << r << " " << i;
  }
  EXPECT_EQ(picture.index->calls(),
            shown->ranks[0].calls() + shown->ranks[1].calls() + shown->ranks[2].calls());
}

TEST(SpoolPicture, ACallThatHasNotReturnedReachesToWhereItsRankEnds) {
  const TestDir dir;
  auto ranks = exchanging(2);
  const std::uint64_t last = ranks[0].records.back().leave_ticks;
  ranks[0].add("", last + 10, 0, Kind::recv, 1, 9, 0, call_number("MPI_Recv"));
  write_spools(dir.path(), ranks);
  const SpoolPicture picture = picture_of_spool(dir.path()).value();
  const auto shown = trace_of_calls(*picture.frame, *picture.index).value();
  // Nobody records any more, and nobody knows for how long the rank was in it.
  const RankTrace& hanging = shown->ranks[0];
  ASSERT_EQ(hanging.calls(), 2 + 4u * rounds);
  EXPECT_EQ(shown->regions[hanging.region[hanging.calls() - 1]], "MPI_Recv");
  EXPECT_EQ(hanging.enter_ns[hanging.calls() - 1], hanging.leave_ns[hanging.calls() - 2] + 10'000);
  EXPECT_EQ(hanging.leave_ns[hanging.calls() - 1], hanging.end_ns);
  EXPECT_EQ(shown->ranks[1].calls(), 1 + 4u * rounds);
}

TEST(SpoolPicture, OfASpoolThatIsCutAfterItWasOpened) {
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

TEST(SpoolPicture, IsATraceThatAnswersWhatCallsTellAndNothingElse) {
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
