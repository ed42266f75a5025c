#include "view/sql.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/text.hpp"

namespace ww::view {
namespace {

using Clock = std::chrono::steady_clock;

// A scan of a table: all of it, or one rank (bit 0 of idxNum).
struct Cursor {
  sqlite3_vtab_cursor base{};
  const SqlTable* table = nullptr;
  std::size_t rank = 0;
  std::uint64_t at = 0, end = 0;

  void find_rank() {
    while (at < end && at >= table->first_of_rank[rank + 1]) ++rank;
  }
};
struct Table {
  sqlite3_vtab base{};
  const SqlTable* table = nullptr;
};

Cursor& of(sqlite3_vtab_cursor* cursor) {
  return *reinterpret_cast<Cursor*>(cursor);
}

int connect(sqlite3* base, void* data, int, const char* const*, sqlite3_vtab** out, char**) {
  const auto* table = static_cast<const SqlTable*>(data);
  const int code = sqlite3_declare_vtab(base, fmt::format("CREATE TABLE x({})", table->columns).c_str());
  if (code != SQLITE_OK) return code;
  auto* made = new Table;
  made->table = table;
  *out = &made->base;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<Table*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* base, sqlite3_index_info* info) {
  const SqlTable& table = *reinterpret_cast<Table*>(base)->table;
  info->estimatedCost = static_cast<double>(table.rows()) + 1;
  info->estimatedRows = static_cast<sqlite3_int64>(table.rows());
  for (int i = 0; table.by_rank && i < info->nConstraint; ++i) {
    const auto& one = info->aConstraint[i];
    if (!one.usable || one.iColumn != 0 || one.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    info->aConstraintUsage[i].argvIndex = 1;  // SQLite checks it again
    info->idxNum = 1;
    info->estimatedCost /= static_cast<double>(table.first_of_rank.size());
    break;
  }
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* base, sqlite3_vtab_cursor** out) {
  auto* cursor = new Cursor;
  cursor->table = reinterpret_cast<Table*>(base)->table;
  *out = &cursor->base;
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete &of(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int which, const char*, int count, sqlite3_value** arguments) {
  Cursor& cursor = of(base);
  cursor.rank = 0;
  cursor.at = 0;
  cursor.end = cursor.table->rows();
  if (which == 1 && count == 1) {
    const int type = sqlite3_value_numeric_type(arguments[0]);
    const double rank = sqlite3_value_double(arguments[0]);
    const bool is_one = (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && rank >= 0 &&
                        rank < static_cast<double>(cursor.table->first_of_rank.size() - 1);
    cursor.rank = is_one ? static_cast<std::size_t>(rank) : 0;
    cursor.at = is_one ? cursor.table->first_of_rank[cursor.rank] : 0;
    cursor.end = is_one ? cursor.table->first_of_rank[cursor.rank + 1] : 0;
  }
  cursor.find_rank();
  return SQLITE_OK;
}

int next_row(sqlite3_vtab_cursor* base) {
  ++of(base).at;
  of(base).find_rank();
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* base) {
  return of(base).at >= of(base).end ? 1 : 0;
}

int column_of(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const Cursor& cursor = of(base);
  const SqlValue value =
      cursor.table->value(cursor.rank, cursor.at - cursor.table->first_of_rank[cursor.rank], column);
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    sqlite3_result_int64(context, *whole);
  else if (const auto* real = std::get_if<double>(&value))
    sqlite3_result_double(context, *real);
  else if (const auto* text = std::get_if<std::string_view>(&value))
    sqlite3_result_text64(context, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  else
    sqlite3_result_null(context);
  return SQLITE_OK;
}

int row_number(sqlite3_vtab_cursor* base, sqlite3_int64* number) {
  *number = static_cast<sqlite3_int64>(of(base).at);
  return SQLITE_OK;
}

// Without xCreate: the tables are there by their names, and none can be made.
sqlite3_module module_of_tables() {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next_row;
  module.xEof = at_end;
  module.xColumn = column_of;
  module.xRowid = row_number;
  return module;
}

// What a statement may do: read these tables, and call SQLite's own functions, none of which reaches a file.
int authorise(void* data, int action, const char* first, const char*, const char*, const char*) {
  const auto& tables = *static_cast<const std::vector<SqlTable>*>(data);
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
    case SQLITE_FUNCTION:
      return SQLITE_OK;
    case SQLITE_READ: {
      const std::string_view name = first;
      const bool ours =
          std::any_of(tables.begin(), tables.end(), [&](const auto& t) { return t.name == name; });
      return ours || name == "json_each" || name == "json_tree" ? SQLITE_OK : SQLITE_DENY;
    }
    default:
      return SQLITE_DENY;
  }
}

struct SqlPatience {
  Clock::time_point until;
  const Cancellation* stop;
  bool is_stopped() const { return stop != nullptr && stop->requested(); }
};

int is_over(void* patience) {
  const auto& given = *static_cast<SqlPatience*>(patience);
  return given.is_stopped() || Clock::now() > given.until ? 1 : 0;
}

struct CloseBase {
  void operator()(sqlite3* base) const { sqlite3_close_v2(base); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

void limit(sqlite3* base) {
  constexpr std::pair<int, int> limits[] = {{SQLITE_LIMIT_LENGTH, 1 << 20},
                                            {SQLITE_LIMIT_SQL_LENGTH, 1 << 14},
                                            {SQLITE_LIMIT_COLUMN, 100},
                                            {SQLITE_LIMIT_EXPR_DEPTH, 100},
                                            {SQLITE_LIMIT_COMPOUND_SELECT, 20},
                                            {SQLITE_LIMIT_VDBE_OP, 100000},
                                            {SQLITE_LIMIT_FUNCTION_ARG, 16},
                                            {SQLITE_LIMIT_ATTACHED, 0},
                                            {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                                            {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                            {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (const auto& [which, value] : limits) sqlite3_limit(base, which, value);
  sqlite3_db_config(base, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(base, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // What is sorted stays in memory, of which all questions together have so much.
  sqlite3_exec(base, "PRAGMA temp_store=MEMORY", nullptr, nullptr, nullptr);
  constexpr sqlite3_int64 memory_bytes = sqlite3_int64{512} << 20;
  static std::once_flag once;
  std::call_once(once, [] { sqlite3_hard_heap_limit64(memory_bytes); });
}

nlohmann::json value_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return nullptr;
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      const int bytes = sqlite3_column_bytes(statement, column);
      return text == nullptr ? std::string() : printable_lines({text, static_cast<std::size_t>(bytes)});
    }
  }
}

tl::unexpected<Error> error_of(sqlite3* base, int code, const SqlLimits& limits) {
  if (code == SQLITE_INTERRUPT)
    return wrong_usage("it takes too long", "sql",
                       fmt::format("{} ms are given: ask of one rank, or for less", limits.time.count()));
  if (code == SQLITE_NOMEM)
    return wrong_usage("it takes too much memory", "sql", "ask of one rank, or for less");
  if (code == SQLITE_AUTH)
    return wrong_usage("only the tables can be read", "sql",
                       "SELECT from calls, messages, ranks, markers, regions or \"values\"");
  return wrong_usage(printable(sqlite3_errmsg(base)), "sql",
                     "the tables are calls, messages, ranks, markers, regions and \"values\"");
}

std::size_t bytes_of(const nlohmann::json& row) {
  std::size_t bytes = 0;
  for (const auto& value : row)
    bytes += value.is_string() ? value.get_ref<const std::string&>().size() + 16 : 16;
  return bytes;
}

}  // namespace

Result<nlohmann::json> answer_sql(const std::vector<SqlTable>& tables, const std::string& sql,
                                  const SqlLimits& limits) {
  static const sqlite3_module module = module_of_tables();
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(":memory:", &opened,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
  const std::unique_ptr<sqlite3, CloseBase> base(opened);
  if (code != SQLITE_OK) return fail("SQLite cannot be used", sqlite3_errstr(code));
  limit(opened);
  for (const SqlTable& table : tables) {
    sqlite3_create_module_v2(opened, table.name.c_str(), &module, const_cast<SqlTable*>(&table), nullptr);
    // A table of its name is made when it is first used, which the authoriser would refuse.
    sqlite3_stmt* first = nullptr;
    sqlite3_prepare_v2(opened, fmt::format("SELECT 1 FROM \"{}\"", table.name).c_str(), -1, &first, nullptr);
    sqlite3_finalize(first);
  }
  sqlite3_set_authorizer(opened, authorise, const_cast<std::vector<SqlTable>*>(&tables));
  SqlPatience patience{Clock::now() + limits.time, limits.stop};
  constexpr int steps_between = 1000;
  sqlite3_progress_handler(opened, steps_between, is_over, &patience);

  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  const int good = sqlite3_prepare_v2(opened, sql.c_str(), static_cast<int>(sql.size()), &prepared, &rest);
  const std::unique_ptr<sqlite3_stmt, EndStatement> statement(prepared);
  if (good != SQLITE_OK) return error_of(opened, good, limits);
  const std::string_view behind = rest == nullptr ? std::string_view() : rest;
  if (prepared == nullptr || behind.find_first_not_of(" \t\r\n;") != std::string_view::npos)
    return wrong_usage("it is not one statement", "sql", "ask one SELECT at a time");
  if (sqlite3_stmt_readonly(prepared) == 0) return error_of(opened, SQLITE_AUTH, limits);

  nlohmann::json columns = nlohmann::json::array(), rows = nlohmann::json::array();
  const int count = sqlite3_column_count(prepared);
  for (int c = 0; c < count; ++c) columns.push_back(printable(sqlite3_column_name(prepared, c)));
  std::uint64_t left_out = 0;
  std::size_t bytes = 0;
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(prepared)) == SQLITE_ROW) {
    if (rows.size() >= limits.rows || bytes > limits.text_bytes) {
      ++left_out;
      continue;
    }
    nlohmann::json row = nlohmann::json::array();
    for (int c = 0; c < count; ++c) row.push_back(value_of(prepared, c));
    bytes += bytes_of(row);
    rows.push_back(std::move(row));
  }
  if (patience.is_stopped()) return cancelled();
  nlohmann::json json = {{"columns", std::move(columns)}, {"rows", std::move(rows)}, {"left_out", left_out}};
  if (step == SQLITE_INTERRUPT && left_out > 0)
    json["left_out"] = fmt::format("more than {}", left_out);
  else if (step != SQLITE_DONE)
    return error_of(opened, step, limits);
  return json;
}

}  // namespace ww::view
