#include "base/json_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ww {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// Keys of damaged files can be long or hold bytes that are no text.
std::string shown_key(const std::string& key) {
  std::string out;
  for (const char c : key.substr(0, 60)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& known) {
  word = word.substr(0, 100);
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : known)
    if (const std::size_t distance = edit_distance(word, candidate); distance < least) {
      least = distance;
      best = candidate;
    }
  return best;
}

void JsonProblem::report(const std::string& path, const std::string& what, const std::string& remedy) {
  if (error_) return;
  error_ = Error{fmt::format("{} in {}", what, subject_), path.empty() ? "the whole" : "key " + path, remedy,
                 false};
}

JsonObject::JsonObject(const nlohmann::json& json, std::string path, JsonProblem& problem,
                       std::initializer_list<const char*> known)
    : path_(std::move(path)), problem_(problem) {
  if (problem_.any()) return;
  if (!json.is_object()) {
    problem_.report(path_, fmt::format("{} where an object is needed", json.type_name()), "");
    return;
  }
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, value] : json.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const auto nearest = nearest_word(key, names);
    problem_.report(path_of(shown_key(key)), "unknown key",
                    nearest ? fmt::format("did you mean '{}'?", *nearest)
                            : fmt::format("known here: {}", fmt::join(names, ", ")));
    return;
  }
  json_ = &json;
}

const nlohmann::json* JsonObject::member(const char* key) const {
  if (json_ == nullptr || problem_.any()) return nullptr;
  const auto found = json_->find(key);
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

bool JsonObject::has(const char* key) const {
  return member(key) != nullptr;
}

void JsonObject::report(const char* key, const std::string& what, const std::string& remedy) {
  problem_.report(path_of(key), what, remedy);
}

double JsonObject::number(const char* key, double lowest, std::optional<double> otherwise) {
  const double fallback = otherwise.value_or(std::max(lowest, 0.0));
  if (json_ == nullptr || problem_.any()) return fallback;
  const nlohmann::json* value = member(key);
  if (value == nullptr) {
    if (!otherwise) report(key, "missing key", "it must be a number");
    return fallback;
  }
  if (!value->is_number()) {
    report(key, fmt::format("{} where a number is needed", value->type_name()));
    return fallback;
  }
  const double number = value->get<double>();
  if (!std::isfinite(number)) {
    report(key, "a number that is not finite");
    return fallback;
  }
  if (number < lowest) {
    report(key, fmt::format("{:g} is too small", number), fmt::format("it must be at least {:g}", lowest));
    return fallback;
  }
  return number;
}

std::string JsonObject::text(const char* key, const std::optional<std::string>& otherwise) {
  if (json_ == nullptr || problem_.any()) return otherwise.value_or("");
  const nlohmann::json* value = member(key);
  if (value == nullptr) {
    if (!otherwise) report(key, "missing key", "it must be a text");
    return otherwise.value_or("");
  }
  if (!value->is_string()) {
    report(key, fmt::format("{} where a text is needed", value->type_name()));
    return otherwise.value_or("");
  }
  return value->get<std::string>();
}

bool JsonObject::flag(const char* key, bool otherwise) {
  if (json_ == nullptr || problem_.any()) return otherwise;
  const nlohmann::json* value = member(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) {
    report(key, fmt::format("{} where true or false is needed", value->type_name()));
    return otherwise;
  }
  return value->get<bool>();
}

const nlohmann::json* JsonObject::typed(const char* key, bool required, nlohmann::json::value_t type,
                                        const char* type_name) {
  const nlohmann::json* value = member(key);
  if (value == nullptr) {
    if (required && json_ != nullptr) report(key, "missing key", fmt::format("it must be an {}", type_name));
    return nullptr;
  }
  if (value->type() != type) {
    report(key, fmt::format("{} where an {} is needed", value->type_name(), type_name));
    return nullptr;
  }
  return value;
}

const nlohmann::json* JsonObject::array(const char* key, bool required) {
  return typed(key, required, nlohmann::json::value_t::array, "array");
}

const nlohmann::json* JsonObject::object(const char* key, bool required) {
  return typed(key, required, nlohmann::json::value_t::object, "object");
}

}  // namespace ww
