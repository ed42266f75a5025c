#include "base/run_json.hpp"

#include <nlohmann/json.hpp>

namespace ww {
namespace {

const nlohmann::json& member(const nlohmann::json& of, const char* key, const nlohmann::json& otherwise) {
  const auto found = of.is_object() ? of.find(key) : of.end();
  return of.is_object() && found != of.end() && found->type() == otherwise.type() ? *found : otherwise;
}

}  // namespace

double value_of(const nlohmann::json& of, const char* key, double otherwise) {
  const auto found = of.is_object() ? of.find(key) : of.end();
  return of.is_object() && found != of.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string text_of(const nlohmann::json& of, const char* key) {
  static const nlohmann::json none = "";
  return member(of, key, none).get<std::string>();
}

const nlohmann::json& ranks_of(const nlohmann::json& run) {
  static const nlohmann::json none = nlohmann::json::array();
  return member(run, "ranks", none);
}

const nlohmann::json& machine_of(const nlohmann::json& run) {
  static const nlohmann::json none = nlohmann::json::object();
  return member(run, "machine", none);
}

std::string machine_name(const nlohmann::json& run) {
  return text_of(machine_of(run), "name");
}

int usable_cores(const nlohmann::json& run) {
  return static_cast<int>(value_of(machine_of(run), "usable_processors"));
}

bool in_lab(const nlohmann::json& run) {
  return run.is_object() && run.contains("lab");
}

bool in_virtual_time(const nlohmann::json& run) {
  static const nlohmann::json none = nlohmann::json::object();
  return member(run, "environment", none).contains("WW_VIRTUAL");
}

bool is_here(const nlohmann::json& rank, const nlohmann::json& run) {
  return in_lab(run) || text_of(rank, "host") == machine_name(run);
}

}  // namespace ww
