#include "base/json_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace ww::check {
namespace {

Result<void> wrong(const std::string& where, const char* wanted) {
  return fail(fmt::format("{} is expected", wanted), where);
}

}  // namespace

Result<void> is_number(const Json& json, const std::string& where) {
  return json.is_number() ? Result<void>() : wrong(where, "a number");
}
Result<void> is_whole(const Json& json, const std::string& where) {
  constexpr double exact = 9007199254740992;  // 2^53
  const double number = json.is_number() ? json.get<double>() : 0.5;
  return number == std::floor(number) && std::fabs(number) <= exact ? Result<void>()
                                                                    : wrong(where, "a whole number");
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

Result<void> is_anything(const Json&, const std::string&) {
  return {};
}

Check list_of(Check check) {
  return [check = std::move(check)](const Json& json, const std::string& where) -> Result<void> {
    if (!json.is_array()) return wrong(where, "a list");
    for (std::size_t i = 0; i < json.size(); ++i) WW_CHECK(check(json[i], fmt::format("{}[{}]", where, i)));
    return {};
  };
}

Check map_of(Check check) {
  return [check = std::move(check)](const Json& json, const std::string& where) -> Result<void> {
    WW_CHECK(is_object(json, where));
    for (const auto& [name, value] : json.items()) WW_CHECK(check(value, where + "." + name));
    return {};
  };
}

Check or_null(Check check) {
  return [check = std::move(check)](const Json& json, const std::string& where) {
    return json.is_null() ? Result<void>() : check(json, where);
  };
}

Check object(std::vector<Key> keys) {
  return [keys = std::move(keys)](const Json& json, const std::string& where) -> Result<void> {
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

Check diagnostics_check() {
  return list_of(object({{"name", is_string, required},
                         {"severity", is_string, required},
                         {"count", is_whole, required},
                         {"remedy", is_string, required}}));
}

void leave_out_nulls(Json& json) {
  for (auto member = json.begin(); json.is_object() && member != json.end();) {
    if (member->is_null())
      member = json.erase(member);
    else
      ++member;
  }
  if (json.is_structured())
    for (Json& value : json) leave_out_nulls(value);
}

std::vector<std::string> leave_out_damaged(Json& object, const std::vector<Key>& keys) {
  std::vector<std::string> damaged;
  for (const Key& key : keys) {
    const auto found = object.find(key.name);
    if (found == object.end()) continue;
    const auto good = key.check(*found, key.name);
    if (good) continue;
    damaged.push_back(good.error().where);
    object.erase(found);
  }
  return damaged;
}

const Json& member_of(const Json& object, const char* key) {
  static const Json none;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : none;
}

std::string text_of(const Json& object, const char* key) {
  const Json& member = member_of(object, key);
  return member.is_string() ? member.get<std::string>() : "";
}

double number_of(const Json& object, const char* key, double otherwise) {
  const Json& member = member_of(object, key);
  return member.is_number() ? member.get<double>() : otherwise;
}

}  // namespace ww::check
