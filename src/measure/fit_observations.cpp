#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "measure/fit.hpp"

namespace ww::measure {
namespace {

using nlohmann::json;
using Values = std::vector<double>;

constexpr double slow_timer_s = 200e-9;

Values values(const json& record, const char* key) {
  return record[key].get<Values>();
}

json interval(const Values& samples) {
  const auto found = stats::median_interval(samples);
  return json::array({found.range.low, found.range.high});
}

// `key`: the median of the samples, `key_ci` with the unit last: its interval.
void put(json& entry, const std::string& name, const std::string& unit, const Values& samples) {
  entry[name + unit] = stats::median(samples);
  entry[name + "_ci" + unit] = interval(samples);
}

template <class Function>
Values combined(const Function& function, const Values& first, const Values& second) {
  Values out;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    out.push_back(function(first[i], second[i]));
  return out;
}

json of_link(const json& record) {
  return {{"between", record["between"]}, {"bytes", record["bytes"]}};
}

json message_rate(const json& record) {
  json entry = of_link(record);
  entry["window"] = record["window"];
  Values rates;
  for (const double seconds : values(record, "window_s"))
    if (seconds > 0) rates.push_back(record["window"].get<double>() / seconds);
  entry["messages_per_s"] = stats::median(rates);
  entry["ci_per_s"] = interval(rates);
  return entry;
}

// Hoefler, Lichei, Rehm 2007: g(s) = (PRTT(n,0,s) - PRTT(1,0,s)) / (n-1), o_s = (PRTT(n,d,s) - PRTT(1,0,s)) /
// (n-1) - d. The latency is what half the round trip leaves after both overheads, of the same round.
json loggp(const json& record, std::vector<std::string>& flags) {
  json entry = of_link(record);
  const double gaps = record["train"].get<double>() - 1;
  const auto one = values(record, "one_s"), train = values(record, "train_s"),
             delayed = values(record, "delayed_s"), delay = values(record, "delay_s"),
             receive = values(record, "receive_s");
  const auto over_gaps = [&](double many, double alone) { return (many - alone) / gaps; };
  const auto minus = [](double a, double b) { return a - b; };
  const auto g = combined(over_gaps, train, one),
             send = combined(minus, combined(over_gaps, delayed, one), delay);
  Values half;
  for (const double seconds : one) half.push_back(seconds / 2);
  const auto latency = combined(minus, combined(minus, half, send), receive);
  put(entry, "g", "_s", g);
  put(entry, "o_send", "_s", send);
  put(entry, "o_receive", "_s", receive);
  put(entry, "latency", "_s", latency);
  for (const char* name : {"g", "o_send", "latency"})
    if (entry[std::string(name) + "_ci_s"][1].get<double>() < 0)
      flags.push_back(fmt::format("{}: {} at {} bytes is negative, which cannot be",
                                  record["between"].get<std::string>(), name, record["bytes"].get<double>()));
  return entry;
}

// The share of the transfer that the computation hid: (transfer + computation - both) / transfer. Not forced
// between 0 and 1: below 0, computing slowed the transfer.
json overlap(const json& record) {
  json entry = of_link(record);
  const auto transfer = values(record, "transfer_s"), computation = values(record, "computation_s"),
             both = values(record, "both_s");
  Values hidden;
  for (std::size_t i = 0; i < std::min({transfer.size(), computation.size(), both.size()}); ++i)
    hidden.push_back((transfer[i] + computation[i] - both[i]) / std::min(transfer[i], computation[i]));
  entry["transfer_s"] = stats::median(transfer);
  entry["with_computation_s"] = stats::median(both);
  put(entry, "overlapped", "", hidden);
  return entry;
}

json bidirectional(const json& record, const MachineModel& model) {
  json entry = of_link(record);
  const Link* link = model.link(record["between"] == "inter" ? Place::inter : Place::intra);
  const double alone_s = link != nullptr ? link->one_way.at(record["bytes"].get<double>()) : 0;
  const auto seconds = values(record, "exchange_s");
  const double exchange_s = stats::median(seconds);
  entry["one_way_s"] = alone_s;
  entry["exchange_s"] = exchange_s;
  entry["exchange_ci_s"] = interval(seconds);
  entry["efficiency"] = exchange_s > 0 ? alone_s / exchange_s : 0;
  return entry;
}

json busy(const json& record) {
  json entry = of_link(record);
  put(entry, "idle", "_s", values(record, "idle_s"));
  put(entry, "busy", "_s", values(record, "busy_s"));
  return entry;
}

json after_computation(const json& record) {
  json entry = of_link(record);
  entry["call"] = record["call"];
  put(entry, "warm", "_s", values(record, "warm_s"));
  put(entry, "after", "_s", values(record, "after_s"));
  return entry;
}

json relay(const json& record) {
  json entry = {{"hops", record["hops"]}, {"bytes", record["bytes"]}};
  put(entry, "echo", "_s", values(record, "echo_s"));
  return entry;
}

// What software alone predicts (S1, 5.2): of every message's time the node's own part is taken from the
// computation, so that it slows by 1 / (1 - part / time). Where the node forwards beneath its process that is
// R + S, else a receive and a send of the process.
json interference(const json& record, const Costs& costs, bool forwards) {
  json entry = {{"neighbours", record["neighbours"]}, {"bytes", record["bytes"]}};
  const double bytes = record["bytes"].get<double>(), neighbours = record["neighbours"].get<double>();
  const auto message = values(record, "message_s");
  put(entry, "message", "_s", message);
  if (record.contains("final_message_s"))
    put(entry, "final_message", "_s", values(record, "final_message_s"));
  put(entry, "slowdown", "",
      combined([](double with, double alone) { return with / alone; }, values(record, "with_s"),
               values(record, "alone_s")));
  const double part_s = forwards ? costs.R.at(bytes) + costs.S.at(bytes)
                                 : costs.F.at(bytes) + costs.A.at(bytes) + costs.U.at(bytes);
  const double taken = neighbours * part_s / std::max(1e-12, stats::median(message));
  if (part_s > 0 && taken < 1) entry["predicted_slowdown"] = 1 / (1 - taken);
  return entry;
}

// S1's experiment 5 under PVM, as it was seen; what is solved from it is in six_lines.
json forwarding(const json& record) {
  json entry = of_link(record);
  for (const char* key : {"computation", "route", "hosts", "task_on_core", "daemon_on_core"})
    entry[key] = record[key];
  for (const char* name : {"loss", "daemon", "task", "echo", "idle_echo"})
    if (const std::string key = std::string(name) + "_s"; record.contains(key) && record[key].is_array())
      put(entry, name, "_s", values(record, key.c_str()));
  return entry;
}

json congestion(const json& record) {
  json entry = {{"pairs", record["pairs"]}, {"bytes", record["bytes"]}};
  const auto seconds = values(record, "message_s");
  entry["message_s"] = stats::median(seconds);
  // of all pairs: they differ by where they are, which no interval of a median says
  entry["message_ci_s"] = {*std::min_element(seconds.begin(), seconds.end()),
                           *std::max_element(seconds.begin(), seconds.end())};
  const double alone_s = record["alone_s"].get<double>();
  entry["relative"] = alone_s > 0 ? stats::median(seconds) / alone_s : 1;
  return entry;
}

json matrix(const json& record, std::vector<std::string>& flags) {
  const auto ranks = record["ranks"].get<std::size_t>();
  const auto latency = values(record, "latency_s"), stream = values(record, "stream_s");
  if (latency.size() != ranks * ranks || stream.size() != ranks * ranks) {
    flags.push_back("the matrix of all pairs has not as many entries as pairs; left out");
    return nullptr;
  }
  json out = {{"ranks", json::array()},
              {"hosts", record["hosts"]},
              {"small_bytes", record["small_bytes"]},
              {"large_bytes", record["large_bytes"]},
              {"latency_s", json::array()},
              {"bytes_per_s", json::array()}};
  std::size_t missing = 0;
  for (std::size_t a = 0; a < ranks; ++a) {
    out["ranks"].push_back(a);
    json latencies = json::array(), rates = json::array();
    for (std::size_t b = 0; b < ranks; ++b) {
      const double seconds = latency[a * ranks + b], each_s = stream[a * ranks + b];
      latencies.push_back(seconds > 0 ? json(seconds) : json(nullptr));
      rates.push_back(each_s > 0 ? json(record["large_bytes"].get<double>() / each_s) : json(nullptr));
      if (a != b && !(seconds > 0)) ++missing;
    }
    out["latency_s"].push_back(std::move(latencies));
    out["bytes_per_s"].push_back(std::move(rates));
  }
  if (missing > 0)
    flags.push_back(fmt::format("the matrix of all pairs: {} of {} were not reached in the time", missing / 2,
                                ranks * (ranks - 1) / 2));
  return out;
}

json timers(const Samples& samples, std::vector<std::string>& flags) {
  json out = json::array();
  for (const auto* record : samples.of_kind("host")) {
    if (!record->contains("timer") || !(*record)["timer"].is_object()) continue;
    json entry = (*record)["timer"];
    entry["host"] = (*record)["host"];
    if (entry.value("backward_steps", 0) > 0)
      flags.push_back(
          fmt::format("{}: the clock stepped backward {} times; no time of this host can be trusted",
                      entry["host"].get<std::string>(), entry["backward_steps"].get<int>()));
    if (entry.value("call_s", 0.0) > slow_timer_s && !is_simulated(samples))
      flags.push_back(fmt::format(
          "{}: reading the clock takes {:.0f} ns (no fast clock source?); short times are that much too long",
          entry["host"].get<std::string>(), entry["call_s"].get<double>() * 1e9));
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

json fit_observations(const Samples& samples, const MachineModel& model, std::vector<std::string>& flags) {
  json out = json::object();
  const auto each = [&](const char* kind, const char* key, const std::function<json(const json&)>& entry) {
    for (const auto* record : samples.of_kind(kind)) out[key].push_back(entry(*record));
  };
  each("message-rate", "message_rate", message_rate);
  each("parametrised", "loggp", [&](const json& record) { return loggp(record, flags); });
  each("overlap", "overlap", overlap);
  each("two-way", "bidirectional", [&](const json& record) { return bidirectional(record, model); });
  each("busy", "busy", busy);
  each("after-computation", "after_computation", after_computation);
  each("relay", "relay", relay);
  each("interference", "interference",
       [&](const json& record) { return interference(record, model.costs, is_simulated(samples)); });
  each("forwarding", "forwarding", forwarding);
  each("congestion", "congestion", congestion);
  for (const auto* record : samples.of_kind("matrix"))
    if (json joined = matrix(*record, flags); joined.is_object()) out["matrix"] = std::move(joined);
  if (json all = timers(samples, flags); !all.empty()) out["timer"] = std::move(all);
  for (const auto* record : samples.of_kind("group"))
    if (record->value("busy_cores_short", false))
      flags.push_back(
          "all ranks: they had to share cores; matrix, relay, interference, congestion and collectives are "
          "disturbed");
  return out;
}

json fit_collectives(const Samples& samples, std::vector<std::string>& flags) {
  json out = json::object();
  double late = 0, runs = 0;
  int none = 0;
  for (const auto* record : samples.of_kind("collective")) {
    const auto seconds = values(*record, "seconds");
    const auto found = stats::median_interval(seconds);
    out[(*record)["name"].get<std::string>()].push_back({{"ranks", (*record)["ranks"]},
                                                         {"bytes", (*record)["bytes"]},
                                                         {"median_s", found.median},
                                                         {"low_s", found.range.low},
                                                         {"high_s", found.range.high},
                                                         {"samples", seconds.size()},
                                                         {"late", (*record)["late"]}});
    late += (*record)["late"].get<double>();
    runs += static_cast<double>(seconds.size()) + (*record)["late"].get<double>();
  }
  for (const auto* record : samples.of_kind("collective-late"))
    if ((*record)["late"].get<double>() > 0) ++none;
  for (auto& [name, entries] : out.items())
    std::sort(entries.begin(), entries.end(), [](const json& a, const json& b) {
      return std::pair{a["ranks"].get<double>(), a["bytes"].get<double>()} <
             std::pair{b["ranks"].get<double>(), b["bytes"].get<double>()};
    });
  if (late > 0.1 * runs)
    flags.push_back(
        fmt::format("collectives: {:.0f}% of the runs were thrown out since a rank was late to their start",
                    100 * late / runs));
  if (none > 0)
    flags.push_back(fmt::format(
        "collectives: of {} sizes no run started in time; they are left out (ranks that share cores?)",
        none));
  return out;
}

}  // namespace ww::measure
