#include "analyze/compare.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace ww {
namespace {

using Class = std::pair<std::size_t, std::size_t>;  // sends to, receives from

std::vector<Class> classes_of(const Breakdown& breakdown) {
  std::vector<Class> classes(breakdown.ranks.size());
  const auto inside = [&](std::int32_t rank) {
    return rank >= 0 && static_cast<std::size_t>(rank) < classes.size();
  };
  for (const PeerTotal& peer : breakdown.peers) {
    if (peer.messages == 0) continue;
    if (inside(peer.source)) ++classes[static_cast<std::size_t>(peer.source)].first;
    if (inside(peer.destination)) ++classes[static_cast<std::size_t>(peer.destination)].second;
  }
  return classes;
}

void add(Parts& parts, const RankBreakdown& rank) {
  ++parts.ranks;
  parts.elapsed_s += rank.elapsed_s;
  parts.compute_s += rank.compute_s;
  parts.library_s += rank.library_s;
  parts.algorithmic_s += rank.blocked_algorithmic_s;
  parts.service_s += rank.blocked_service_s;
  parts.messages_sent += static_cast<double>(rank.messages_sent);
  parts.bytes_sent += static_cast<double>(rank.bytes_sent);
}

void make_means(Parts& parts) {
  if (parts.ranks == 0) return;
  for (double* sum : {&parts.elapsed_s, &parts.compute_s, &parts.library_s, &parts.algorithmic_s,
                      &parts.service_s, &parts.messages_sent, &parts.bytes_sent})
    *sum /= static_cast<double>(parts.ranks);
}

struct Sides {
  Parts all;
  std::map<Class, Parts> classes;
};

Sides sides_of(const Breakdown& breakdown) {
  Sides sides;
  const std::vector<Class> classes = classes_of(breakdown);
  for (std::size_t r = 0; r < breakdown.ranks.size(); ++r) {
    add(sides.all, breakdown.ranks[r]);
    add(sides.classes[classes[r]], breakdown.ranks[r]);
  }
  make_means(sides.all);
  for (auto& [which, parts] : sides.classes) make_means(parts);
  return sides;
}

nlohmann::json to_json(const Parts& parts) {
  return {{"ranks", parts.ranks},
          {"elapsed_s", parts.elapsed_s},
          {"compute_s", parts.compute_s},
          {"library_s", parts.library_s},
          {"blocked_algorithmic_s", parts.algorithmic_s},
          {"blocked_service_s", parts.service_s},
          {"messages_sent", parts.messages_sent},
          {"bytes_sent", parts.bytes_sent}};
}

}  // namespace

Result<Breakdown> breakdown_from_json(const nlohmann::json& report) {
  Breakdown out;
  try {
    out.elapsed_s = report.at("elapsed_s");
    for (const auto& json : report.at("ranks")) {
      RankBreakdown rank;
      rank.rank = json.at("rank");
      rank.host = json.value("host", "");
      rank.elapsed_s = json.at("elapsed_s");
      rank.compute_s = json.at("compute_s");
      rank.library_s = json.at("library_s");
      rank.blocked_s = json.at("blocked_s");
      rank.blocked_algorithmic_s = json.at("blocked_algorithmic_s");
      rank.blocked_service_s = json.at("blocked_service_s");
      rank.blocked_by_network_s = json.value("blocked_by_network_s", 0.0);
      rank.blocked_by_algorithm_s = json.value("blocked_by_algorithm_s", 0.0);
      rank.messages_sent = json.at("messages_sent");
      rank.bytes_sent = json.at("bytes_sent");
      rank.messages_received = json.at("messages_received");
      rank.bytes_received = json.at("bytes_received");
      rank.collective_bytes_sent = json.value("collective_bytes_sent", std::uint64_t{0});
      rank.collective_bytes_received = json.value("collective_bytes_received", std::uint64_t{0});
      out.ranks.push_back(std::move(rank));
    }
    for (const auto& [name, json] : report.at("calls").items())
      out.calls[name] = {json.at("count"), json.at("time_s"), json.value("blocked_s", 0.0),
                         json.value("program_s", json.at("time_s").get<double>())};
    if (report.contains("peers"))
      for (const auto& json : report["peers"])
        out.peers.push_back({json.at("source"), json.at("destination"), json.at("messages"), json.at("bytes"),
                             json.value("collective_bytes", std::uint64_t{0})});
    if (report.contains("diagnostics")) report["diagnostics"].get_to(out.diagnostics);
  } catch (const nlohmann::json::exception& error) {
    return fail("not a report", error.what(), "make the study again");
  }
  return out;
}

