#include "render/scenarios_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"
#include "render/prediction.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

Stations recorded_stations(const Breakdown& breakdown) {
  Stations out;
  const double each = breakdown.ranks.empty() ? 0 : 1 / static_cast<double>(breakdown.ranks.size());
  for (const RankBreakdown& rank : breakdown.ranks) {
    out.blocked_s += rank.blocked_s * each;
    out.service_s += rank.blocked_service_s * each;
    out.algorithmic_s += rank.blocked_algorithmic_s * each;
    out.library_s += rank.library_s * each;
  }
  return out;
}

std::vector<std::string> row(std::string name, double elapsed_s, const Stations& of) {
  return {std::move(name),         show_time(elapsed_s),        show_time(of.blocked_s),
          show_time(of.service_s), show_time(of.algorithmic_s), fmt::format("{:.1f}%", of.service_percent()),
          show_time(of.network_s), show_time(of.library_s)};
}

std::string summary(const Trace& trace, const Breakdown& recorded, const std::vector<Scenario>& scenarios,
                    const std::vector<Prediction>& predictions) {
  Table table({"scenario", "execution", "blocked", "service", "algor.", "serv. %", "network", "library",
               "msgs", "bytes"},
              1);
  std::vector<std::string> as_recorded = row("recorded", trace.elapsed_s(), recorded_stations(recorded));
  as_recorded[6] = "";  // a trace does not tell when a message was on the wire
  as_recorded.insert(as_recorded.end(), {"", ""});
  table.add(std::move(as_recorded));
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Stations all = together(predictions[i].simulated.ranks);
    std::vector<std::string> line = row(scenarios[i].name, predictions[i].predicted_s, all);
    line.push_back(std::to_string(all.messages));
    line.push_back(show_bytes(static_cast<double>(all.bytes)));
    table.add(std::move(line));
  }
  return table.text();
}

std::string stations(const Trace& trace, const Prediction& p) {
  Table table({"station", "host", "execution", "blocked", "service", "algor.", "network", "queued", "library",
               "msgs", "bytes"},
              2);
  const auto add = [&](std::string name, std::string host, double elapsed_s, const Stations& of) {
    table.add({std::move(name), std::move(host), show_time(elapsed_s), show_time(of.blocked_s),
               show_time(of.service_s), show_time(of.algorithmic_s), show_time(of.network_s),
               show_time(of.queued_s), show_time(of.library_s), std::to_string(of.messages),
               show_bytes(static_cast<double>(of.bytes))});
  };
  Stations all = together(p.simulated.ranks);
  const std::uint64_t ranks = std::max<std::size_t>(1, p.simulated.ranks.size());
  all.messages = (all.messages + ranks / 2) / ranks;
  all.bytes = (all.bytes + ranks / 2) / ranks;
  add(fmt::format("mean of {}", ranks), "", all.elapsed_s, all);
  return limited(table, p.simulated.ranks, "stations", [&](const SimulatedRank& rank) {
    add(std::to_string(rank.rank), shortened(trace.ranks[static_cast<std::size_t>(rank.rank)].host, 10),
        rank.elapsed_s, together({rank}));
  });
}

}  // namespace

std::string scenario_tables(const Trace& trace, const Breakdown& recorded,
                            const std::vector<Scenario>& scenarios,
                            const std::vector<Prediction>& predictions) {
  std::string text = summary(trace, recorded, scenarios, predictions);
  text +=
      "execution is the whole run's; times are means of the stations, messages and bytes their sums,\n"
      "those inside collectives included. blocked: algorithmic, until the partner began, and service.\n"
      "network: what a station's messages were under way, together\n";
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Prediction& p = predictions[i];
    text +=
        fmt::format("\n{}{}: {}, 95%: {} to {}\n", scenarios[i].name,
                    p.what_if.empty() || p.what_if == scenarios[i].name ? "" : " (" + p.what_if + ")",
                    show_time(p.predicted_s), show_time(p.predicted_low_s), show_time(p.predicted_high_s));
    const Gain gain = gain_of(p);
    text += fmt::format("speed-up {}{}\n", show(gain),
                        gain.withheld.empty() ? ", gain against the replayed time" : "");
    text += stations(trace, p);
  }
  return text;
}

std::string scenario_csv(const Trace& trace, const std::vector<Scenario>& scenarios,
                         const std::vector<Prediction>& predictions) {
  std::string text =
      "scenario,what_if,station,host,execution_s,blocked_s,service_s,algorithmic_s,network_s,queued_s,"
      "library_s,"
      "messages,bytes";
  text += std::string(gain_columns) + "\n";
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Prediction& p = predictions[i];
    const auto line = [&](const std::string& station, const std::string& host, const Stations& of,
                          double messages, double bytes) {
      text += fmt::format("{},{},{},{}", csv_field(scenarios[i].name), csv_field(p.what_if), station,
                          csv_field(host));
      for (const double value : {of.elapsed_s, of.blocked_s, of.service_s, of.algorithmic_s, of.network_s,
                                 of.queued_s, of.library_s})
        text += "," + csv_number(value);
      text += fmt::format(",{:.15g},{:.15g}{}\n", messages, bytes, in_csv(gain_of(p)));
    };
    for (const SimulatedRank& rank : p.simulated.ranks)
      line(std::to_string(rank.rank), trace.ranks[static_cast<std::size_t>(rank.rank)].host, together({rank}),
           static_cast<double>(rank.messages_sent), static_cast<double>(rank.bytes_sent));
    const Stations all = together(p.simulated.ranks);
    const double ranks = static_cast<double>(std::max<std::size_t>(1, p.simulated.ranks.size()));
    line("mean", "", all, static_cast<double>(all.messages) / ranks, static_cast<double>(all.bytes) / ranks);
  }
  return text;
}

}  // namespace ww
