// What a model keeps for those who show it, and what is asked of that.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_check.hpp"
#include "base/text.hpp"
#include "machine/model.hpp"

namespace ww {
namespace {

SixLines six_lines_of(const nlohmann::json& lines) {
  using check::member_of, check::number_of;
  SixLines out;
  for (const auto& [term, line] : lines.items()) {
    TermLine& kept = out[term] = {
        number_of(line, "base_s"), number_of(line, "seconds_per_byte"), number_of(line, "max_error_s"), {}};
    for (const nlohmann::json& point : member_of(line, "points"))
      kept.points.push_back({number_of(point, "bytes"), number_of(point, "median_s"),
                             static_cast<int>(std::clamp(number_of(point, "trials"), 0.0, 1e6)),
                             number_of(point, "mean_s"), number_of(point, "deviation_s")});
  }
  return out;
}

Place place_of(const nlohmann::json& row) {
  return row.value("between", "inter") == "inter" ? Place::inter : Place::intra;
}

// A lab with jitter or loss hands over single frames, whatever it was asked for (lab/switch/build.cpp).
double frames_at_once(const nlohmann::json& lab) {
  using check::number_of;
  const bool single = number_of(lab, "jitter_s") > 0 || number_of(lab, "loss") > 0;
  return single ? 1 : std::max(1.0, number_of(lab, "at_once", 1));
}

}  // namespace

void keep_shown(MachineModel& model, const nlohmann::json& given) {
  using check::member_of, check::number_of, check::text_of;
  using nlohmann::json;
  json shown = json::parse(nothing_shown);
  shown.update(given);
  model.shown = json_text(shown);
  model.six_lines = six_lines_of(member_of(shown, "six_lines"));
  model.six_lines_floating = six_lines_of(member_of(shown, "six_lines_floating"));
  model.six_lines_idle = six_lines_of(member_of(shown, "six_lines_idle"));
  model.streams.clear();
  for (const json& one : member_of(shown["observations"], "interference")) {
    Stream stream{static_cast<int>(number_of(one, "neighbours")),
                  number_of(one, "bytes"),
                  number_of(one, "message_s"),
                  number_of(one, "slowdown"),
                  {},
                  {}};
    if (one.contains("predicted_slowdown")) stream.predicted_slowdown = number_of(one, "predicted_slowdown");
    if (one.contains("final_message_s")) stream.final_message_s = number_of(one, "final_message_s");
    model.streams.push_back(stream);
  }
  model.passing.clear();
  for (const json& one : member_of(shown["observations"], "forwarding")) {
    Passing passing{place_of(one),
                    text_of(one, "computation"),
                    text_of(one, "route") == "direct",
                    number_of(one, "bytes"),
                    number_of(one, "loss_s"),
                    {},
                    {},
                    number_of(one, "echo_s"),
                    number_of(one, "idle_echo_s")};
    if (one.contains("daemon_s")) passing.daemon_s = number_of(one, "daemon_s");
    if (one.contains("task_s")) passing.task_s = number_of(one, "task_s");
    model.passing.push_back(passing);
  }
  model.printed.clear();
  for (const json& one : member_of(shown["observations"], "printed"))
    model.printed.push_back(alpha_beta_from_json(one));
  model.closed_loop.clear();
  for (const json& one : shown["closed_loop"])
    model.closed_loop.push_back(
        {text_of(one, "experiment"), place_of(one), number_of(one, "bytes"), number_of(one, "relative")});
  const json &lab = member_of(shown["environment"], "lab"), &late_us = member_of(lab, "late_us");
  model.lab = {text_of(lab, "kind") == "bus", number_of(lab, "rate_bytes_per_s"),
               number_of(lab, "delay_s"),     number_of(late_us, "median", -1),
               number_of(late_us, "p99", -1), text_of(lab, "tcp") == "default",
               frames_at_once(lab),           text_of(lab, "cores") == "awake"};
}

}  // namespace ww
