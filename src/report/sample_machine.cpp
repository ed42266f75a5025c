#include "report/sample_machine.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace ww::sample {
namespace {

using Json = nlohmann::json;

Json around(double value, double share) {
  return {value * (1 - share), value * (1 + share)};
}

Json point(double bytes, double median_s) {
  return {{"bytes", bytes},
          {"median_s", median_s},
          {"low_s", median_s * 0.98},
          {"high_s", median_s * 1.03},
          {"samples", 50}};
}

Json segment(double from, double to, double base_s, double seconds_per_byte) {
  return {{"from_bytes", from}, {"to_bytes", to}, {"base_s", base_s}, {"seconds_per_byte", seconds_per_byte}};
}

// One jump up at 512 bytes, which is not worth to pass before 2048, and one down at the eager threshold.
// Points are on the lines, each fourth 5% above.
Json stepped_link(const char* between, double base_s, double seconds_per_byte) {
  const Json segments = {segment(0, 512, base_s, seconds_per_byte),
                         segment(513, 65536, 1.5 * base_s, seconds_per_byte),
                         segment(65537, 1048576, 1.2 * base_s, 0.9 * seconds_per_byte)};
  Json points = Json::array();
  int i = 0;
  for (double bytes = 1; bytes <= 1048576; bytes *= 2, ++i) {
    const Json& line = segments[bytes <= 512 ? 0 : bytes <= 65536 ? 1 : 2];
    const double s = line["base_s"].get<double>() + line["seconds_per_byte"].get<double>() * bytes;
    points.push_back(point(bytes, i % 4 == 3 ? s * 1.05 : s));
  }
  return {{"between", between},
          {"latency_s", 0.6 * base_s},
          {"latency_ci_s", around(0.6 * base_s, 0.02)},
          {"smallest_s", base_s + seconds_per_byte},
          {"smallest_ci_s", around(base_s + seconds_per_byte, 0.02)},
          {"segments", segments},
          {"eager_threshold_bytes", 65536},
          {"rendezvous_needs_sender", true},
          {"pingpong_fit_error", {{"mean", 0.012}, {"max", 0.048}}},
          {"points", points},
          {"wire",
           {{"seconds_per_byte", seconds_per_byte * 0.9},
            {"two_way_efficiency", 0.7},
            {"two_way_efficiency_ci", {0.65, 0.75}}}},
          {"switches",
           {{{"bytes", 512},
             {"low_bytes", 500},
             {"high_bytes", 520},
             {"jump_s", 0.5 * base_s},
             {"relative", 0.4},
             {"avoid_up_to_bytes", 2048},
             {"cause", "a copy into another buffer"}},
            {{"bytes", 65536},
             {"low_bytes", 65536},
             {"high_bytes", 65537},
             {"jump_s", -0.3 * base_s},
             {"relative", -0.05},
             {"avoid_up_to_bytes", 0},
             {"cause", "eager to rendezvous"}}}}};
}

// Krumme, Greenfield 1988, Table 3: us, and us a byte, at the sizes of its Table 1.
Json six_lines() {
  const struct {
    const char* term;
    double base_us, us_per_byte;
  } table[] = {{"F", 160, 0.60}, {"S", 150, 0.01}, {"R", 180, 0.04},
               {"A", 120, 0},    {"U", 130, 0.61}, {"E", 220, 1.285}};
  Json lines = Json::object();
  for (const auto& row : table) {
    Json points = Json::array();
    for (const double bytes : {16., 500., 1000., 1500., 2000.})
      points.push_back(point(bytes, (row.base_us + row.us_per_byte * bytes) * 1e-6));
    lines[row.term] = {{"base_s", row.base_us * 1e-6},
                       {"seconds_per_byte", row.us_per_byte * 1e-6},
                       {"max_error_s", 3e-6},
                       {"points", points}};
  }
  return lines;
}

// Four ranks on two hosts: 1 us and 8 GB/s within, 40 us and 120 MB/s between; rank 3 hears rank 0 in 80 us.
Json matrix() {
  Json latency = Json::array(), rate = Json::array();
  for (int row = 0; row < 4; ++row) {
    latency.push_back(Json::array());
    rate.push_back(Json::array());
    for (int column = 0; column < 4; ++column) {
      const bool within = row / 2 == column / 2;
      latency.back().push_back(row == column ? Json()
                                             : Json(within                    ? 1e-6
                                                    : row == 0 && column == 3 ? 80e-6
                                                                              : 40e-6));
      rate.back().push_back(row == column ? Json() : Json(within ? 8e9 : 120e6));
    }
  }
  return {{"ranks", {0, 1, 2, 3}}, {"hosts", {"alpha", "alpha", "beta", "beta"}},
          {"small_bytes", 8},      {"latency_s", latency},
          {"large_bytes", 1e6},    {"bytes_per_s", rate}};
}

Json observations() {
  Json interference = Json::array(), relay = Json::array(), rate = Json::array(), overlap = Json::array(),
       two_way = Json::array(), congestion = Json::array(), busy = Json::array(), after = Json::array(),
       loggp = Json::array(), forwarding = Json::array();
  const double slow[] = {1, 1.20, 1.61, 3.78};  // S1: of Q beside 1, 2 and 3 neighbours
  for (int n = 0; n <= 3; ++n)
    interference.push_back({{"neighbours", n},
                            {"bytes", 1000},
                            {"message_s", 2.8e-3 + 0.1e-3 * n},
                            {"message_ci_s", around(2.8e-3 + 0.1e-3 * n, 0.01)},
                            {"slowdown", slow[n]},
                            {"slowdown_ci", around(slow[n], 0.03)},
                            {"predicted_slowdown", 1 + 0.2 * n}});
  for (int hops = 0; hops <= 3; ++hops)
    relay.push_back({{"hops", hops},
                     {"bytes", 1000},
                     {"echo_s", 6e-3 + 3e-3 * hops},
                     {"echo_ci_s", around(6e-3 + 3e-3 * hops, 0.01)}});
  for (const double bytes : {16., 2000.})
    forwarding.push_back({{"between", "inter"},
                          {"computation", "integer"},
                          {"route", "default"},
                          {"hosts", 2},
                          {"task_on_core", true},
                          {"daemon_on_core", true},
                          {"bytes", bytes},
                          {"loss_s", 110e-6 + 20e-9 * bytes},
                          {"loss_ci_s", around(110e-6 + 20e-9 * bytes, 0.05)},
                          {"daemon_s", 40e-6},
                          {"daemon_ci_s", around(40e-6, 0.05)},
                          {"task_s", 10e-6},
                          {"task_ci_s", around(10e-6, 0.05)}});
  for (const double bytes : {8., 1024., 65536.}) {
    for (const char* between : {"inter", "intra"}) {
      const double faster = between[2] == 't' && between[3] == 'e' ? 1 : 20;
      rate.push_back({{"between", between},
                      {"bytes", bytes},
                      {"window", 64},
                      {"messages_per_s", faster * 5e4 / (1 + bytes / 1024)},
                      {"ci_per_s", around(faster * 5e4 / (1 + bytes / 1024), 0.05)}});
    }
    overlap.push_back({{"between", "inter"},
                       {"bytes", bytes},
                       {"transfer_s", 1e-3},
                       {"with_computation_s", 1.2e-3},
                       {"overlapped", bytes > 1000 ? 0.8 : -0.1},
                       {"overlapped_ci", {bytes > 1000 ? 0.7 : -0.3, bytes > 1000 ? 0.9 : 0.1}}});
    two_way.push_back({{"between", "inter"},
                       {"bytes", bytes},
                       {"one_way_s", 1e-3},
                       {"exchange_s", 1.4e-3},
                       {"efficiency", 0.7}});
    busy.push_back({{"between", "inter"}, {"bytes", bytes}, {"idle_s", 1e-4}, {"busy_s", 3e-4}});
    for (const char* call : {"send", "receive"})
      after.push_back({{"between", "inter"},
                       {"bytes", bytes},
                       {"call", call},
                       {"warm_s", 3e-6},
                       {"after_s", 5e-6},
                       {"after_ci_s", around(5e-6, 0.1)}});
    loggp.push_back({{"between", "inter"},
                     {"bytes", bytes},
                     {"g_s", 5e-6},
                     {"g_ci_s", around(5e-6, 0.1)},
                     {"o_send_s", 2e-6},
                     {"o_receive_s", 3e-6},
                     {"latency_s", -1e-6}});  // impossible, and shown
  }
  // what an experiment could not give: a number that is none, and a row without its number
  overlap.push_back(
      {{"between", "inter"}, {"bytes", 16}, {"overlapped", nullptr}, {"overlapped_ci", {nullptr, nullptr}}});
  interference.push_back({{"neighbours", 4}, {"bytes", 1000}});
  for (const int pairs : {1, 2, 4, 8})
    congestion.push_back({{"pairs", pairs},
                          {"bytes", 65536},
                          {"message_s", 1e-3 * pairs},
                          {"message_ci_s", around(1e-3 * pairs, 0.02)},
                          {"relative", pairs}});
  return {{"matrix", matrix()},
          {"interference", interference},
          {"relay", relay},
          {"forwarding", forwarding},
          {"message_rate", rate},
          {"overlap", overlap},
          {"bidirectional", two_way},
          {"after_computation", after},
          {"busy", busy},
          {"loggp", loggp},
          {"congestion", congestion},
          {"timer", {{{"host", "alpha"}, {"call_s", 21e-9}, {"resolution_s", 1e-9}, {"backward_steps", 0}}}}};
}

Json collectives() {
  Json all = Json::object();
  for (const char* name : {"allreduce", "bcast"})
    for (const int ranks : {2, 4, 8})
      for (const double bytes : {8., 1024., 131072.}) {
        Json row = point(bytes, std::log2(ranks) * (50e-6 + 10e-9 * bytes));
        row["ranks"] = ranks;
        row["late"] = ranks == 8 ? 2 : 0;
        all[name].push_back(row);
      }
  return all;
}

Json closed_loop() {
  Json rows = Json::array();
  int i = 0;
  for (const char* experiment : {"pingpong", "relay"})
    for (const double bytes : {8., 1024., 65536.}) {
      const double relative = 0.01 * (i++ - 2);
      rows.push_back({{"experiment", experiment},
                      {"between", "inter"},
                      {"bytes", bytes},
                      {"measured_s", 1e-4},
                      {"simulated_s", 1e-4 * (1 + relative)},
                      {"relative", relative}});
    }
  for (const int ranks : {2, 8})  // simulated 10% slower than measured
    rows.push_back({{"experiment", "allreduce"},
                    {"ranks", ranks},
                    {"bytes", 1024},
                    {"measured_s", std::log2(ranks) * 60.24e-6},
                    {"simulated_s", 1.1 * std::log2(ranks) * 60.24e-6}});
  return rows;
}

}  // namespace