Comparison compare(const Breakdown& a, const Breakdown& b) {
  Comparison out;
  out.a_s = a.elapsed_s;
  out.b_s = b.elapsed_s;
  const Sides side_a = sides_of(a), side_b = sides_of(b);
  out.a = side_a.all;
  out.b = side_b.all;
  if (b.elapsed_s > 0) out.speed_up = a.elapsed_s / b.elapsed_s;
  if (out.speed_up && out.a.ranks > 0 && out.b.ranks > 0 && out.a.ranks != out.b.ranks)
    out.efficiency = *out.speed_up * static_cast<double>(out.a.ranks) / static_cast<double>(out.b.ranks);
  std::set<Class> classes;
  for (const Sides* side : {&side_a, &side_b})
    for (const auto& [which, parts] : side->classes) classes.insert(which);
  const auto parts_of = [](const Sides& side, const Class& which) {
    const auto found = side.classes.find(which);
    return found == side.classes.end() ? std::nullopt : std::optional<Parts>(found->second);
  };
  for (const Class& which : classes)
    out.classes.push_back({which.first, which.second, parts_of(side_a, which), parts_of(side_b, which)});
  std::set<std::string> names;
  for (const Breakdown* side : {&a, &b})
    for (const auto& [name, total] : side->calls) names.insert(name);
  const auto total_of = [](const Breakdown& side, const std::string& name) {
    const auto found = side.calls.find(name);
    return found == side.calls.end() ? CallTotal{} : found->second;
  };
  const auto each = [](double sum_s, const Parts& parts) {
    return parts.ranks > 0 ? sum_s / static_cast<double>(parts.ranks) : 0.0;
  };
  for (const std::string& name : names) {
    CallChange call{name, total_of(a, name), total_of(b, name), 0, 0};
    call.a_each_rank_s = each(call.a.time_s, out.a);
    call.b_each_rank_s = each(call.b.time_s, out.b);
    out.calls.push_back(std::move(call));
  }
  std::stable_sort(out.calls.begin(), out.calls.end(), [](const CallChange& x, const CallChange& y) {
    return std::fabs(x.b_each_rank_s - x.a_each_rank_s) > std::fabs(y.b_each_rank_s - y.a_each_rank_s);
  });
  return out;
}

nlohmann::json to_json(const Comparison& c) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  const auto parts = [](const std::optional<Parts>& of) { return of ? to_json(*of) : nlohmann::json(); };
  nlohmann::json classes = nlohmann::json::array(), calls = nlohmann::json::object();
  for (const ClassChange& one : c.classes)
    classes.push_back({{"sends_to", one.sends_to},
                       {"receives_from", one.receives_from},
                       {"a", parts(one.a)},
                       {"b", parts(one.b)}});
  const auto call = [](const CallTotal& total, double each_rank_s) -> nlohmann::json {
    return {{"count", total.count},
            {"time_s", total.time_s},
            {"blocked_s", total.blocked_s},
            {"each_rank_s", each_rank_s}};
  };
  for (const CallChange& one : c.calls)
    calls[one.name] = {{"a", call(one.a, one.a_each_rank_s)}, {"b", call(one.b, one.b_each_rank_s)}};
  return {{"a_s", c.a_s},
          {"b_s", c.b_s},
          {"speed_up", number(c.speed_up)},
          {"efficiency", number(c.efficiency)},
          {"a", to_json(c.a)},
          {"b", to_json(c.b)},
          {"classes", std::move(classes)},
          {"calls", std::move(calls)}};
}

std::vector<WhatIfChange> common_what_ifs(const nlohmann::json& a, const nlohmann::json& b) {
  std::vector<WhatIfChange> out;
  const auto predicted = [](const nlohmann::json& what_if) {
    const auto simulated = what_if.find("simulated");
    return simulated != what_if.end() && simulated->is_object() ? simulated->value("s", nlohmann::json())
                                                                : nlohmann::json();
  };
  const auto spec_of = [](const nlohmann::json& what_if) {
    return what_if.is_object() ? what_if.value("spec", nlohmann::json()) : nlohmann::json();
  };
  for (const auto& of_a : a)
    for (const auto& of_b : b) {
      const nlohmann::json spec = spec_of(of_a);
      if (!spec.is_string() || spec != spec_of(of_b)) continue;
      const nlohmann::json a_s = predicted(of_a), b_s = predicted(of_b);
      if (a_s.is_number() && b_s.is_number() && b_s.get<double>() > 0) out.push_back({spec, a_s, b_s});
    }
  return out;
}

nlohmann::json to_json(const std::vector<WhatIfChange>& what_ifs) {
  nlohmann::json json = nlohmann::json::array();
  for (const WhatIfChange& one : what_ifs)
    json.push_back({{"spec", one.spec}, {"a_s", one.a_s}, {"b_s", one.b_s}, {"speed_up", one.speed_up()}});
  return json;
}

}  // namespace ww
