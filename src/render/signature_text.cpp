#include "render/signature_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/table.hpp"
#include "render/verdict_text.hpp"

namespace ww {
namespace {

void add_row(Table& table, std::string name, double elapsed_s, const Components& c) {
  const double whole = c.elapsed_s();
  std::vector<std::string> row{std::move(name), show_time(elapsed_s)};
  for (const double part : {c.user_s, c.communication_s, c.receive_wait_s, c.send_s}) {
    row.push_back(percent(part, whole));
    row.push_back(show_time(part));
  }
  row.push_back(percent(c.algorithmic_s, whole));
  table.add(std::move(row));
}

}  // namespace

std::string signature_table(const Signature& signature, bool every_rank) {
  Table table(
      {"D", "elapsed/D", "user", "", "comm. intr.", "", "receive wait", "", "async. send", "", "algorithmic"},
      0);
  for (const Signature::Row& row : signature.rows) {
    add_row(table, fmt::format("{:g}", row.factor), row.normalised_s, row.mean);
    if (every_rank)
      for (const RankComponents& rank : row.ranks)
        add_row(table, fmt::format("rank {}", rank.rank), rank.elapsed_s, rank.components);
  }
  return table.text() +
         "percent of the ranks' time and seconds divided by D, mean of the ranks (S3, Table 1);\n"
         "algorithmic: what of the receive wait was for partners that had not begun\n";
}

std::string why_withheld(const Signature& signature) {
  return signature.withheld.empty() ? why_none(signature.verdict) : signature.withheld;
}

std::string conclusions(const Signature& signature) {
  std::string text;
  bool few = false;
  for (const SpeedUp& s : signature.speedup) {
    if (s.factor <= 1) continue;
    if (!signature.withheld.empty()) {
      text += fmt::format("speed-up at D = {:g}: withheld\n", s.factor);
      continue;
    }
    text += fmt::format("speed-up at D = {:g}: {:.2f}", s.factor, s.value);
    if (s.interval != IntervalOf::one_round) text += fmt::format(" [{:.2f}, {:.2f}]", s.low, s.high);
    text += "\n";
    few = few || s.interval == IntervalOf::student;
  }
  if (few)
    text += "(95% by Student's distribution over few rounds; six rounds or more take order statistics)\n";
  if (signature.flattens && signature.withheld.empty())
    text += fmt::format("the curve flattens at D = {:g}: {}\n", signature.flattens->factor,
                        because(*signature.flattens));
  if (!signature.verdict.verdict.empty())
    text += fmt::format("{}: {}\n", signature.verdict.verdict, because(signature.verdict));
  else if (const std::string why = why_withheld(signature); !why.empty())
    text += fmt::format("no verdict: {}\n{}\n", why, because(signature.verdict));
  return text;
}

nlohmann::json to_json(const Signature& signature) {
  nlohmann::json json = {{"signature", nullptr},
                         {"shares", nlohmann::json::array()},
                         {"speedup", to_json(signature.speedup)},
                         {"flattens", nullptr},
                         {"verdict", nullptr},
                         {"because", because(signature.verdict)},
                         {"verdict_withheld", nullptr}};
  for (const Signature::Row& row : signature.rows) {
    nlohmann::json shares = shares_json(row.mean);
    if (row.factor == 1) json["signature"] = shares;
    shares["D"] = row.factor;
    shares["normalised_s"] = row.normalised_s;
    shares["components"] = to_json(row.mean);
    json["shares"].push_back(std::move(shares));
  }
  if (signature.flattens)
    json["flattens"] = {{"D", signature.flattens->factor}, {"because", because(*signature.flattens)}};
  if (!signature.verdict.verdict.empty()) json["verdict"] = signature.verdict.verdict;
  if (const std::string why = why_withheld(signature); !why.empty()) json["verdict_withheld"] = why;
  return json;
}

}  // namespace ww
