#include "view/machine_of.hpp"

#include "simulate/predicted_run.hpp"

namespace ww::view {
namespace fs = std::filesystem;

std::shared_ptr<const MachineModel> machine_of(const fs::path& trace) {
  if (auto conditions = simulate::conditions_of(trace); conditions && *conditions)
    return std::make_shared<const MachineModel>(std::move((*conditions)->model));
  std::error_code ignored;
  const fs::path dir = fs::is_directory(trace, ignored) ? trace : trace.parent_path();
  for (const fs::path& study : {dir, fs::absolute(dir, ignored).lexically_normal().parent_path()}) {
    if (!fs::is_regular_file(study / "study.json", ignored)) continue;
    if (auto model = load_model(study / "machine.json"))
      return std::make_shared<const MachineModel>(*std::move(model));
  }
  return nullptr;
}

}  // namespace ww::view
