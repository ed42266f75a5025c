// Questions in SQL about tables that are only read: SQLite's engine, in memory, without files, limited in time, memory
// and rows.
#pragma once
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/cancellation.hpp"
#include "base/result.hpp"
#include "view/sql_tables.hpp"

namespace ww::view {

struct SqlLimits {
  std::chrono::milliseconds time{5000};
  std::uint64_t rows = 10000;
  std::size_t text_bytes = std::size_t{16} << 20;  // of the answer
  const Cancellation* stop = nullptr;              // ends it early: cancelled()
};

// {"columns","rows","left_out"}: left_out is how many rows more there are, or text where counting took too long. Errors
// (usage): SQLite's own words, anything but one SELECT, out of time.
Result<nlohmann::json> answer_sql(const std::vector<SqlTable>& tables, const std::string& sql,
                                  const SqlLimits& limits = {});

}  // namespace ww::view
