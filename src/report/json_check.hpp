// Checks of JSON by composition: each says of a value whether it is what a page can be made of, and of which
// key it is not.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::check {

using Json = nlohmann::json;
using Check = std::function<Result<void>(const Json&, const std::string& where)>;

Result<void> is_number(const Json& json, const std::string& where);
Result<void> is_string(const Json& json, const std::string& where);
Result<void> is_flag(const Json& json, const std::string& where);
Result<void> is_object(const Json& json, const std::string& where);
Check list_of(Check check);
Check map_of(Check check);  // an object whose values are all of a kind
Check or_null(Check check);

enum class Presence { required, optional };
constexpr Presence required = Presence::required;
struct Key {
  const char* name;
  Check check;
  Presence presence = Presence::optional;
};
// An object with these keys, and any others. A key that is null is absent.
Check object(std::vector<Key> keys);

Check machine_check();  // a machine model, as `machine show --json` prints it

}  // namespace ww::check
