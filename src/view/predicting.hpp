// What a resource needs that predicts: which machine recorded the trace, what is asked, and the program to replay. Presets may be
// named; files may not, as no file's name comes from a request.
#pragma once
#include <optional>
#include <string>

#include "machine/what_if.hpp"
#include "simulate/simulate.hpp"
#include "view/resources/resource.hpp"

namespace ww::view {

// Error: there is no such preset; the nearest is named.
Result<MachineModel> preset_named(const std::string& name, const std::string& where);
// Errors: those of parse_what_if; machine= of no preset. '' says nothing.
Result<WhatIf> what_if_of(const std::string& spec);

struct Replaying {
  std::optional<Conditions> conditions;  // of a predicted run
  MachineModel model;                    // that recorded
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const simulate::Program> program;

  Replayable run() const { return {*program, &*trace, conditions ? &*conditions : nullptr}; }
};
// The model as `machine` of the query names it, else the trace's. Errors: it is not known; the trace cannot be loaded or compiled; it is
// itself a prediction that was made here.
Result<Replaying> replaying_of(const Inquiry& inquiry);
// The first of these alone.
Result<MachineModel> model_of(const Inquiry& inquiry, const std::optional<Conditions>& conditions);

}  // namespace ww::view
