// Expectations: the fixture's own numbers, and SQL's rules.
#include "view/sql.hpp"

#include <gtest/gtest.h>

#include "view/index_fixture.hpp"
#include "view/responder_fixture.hpp"

namespace ww::view {
namespace {

using nlohmann::json;

class Sql : public testing::Test {
 protected:
  Result<json> ask(const std::string& sql, const SqlLimits& limits = {}) {
    std::optional<Error> problem;
    auto answer = answer_sql(sql_tables(trace_, *index_, problem), sql, limits);
    EXPECT_FALSE(problem);
    return answer;
  }
  json rows(const std::string& sql) {
    const auto answer = ask(sql);
    EXPECT_TRUE(answer) << sql << ": " << to_string(answer.error());
    return answer ? (*answer)["rows"] : json();
  }
  Trace trace_ = late_sender();
  std::shared_ptr<const Index> index_ = index_of(trace_);
};

TEST_F(Sql, TheTablesAreTheTrace) {
  EXPECT_EQ(rows("SELECT count(*), sum(time_ns) FROM calls WHERE name = 'MPI_Recv'"), json({{10, 540'000}}));
  EXPECT_EQ(rows("SELECT rank, count(*) FROM calls GROUP BY rank ORDER BY rank"), json({{0, 20}, {1, 20}}));
  EXPECT_EQ(rows("SELECT count(*) FROM calls WHERE rank = 1 AND call >= 5"), json({{15}}));
  EXPECT_EQ(rows("SELECT count(*) FROM calls WHERE rank = 2"), json({{0}}));
  EXPECT_EQ(rows("SELECT count(*) FROM calls WHERE rank = '1'"), json({{20}}));
  EXPECT_EQ(rows("SELECT count(*) FROM calls WHERE rank = 0.5"), json({{0}}));
  EXPECT_EQ(rows("SELECT source, destination, tag, bytes, sent_ns, received_ns FROM messages LIMIT 1"),
            json({{0, 1, 7, 1000, 60'000, 64'000}}));
  EXPECT_EQ(rows("SELECT c.enter_ns FROM messages m JOIN calls c ON c.rank = m.destination AND c.call = "
                 "m.receive_call "
                 "ORDER BY m.number LIMIT 1"),
            json({{10'000}}));
  EXPECT_EQ(rows("SELECT host FROM ranks WHERE rank = 1"), json({{hostile_name}}));
  EXPECT_EQ(rows("SELECT value, unit FROM \"values\""), json({{0.5, "1"}}));
  EXPECT_EQ(rows("SELECT at_ns FROM markers"), json({{500}}));
  EXPECT_EQ(rows("SELECT leave_ns - enter_ns FROM regions"), json({{899'900}}));
  std::int64_t algorithmic = 0;
  const auto splits = split_calls(trace_, nullptr);
  for (const std::int64_t ns : splits[1].algorithmic_ns) algorithmic += ns;
  EXPECT_GT(algorithmic, 0);
  EXPECT_EQ(rows("SELECT sum(algorithmic_ns) FROM calls WHERE rank = 1"), json({{algorithmic}}));
}

TEST_F(Sql, OnlyReads) {
  for (const char* sql : {"CREATE TABLE t(x)",
                          "CREATE TEMP TABLE t(x)",
                          "INSERT INTO calls VALUES(1)",
                          "DELETE FROM calls",
                          "DROP TABLE calls",
                          "ATTACH '/tmp/ww-sql-test' AS a",
                          "VACUUM INTO '/tmp/ww-sql-test'",
                          "PRAGMA writable_schema=1",
                          "SELECT * FROM pragma_database_list",
                          "SELECT * FROM sqlite_master",
                          "SELECT load_extension('x')",
                          "BEGIN",
                          "SELECT 1; SELECT 2",
                          "",
                          "-- nothing",
                          "SELEC",
                          "EXPLAIN SELECT 1; DROP TABLE calls",
                          "SELECT writefile('/tmp/ww-sql-test', 'x')",
                          "SELECT readfile('/etc/passwd')",
                          "CREATE VIRTUAL TABLE t USING calls"}) {
    const auto answer = ask(sql);
    ASSERT_FALSE(answer) << sql;
    EXPECT_TRUE(answer.error().usage) << sql;
    EXPECT_FALSE(answer.error().remedy.empty()) << sql;
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/ww-sql-test"));
}

TEST_F(Sql, IsLimited) {
  const SqlLimits small{std::chrono::milliseconds(100), 3, 1 << 20};
  const json few = ask("SELECT rank FROM calls", small).value();
  EXPECT_EQ(few["rows"].size(), 3u);
  EXPECT_EQ(few["left_out"], 37);
  const auto begun = std::chrono::steady_clock::now();
  const auto endless =
      ask("WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT max(x) FROM t", small);
  ASSERT_FALSE(endless);
  EXPECT_NE(endless.error().what.find("too long"), std::string::npos);
  const json counted =
      ask("WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t", small).value();
  EXPECT_TRUE(counted["left_out"].is_string());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  EXPECT_FALSE(ask("SELECT zeroblob(1000000000)"));
  const json long_texts =
      ask("SELECT printf('%.*c', 100000, 'x') FROM calls", {std::chrono::seconds(5), 10000, 250'000}).value();
  EXPECT_LT(long_texts["rows"].size(), 5u);
}

}  // namespace
}  // namespace ww::view
