#include "report/html_check.hpp"

#include <fmt/format.h>

#include <functional>

namespace ww {
namespace {

using Json = nlohmann::json;
using Check = std::function<Result<void>(const Json&, const std::string&)>;

Result<void> wrong(const std::string& where, const char* wanted) {
  return fail(fmt::format("the report's data is wrong, {} is expected", wanted), where,
              "see src/report/html.hpp");
}

Result<void> is_number(const Json& json, const std::string& where) {
  return json.is_number() ? Result<void>() : wrong(where, "a number");
}
Result<void> is_string(const Json& json, const std::string& where) {
  return json.is_string() ? Result<void>() : wrong(where, "a string");
}
Result<void> is_flag(const Json& json, const std::string& where) {
  return json.is_boolean() ? Result<void>() : wrong(where, "true or false");
}
Result<void> is_object(const Json& json, const std::string& where) {
  return json.is_object() ? Result<void>() : wrong(where, "an object");
}
Check list_of(Check check) {
  return [check](const Json& json, const std::string& where) -> Result<void> {
    if (!json.is_array()) return wrong(where, "a list");
    for (std::size_t i = 0; i < json.size(); ++i) WW_CHECK(check(json[i], fmt::format("{}[{}]", where, i)));
    return {};
  };
}

enum class Presence { required, optional };
struct Key {
  const char* name;
  Check check;
  Presence presence = Presence::optional;
};
// An object with these keys, and any others.
Check object(std::vector<Key> keys) {
  return [keys](const Json& json, const std::string& where) -> Result<void> {
    WW_CHECK(is_object(json, where));
    for (const Key& key : keys) {
      const std::string path = where.empty() ? key.name : where + "." + key.name;
      const auto found = json.find(key.name);
      if (found == json.end() || found->is_null()) {
        if (key.presence == Presence::required) return wrong(path, "a value");
        continue;
      }
      WW_CHECK(key.check(*found, path));
    }
    return {};
  };
}

constexpr Presence required = Presence::required;

Check data_check() {
  const Check numbers = list_of(is_number), strings = list_of(is_string);
  const Check launch = [strings](const Json& json, const std::string& where) {
    return json.is_string() ? Result<void>() : strings(json, where);
  };
  const Check diagnostics = list_of(object({{"name", is_string, required},
                                            {"severity", is_string, required},
                                            {"count", is_number},
                                            {"remedy", is_string}}));
  const Check time = object({{"s", is_number, required}, {"low", is_number}, {"high", is_number}});
  const Check what_if = object({{"spec", is_string, required},
                                {"simulated", time},
                                {"dilated", time},
                                {"real", time},
                                {"agree", is_flag}});
  const Check rank = object({{"rank", is_number, required},
                             {"elapsed_s", is_number, required},
                             {"compute_s", is_number, required},
                             {"library_s", is_number, required},
                             {"blocked_algorithmic_s", is_number, required},
                             {"blocked_service_s", is_number, required}});
  const Check calls = [](const Json& json, const std::string& where) -> Result<void> {
    WW_CHECK(is_object(json, where));
    const Check call =
        object({{"count", is_number, required}, {"time_s", is_number, required}, {"blocked_s", is_number}});
    for (const auto& [name, value] : json.items()) WW_CHECK(call(value, where + "." + name));
    return {};
  };
  const Check peers = list_of(object({{"source", is_number, required},
                                      {"destination", is_number, required},
                                      {"messages", is_number, required},
                                      {"bytes", is_number, required},
                                      {"collective_bytes", is_number}}));
  const Check regions = list_of(object({{"region", is_string, required},
                                        {"visits", is_number, required},
                                        {"time_s", is_number, required},
                                        {"compute_s", is_number, required},
                                        {"library_s", is_number, required},
                                        {"blocked_s", is_number, required}}));
  const Check report = object({{"ranks", list_of(rank), required},
                               {"calls", calls},
                               {"regions", regions},
                               {"peers", peers},
                               {"diagnostics", diagnostics}});
  std::vector<Key> columns{{"begin_ns", is_number, required},
                           {"end_ns", is_number, required},
                           {"first_rank", is_number, required},
                           {"last_rank", is_number, required},
                           {"host", is_string}};
  for (const char* column : {"enter", "time", "algorithmic", "service", "name", "peer", "sent", "received"})
    columns.push_back({column, numbers, required});
  columns.push_back({"regions", object({{"enter", numbers, required},
                                        {"time", numbers, required},
                                        {"name", numbers, required},
                                        {"depth", numbers, required}})});
  const Check bins = list_of(object(
      {{"library", numbers, required}, {"algorithmic", numbers, required}, {"service", numbers, required}}));
  const Check timeline =
      object({{"begin_ns", is_number, required},
              {"end_ns", is_number, required},
              {"calls", is_number, required},
              {"listed_calls", is_number, required},
              {"messages", is_number, required},
              {"listed_messages", is_number, required},
              {"names", strings, required},
              {"region_names", strings},
              {"rows", list_of(object(columns)), required},
              {"bins", object({{"width_ns", is_number, required}, {"rows", bins, required}})},
              {"arrows", object({{"source", numbers, required},
                                 {"send_ns", numbers, required},
                                 {"destination", numbers, required},
                                 {"receive_ns", numbers, required},
                                 {"bytes", numbers, required},
                                 {"tag", numbers, required}})}});
  const Check run = object({{"D", is_number, required},
                            {"elapsed_s", is_number, required},
                            {"normalised_s", is_number, required}});
  const Check speedup = object(
      {{"D", is_number, required}, {"value", is_number, required}, {"low", is_number}, {"high", is_number}});
  const Check dilation = object({{"runs", list_of(run)},
                                 {"speedup", list_of(speedup)},
                                 {"verdict", is_string},
                                 {"because", is_string}});
  const Check segment = object({{"from_bytes", is_number, required},
                                {"to_bytes", is_number},
                                {"base_s", is_number, required},
                                {"seconds_per_byte", is_number, required}});
  const Check point = object({{"bytes", is_number, required},
                              {"median_s", is_number, required},
                              {"low_s", is_number},
                              {"high_s", is_number}});
  const Check link = object({{"between", is_string, required},
                             {"latency_s", is_number},
                             {"segments", list_of(segment), required},
                             {"points", list_of(point)},
                             {"eager_threshold_bytes", is_number}});
  const Check machine = object({{"name", is_string}, {"links", list_of(link), required}, {"flags", strings}});
  const Check study = object({{"name", is_string, required},
                              {"launch", launch},
                              {"recorded_s", is_number, required},
                              {"recorded_runs_s", numbers},
                              {"replayed_s", is_number},
                              {"what_ifs", list_of(what_if), required},
                              {"report", report},
                              {"peers", peers},
                              {"timeline", timeline},
                              {"dilation", dilation},
                              {"machine", machine},
                              {"assumptions", strings},
                              {"diagnostics", diagnostics}});
  return object({{"title", is_string},
                 {"made_by", is_string},
                 {"machine", machine},
                 {"diagnostics", diagnostics},
                 {"assumptions", strings},
                 {"studies", list_of(study), required}});
}

}  // namespace

Result<void> check_report_data(const Json& data) {
  static const Check check = data_check();
  return check(data, "");
}

}  // namespace ww
