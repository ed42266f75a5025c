#include "view/predicting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_object.hpp"
#include "base/text.hpp"
#include "machine/presets.hpp"
#include "simulate/predicted_run.hpp"

namespace ww::view {

Result<MachineModel> preset_named(const std::string& name, const std::string& where) {
  if (auto model = find_preset(name)) return *std::move(model);
  std::vector<std::string> names;
  for (const Preset* preset : presets()) names.emplace_back(preset->name);
  const auto near = nearest_word(name, names);
  return wrong_usage("there is no such preset", where,
                     near ? fmt::format("do you mean {}?", *near)
                          : fmt::format("give one of {}; files are given to whatwire view by --machine",
                                        fmt::join(names, ", ")));
}

// In a SPEC machine= may name a file, which no request may.
Result<WhatIf> what_if_of(const std::string& spec) {
  constexpr std::string_view part = "machine=";
  for (std::size_t from = 0; from <= spec.size();) {
    const std::size_t to = std::min(spec.find(',', from), spec.size());
    std::string word = spec.substr(from, to - from);
    std::erase(word, ' ');
    if (word.starts_with(part)) WW_CHECK(preset_named(word.substr(part.size()), word));
    from = to + 1;
  }
  if (spec.empty()) return WhatIf();
  auto what_if = parse_what_if(spec);
  if (!what_if) what_if.error().usage = true;
  return what_if;
}

Result<MachineModel> model_of(const Inquiry& inquiry, const std::optional<Conditions>& conditions) {
  if (inquiry.query.has("machine")) return preset_named(inquiry.query.text("machine"), "machine");
  if (inquiry.trace->machine() != nullptr) return *inquiry.trace->machine();
  if (conditions) return conditions->model;
  return fail(
      "the model of the machine that recorded it is not known", inquiry.trace->origin().name,
      "start whatwire view with --machine M.json (whatwire measure -o M.json -- mpirun -n 2), or choose a "
      "preset");
}

Result<Replaying> replaying_of(const Inquiry& inquiry) {
  const TraceOrigin origin = inquiry.trace->origin();
  if (origin.of >= 0)
    return fail("it is a prediction itself", origin.name, fmt::format("ask of trace {}", origin.of));
  Replaying out;
  WW_TRY(out.conditions, simulate::conditions_of(origin.source));
  WW_TRY(out.model, model_of(inquiry, out.conditions));
  WW_TRY(out.trace, inquiry.trace->trace());
  WW_TRY(out.program, inquiry.trace->program());
  return out;
}

}  // namespace ww::view
