// What a moved slider costs, from the question to the bytes of the new picture.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.hpp"

// Places of the slider `bandwidth` one after the other, each with the questions that the page asks: a quick prediction, the
// description of its trace, and the tile of all of it. MACHINE: a preset, or a model's file. WITH: what stands beside it in the
// what-if, as network=ideal. {"events" (two a call), "first","predict","trace","tile","all"}: milliseconds of processor time per
// million events, the median over the places (`first`: of the first, which finds what the others share). Errors: those of the answers.
ww::Result<nlohmann::json> slide(const std::string& trace, const std::string& machine,
                                 const std::string& with);
