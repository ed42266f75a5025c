// The tables that a trace is in SQL: its columns as they are, nothing copied; what of a call was waiting is read from the index.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trace/trace.hpp"
#include "view/index.hpp"

namespace ww::view {

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string_view>;

struct SqlTable {
  std::string name;
  std::string columns;  // as CREATE TABLE has them
  // Rows of rank r: [first_of_rank[r], first_of_rank[r + 1]); of tables that are not by rank one range only, and the
  // column `rank` is none of theirs.
  std::vector<std::uint64_t> first_of_rank;
  bool by_rank = true;  // the column 0 is the rank
  // Of the rank, its how manieth row, and the column. Texts live as long as the trace.
  std::function<SqlValue(std::size_t rank, std::uint64_t row, int column)> value;

  std::uint64_t rows() const { return first_of_rank.back(); }
};

// calls, messages, ranks, markers, regions, "values", to be asked by one thread. All must outlive the tables. `problem`: the index
// is damaged, and what was waiting of some calls is not known.
std::vector<SqlTable> sql_tables(const Trace& trace, const Index& index, std::optional<Error>& problem);

}  // namespace ww::view
