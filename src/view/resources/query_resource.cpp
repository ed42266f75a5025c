#include "view/resources/resources.hpp"
#include "view/sql.hpp"

namespace ww::view {
namespace {

Result<Response> answer_query(const Inquiry& inquiry) {
  WW_TRY(const std::string sql, inquiry.query.needed_text("sql"));
  WW_TRY(const auto trace, inquiry.trace->trace());
  WW_TRY(const nlohmann::json json,
         inquiry.trace->of_index([&](const Index& index) -> Result<nlohmann::json> {
           std::optional<Error> problem;
           auto answer = answer_sql(sql_tables(*trace, index, problem), sql, {.stop = &*inquiry.stop});
           if (problem) return tl::unexpected(*problem);
           return answer;
         }));
  return json_response(json);
}

}  // namespace

const Resource query_resource = {
    .name = "query", .parameters = "sql", .answer = answer_query, .guests = false};

}  // namespace ww::view
