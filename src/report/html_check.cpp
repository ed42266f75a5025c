#include "report/html_check.hpp"

#include <nlohmann/json.hpp>

#include "base/json_check.hpp"
#include "machine/model_check.hpp"
#include "report/dilation_check.hpp"

namespace ww {
namespace {

using namespace check;

struct Checks {
  Check study, whole;
};

Checks checks() {
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
                                {"virtual", time},
                                {"real", time},
                                {"simulated_error", is_number},
                                {"dilated_error", is_number},
                                {"virtual_error", is_number},
                                {"not_dilated", is_string},
                                {"not_virtual", is_string},
                                {"no_real", is_string},
                                {"disagreement", is_string},
                                {"agree", is_flag},
                                {"headline", object({{"by", is_string},
                                                     {"s", is_number},
                                                     {"low", is_number},
                                                     {"high", is_number},
                                                     {"baseline_s", is_number},
                                                     {"gain", is_number},
                                                     {"gain_low", is_number},
                                                     {"gain_high", is_number},
                                                     {"self_check", is_number},
                                                     {"because", is_string},
                                                     {"sentence", is_string}})}});
  const Check rank = object({{"rank", is_number, required},
                             {"elapsed_s", is_number, required},
                             {"compute_s", is_number, required},
                             {"library_s", is_number, required},
                             {"blocked_algorithmic_s", is_number, required},
                             {"blocked_service_s", is_number, required}});
  const Check calls = map_of(object({{"count", is_number, required},
                                     {"time_s", is_number, required},
                                     {"program_s", is_number},
                                     {"blocked_s", is_number}}));
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
                               {"combined_bytes", is_number},
                               {"causes", list_of(object({{"sentence", is_string, required}}))},
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
  const Check machine = machine_check();
  const Check study = object({{"name", is_string, required},
                              {"launch", launch},
                              {"recorded_s", is_number, required},
                              {"recorded_runs_s", numbers},
                              {"replayed_s", is_number},
                              {"what_ifs", list_of(what_if), required},
                              {"report", report},
                              {"peers", peers},
                              {"timeline", timeline},
                              {"dilation", dilation_check()},
                              {"machine", machine},
                              {"assumptions", strings},
                              {"diagnostics", diagnostics}});
  const Check axis = object({{"part", is_string, required},
                             {"kind", is_string, required},
                             {"values", strings, required},
                             {"numbers", numbers, required}});
  const Check cell = object({{"at", numbers, required},
                             {"what_if", is_string, required},
                             {"predicted_s", is_number, required},
                             {"predicted_low_s", is_number},
                             {"predicted_high_s", is_number},
                             {"gain", is_number},
                             {"gain_low", is_number},
                             {"gain_high", is_number},
                             {"blocked_s", is_number},
                             {"blocked_service_s", is_number}});
  const Check sweep = object({{"name", is_string, required},
                              {"recorded_s", is_number, required},
                              {"replayed_s", is_number},
                              {"gain_withheld", is_string},
                              {"axes", list_of(axis), required},
                              {"cells", list_of(cell), required}});
  return {study, object({{"title", is_string},
                         {"made_by", is_string},
                         {"machine", machine},
                         {"machines", list_of(machine)},
                         {"sweeps", list_of(sweep)},
                         {"diagnostics", diagnostics},
                         {"assumptions", strings},
                         {"studies", list_of(study), required}})};
}

const Checks& all() {
  static const Checks once = checks();
  return once;
}

}  // namespace

Result<void> check_report_data(const Json& data) {
  const auto good = all().whole(data, "");
  if (good) return {};
  return fail("the report's data is wrong, " + good.error().what, good.error().where,
              "see src/report/html.hpp");
}

Result<void> check_study(const Json& study) {
  return all().study(study, "");
}

}  // namespace ww
