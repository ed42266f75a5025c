// Strict reading of a JSON object: every problem is reported with the path of its key, an unknown key with
// the nearest known one. The first problem is kept; after it every read returns a default, so that a reader
// is a plain list of keys.
#pragma once
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace ww {

// Edit distance of Levenshtein; the nearest of `known`, or nothing where none is near.
std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& known);

class JsonProblem {
 public:
  explicit JsonProblem(std::string subject) : subject_(std::move(subject)) {}
  void report(const std::string& path, const std::string& what, const std::string& remedy);
  bool any() const { return error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::string subject_;  // "the machine model"
  std::optional<Error> error_;
};

class JsonObject {
 public:
  // `path` of the object itself, "" at the top. Reports if it is no object or has a key that is not in
  // `known`.
  JsonObject(const nlohmann::json& json, std::string path, JsonProblem& problem,
             std::initializer_list<const char*> known);

  static constexpr double no_limit = -std::numeric_limits<double>::infinity();
  // A finite number of at least `lowest`; reports if it is missing and there is no default.
  double number(const char* key, double lowest = no_limit, std::optional<double> otherwise = {});
  std::string text(const char* key, const std::optional<std::string>& otherwise = {});
  bool flag(const char* key, bool otherwise);
  // The member, or null (with a report if it is required).
  const nlohmann::json* array(const char* key, bool required = false);
  const nlohmann::json* object(const char* key, bool required = false);
  bool has(const char* key) const;  // there and not null
  std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  void report(const char* key, const std::string& what, const std::string& remedy = {});

 private:
  const nlohmann::json* member(const char* key) const;
  const nlohmann::json* typed(const char* key, bool required, nlohmann::json::value_t type,
                              const char* type_name);

  const nlohmann::json* json_ = nullptr;  // null after a report about the object itself
  std::string path_;
  JsonProblem& problem_;
};

}  // namespace ww