Json machine() {
  return {
      {"name", "two made-up hosts"},
      {"links", {stepped_link("inter", 250e-6, 0.82e-6), stepped_link("intra", 0.9e-6, 0.16e-9)}},
      {"costs", Json::object()},
      {"six_lines", six_lines()},
      {"collectives", collectives()},
      {"observations", observations()},
      {"closed_loop", closed_loop()},
      {"clock_hz", 2.5e9},
      {"alpha_cycles", 625000},
      {"beta_cycles_per_byte", 2050},
      {"alpha_beta",
       {{{"between", "inter"},
         {"t_s", 250e-6},
         {"t_c_s_per_byte", 0.82e-6},
         {"clock_hz", 2.5e9},
         {"ipc", nullptr},
         {"alpha_cycles", 625000},
         {"beta_cycles_per_byte", 2050},
         {"inverse_beta_bytes_per_cycle", 1 / 2050.0},
         {"alpha_operations", nullptr},
         {"fit", {{"sizes", 8}, {"measured_sizes", 8}, {"from_bytes", 32768}, {"to_bytes", 4194304}}}}}},
      {"samples", "machine.samples.json"},
      {"flags", {"L of -1 us at 8 bytes between hosts is not used"}},
      {"environment", {{"hosts", {"alpha", "beta"}}, {"mpi", {{"name", "Open MPI"}, {"version", "4.1.4"}}}}}};
}

}  // namespace ww::sample
