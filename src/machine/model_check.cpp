#include "machine/model_check.hpp"

#include <nlohmann/json.hpp>

namespace ww::check {
namespace {

// An experiment's rows, of numbers and intervals. A row that lacks one is not drawn, which is no reason to
// refuse the page.
Check rows(const std::vector<const char*>& numbers, const std::vector<const char*>& intervals) {
  std::vector<Key> all{{"between", is_string}};
  for (const char* key : numbers) all.push_back({key, is_number});
  for (const char* key : intervals) all.push_back({key, list_of(or_null(is_number))});
  return list_of(object(all));
}

// How many ranks, or which.
Result<void> is_ranks(const Json& json, const std::string& where) {
  return json.is_array() ? list_of(is_number)(json, where) : is_number(json, where);
}

Check alpha_beta_check() {
  return rows(
      {"t_s", "t_c_s_per_byte", "clock_hz", "ipc", "alpha_cycles", "beta_cycles_per_byte",
       "inverse_beta_bytes_per_cycle", "operations_per_s", "alpha_operations", "beta_operations_per_byte"},
      {});
}

Check observations_check() {
  const Check table = list_of(list_of(or_null(is_number)));
  return object(
      {{"matrix", object({{"ranks", is_ranks},
                          {"hosts", list_of(is_string)},
                          {"small_bytes", is_number},
                          {"latency_s", table},
                          {"large_bytes", is_number},
                          {"bytes_per_s", table}})},
       {"interference",
        rows({"neighbours", "bytes", "message_s", "final_message_s", "slowdown", "predicted_slowdown"},
             {"message_ci_s", "final_message_ci_s", "slowdown_ci"})},
       {"forwarding", list_of(object({{"between", is_string},
                                      {"computation", is_string},
                                      {"route", is_string},
                                      {"bytes", is_number},
                                      {"hosts", is_number},
                                      {"task_on_core", is_flag},
                                      {"daemon_on_core", is_flag},
                                      {"loss_s", is_number},
                                      {"daemon_s", is_number},
                                      {"task_s", is_number},
                                      {"echo_s", is_number},
                                      {"idle_echo_s", is_number},
                                      {"loss_ci_s", list_of(or_null(is_number))},
                                      {"daemon_ci_s", list_of(or_null(is_number))},
                                      {"task_ci_s", list_of(or_null(is_number))},
                                      {"echo_ci_s", list_of(or_null(is_number))},
                                      {"idle_echo_ci_s", list_of(or_null(is_number))}}))},
       {"relay", rows({"hops", "bytes", "echo_s"}, {"echo_ci_s"})},
       {"message_rate", rows({"bytes", "messages_per_s", "window"}, {"ci_per_s"})},
       {"loggp", rows({"bytes", "g_s", "o_send_s", "o_receive_s", "latency_s"},
                      {"g_ci_s", "o_send_ci_s", "o_receive_ci_s", "latency_ci_s"})},
       {"overlap", rows({"bytes", "overlapped", "transfer_s", "with_computation_s"}, {"overlapped_ci"})},
       {"bidirectional", rows({"bytes", "efficiency", "one_way_s", "exchange_s"}, {})},
       {"congestion", rows({"pairs", "bytes", "relative", "message_s"}, {"message_ci_s"})},
       {"after_computation", rows({"bytes", "warm_s", "after_s"}, {"warm_ci_s", "after_ci_s"})},
       {"busy", rows({"bytes", "idle_s", "busy_s"}, {"idle_ci_s", "busy_ci_s"})},
       {"printed", alpha_beta_check()},
       {"timer", list_of(object({{"host", is_string},
                                 {"call_s", is_number},
                                 {"resolution_s", is_number},
                                 {"backward_steps", is_number}}))}});
}

}  // namespace

Check machine_check() {
  const Check strings = list_of(is_string);
  const Check segment = object({{"from_bytes", is_number, required},
                                {"to_bytes", is_number},
                                {"base_s", is_number, required},
                                {"seconds_per_byte", is_number, required}});
  const Check point = object({{"bytes", is_number, required},
                              {"median_s", is_number, required},
                              {"low_s", is_number},
                              {"high_s", is_number}});
  const Check term_point = object({{"bytes", is_number, required},
                                   {"median_s", is_number, required},
                                   {"low_s", is_number},
                                   {"high_s", is_number},
                                   {"trials", is_number},
                                   {"mean_s", is_number},
                                   {"deviation_s", is_number}});
  const Check jump = object({{"bytes", is_number, required},
                             {"low_bytes", is_number},
                             {"high_bytes", is_number},
                             {"jump_s", is_number, required},
                             {"relative", is_number},
                             {"avoid_up_to_bytes", is_number},
                             {"cause", is_string}});
  const Check wire = object({{"seconds_per_byte", is_number}, {"two_way_efficiency", is_number}});
  const Check link = object({{"between", is_string, required},
                             {"latency_s", is_number},
                             {"latency_ci_s", list_of(is_number)},
                             {"smallest_s", is_number},
                             {"smallest_ci_s", list_of(is_number)},
                             {"segments", list_of(segment), required},
                             {"points", list_of(point)},
                             {"switches", list_of(jump)},
                             {"wire", wire},
                             {"eager_threshold_bytes", is_number}});
  const Check line = object({{"base_s", is_number, required},
                             {"seconds_per_byte", is_number, required},
                             {"max_error_s", is_number},
                             {"points", list_of(term_point)}});
  const Check collective = list_of(object({{"ranks", is_number, required},
                                           {"bytes", is_number, required},
                                           {"median_s", is_number, required},
                                           {"low_s", is_number},
                                           {"high_s", is_number},
                                           {"samples", is_number},
                                           {"late", is_number}}));
  const Check again = list_of(object({{"experiment", is_string, required},
                                      {"between", is_string},
                                      {"ranks", is_number},
                                      {"bytes", is_number},
                                      {"measured_s", is_number, required},
                                      {"simulated_s", is_number, required},
                                      {"in_turn_s", is_number},
                                      {"relative", is_number}}));
  return object({{"name", is_string},
                 {"links", list_of(link), required},
                 {"costs", map_of(list_of(segment))},
                 {"six_lines", map_of(line)},
                 {"six_lines_floating", map_of(line)},
                 {"six_lines_idle", map_of(line)},
                 {"collectives", map_of(collective)},
                 {"observations", observations_check()},
                 {"closed_loop", again},
                 {"clock_hz", is_number},
                 {"alpha_cycles", is_number},
                 {"beta_cycles_per_byte", is_number},
                 {"ipc", is_number},
                 {"alpha_beta", alpha_beta_check()},
                 {"samples", is_string},
                 {"environment", is_object},
                 {"flags", strings}});
}

}  // namespace ww::check
