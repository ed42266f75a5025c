// simulate --also: other recordings of the same program, which show how its computation depends on waiting.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "simulate/cooling.hpp"
#include "trace/trace.hpp"

namespace ww::cli {

// Nothing if `also` is empty. Errors: a trace that cannot be loaded; not the same calls; no real computation.
Result<std::shared_ptr<const simulate::Cooling>> compare_recordings(const Trace& recorded,
                                                                    const std::vector<std::string>& also);

}  // namespace ww::cli
