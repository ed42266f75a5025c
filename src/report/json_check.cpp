#include "report/json_check.hpp"

#include <fmt/format.h>

namespace ww::check {
namespace {

Result<void> wrong(const std::string& where, const char* wanted) {
  return fail(fmt::format("the report's data is wrong, {} is expected", wanted), where,
              "see src/report/html.hpp");
}

}  // namespace

Result<void> is_number(const Json& json, const std::string& where) {
  return json.is_number() ? Result<void>() : wrong(where, "a number");
}
Result<void> is_string(const Json& json, const std::string& where) {
  return json.is_string() ? Result<void>() : wrong(where, "a string");
}
Result<void> is_flag(const Json& json, const std::string& where) {
  return json.is_boolean() ? Result<void>() : wrong(where, "true or false");
}
Result<void> is_object(const Json& json, const std::string& where) {
  return json.is_object() ? Result<void>() : wrong(where, "an object");
}

Check list_of(Check check) {
  return [check](const Json& json, const std::string& where) -> Result<void> {
    if (!json.is_array()) return wrong(where, "a list");
    for (std::size_t i = 0; i < json.size(); ++i) WW_CHECK(check(json[i], fmt::format("{}[{}]", where, i)));
    return {};
  };
}

Check map_of(Check check) {
  return [check](const Json& json, const std::string& where) -> Result<void> {
    WW_CHECK(is_object(json, where));
    for (const auto& [name, value] : json.items()) WW_CHECK(check(value, where + "." + name));
    return {};
  };
}

Check or_null(Check check) {
  return [check](const Json& json, const std::string& where) {
    return json.is_null() ? Result<void>() : check(json, where);
  };
}

Check object(std::vector<Key> keys) {
  return [keys](const Json& json, const std::string& where) -> Result<void> {
    WW_CHECK(is_object(json, where));
    for (const Key& key : keys) {
      const std::string path = where.empty() ? key.name : where + "." + key.name;
      const auto found = json.find(key.name);
      if (found == json.end() || found->is_null()) {
        if (key.presence == Presence::required) return wrong(path, "a value");
        continue;
      }
      WW_CHECK(key.check(*found, path));
    }
    return {};
  };
}

}  // namespace ww::check
