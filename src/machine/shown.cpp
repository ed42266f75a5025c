// What a model keeps for those who show it, and what is asked of that.
#include <nlohmann/json.hpp>

#include "base/json_check.hpp"
#include "base/text.hpp"
#include "machine/model.hpp"

namespace ww {

void keep_shown(MachineModel& model, const nlohmann::json& given) {
  using check::member_of, check::number_of, check::text_of;
  using nlohmann::json;
  json shown = json::parse(nothing_shown);
  shown.update(given);
  model.shown = json_text(shown);
  model.six_lines.clear();
  for (const auto& [term, line] : shown["six_lines"].items())
    model.six_lines[term] = {number_of(line, "base_s"), number_of(line, "seconds_per_byte"),
                             number_of(line, "max_error_s")};
  model.streams.clear();
  for (const json& one : member_of(shown["observations"], "interference")) {
    Stream stream{static_cast<int>(number_of(one, "neighbours")),
                  number_of(one, "bytes"),
                  number_of(one, "message_s"),
                  number_of(one, "slowdown"),
                  {}};
    if (one.contains("predicted_slowdown")) stream.predicted_slowdown = number_of(one, "predicted_slowdown");
    model.streams.push_back(stream);
  }
  model.printed.clear();
  for (const json& one : member_of(shown["observations"], "printed"))
    model.printed.push_back(alpha_beta_from_json(one));
  model.closed_loop.clear();
  for (const json& one : shown["closed_loop"])
    model.closed_loop.push_back({text_of(one, "experiment"),
                                 one.value("between", "inter") == "inter" ? Place::inter : Place::intra,
                                 number_of(one, "bytes"), number_of(one, "relative")});
  const json &lab = member_of(shown["environment"], "lab"), &late_us = member_of(lab, "late_us");
  model.lab = {text_of(lab, "kind") == "bus", number_of(lab, "rate_bytes_per_s"),
               number_of(late_us, "median", -1), number_of(late_us, "p99", -1)};
}

}  // namespace ww
