#include "machine/flags.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ww {

void say_flags(const std::vector<const MachineModel*>& models, std::vector<std::string>& assumptions,
               Diagnostics& diagnostics) {
  std::uint64_t said = 0;
  for (const MachineModel* model : models)
    for (const std::string& flag : model->flags) {
      std::string text = fmt::format("the model '{}' says of itself: {}", model->name, flag);
      if (std::find(assumptions.begin(), assumptions.end(), text) != assumptions.end()) continue;
      assumptions.push_back(std::move(text));
      ++said;
    }
  if (said > 0) diagnostics.add("model-flagged", said);
}

}  // namespace ww
