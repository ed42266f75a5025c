#include "view/resources/resources.hpp"
#include "view/sql.hpp"

namespace ww::view {
namespace {

Result<Response> answer_query(const Inquiry& inquiry) {
  WW_TRY(const std::string sql, inquiry.query.needed_text("sql"));
  WW_TRY(const auto trace, inquiry.trace->trace());
  WW_TRY(const auto splits, inquiry.trace->splits());
  WW_TRY(const nlohmann::json json, answer_sql(sql_tables(*trace, *splits), sql));
  return json_response(json);
}

}  // namespace

const Resource query_resource = {
    .name = "query", .parameters = "sql", .answer = answer_query, .guests = false};

}  // namespace ww::view
