#include "dilate/run_json.hpp"

namespace ww {

double value_of(const nlohmann::json& of, const char* key, double otherwise) {
  const auto found = of.is_object() ? of.find(key) : of.end();
  return of.is_object() && found != of.end() && found->is_number() ? found->get<double>() : otherwise;
}

const nlohmann::json& ranks_of(const nlohmann::json& run) {
  static const nlohmann::json none = nlohmann::json::array();
  const auto found = run.is_object() ? run.find("ranks") : run.end();
  return run.is_object() && found != run.end() && found->is_array() ? *found : none;
}

std::string machine_name(const nlohmann::json& run) {
  return run.is_object() && run.contains("machine") ? run["machine"].value("name", "") : "";
}

int usable_cores(const nlohmann::json& run) {
  return run.is_object() && run.contains("machine")
             ? static_cast<int>(value_of(run["machine"], "usable_processors"))
             : 0;
}

bool in_lab(const nlohmann::json& run) {
  return run.is_object() && run.contains("lab");
}

bool is_here(const nlohmann::json& rank, const nlohmann::json& run) {
  return in_lab(run) || rank.value("host", "") == machine_name(run);
}

}  // namespace ww
