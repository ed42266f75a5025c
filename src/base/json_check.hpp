// Checks of JSON by composition: each says of a value whether it is what its reader takes, and of which key
// it is not. What every reader of a JSON file asks before it takes the values out, so that a damaged file is
// an error with its key and never an exception of the JSON library.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"

namespace ww::check {

using Json = nlohmann::json;
using Check = std::function<Result<void>(const Json&, const std::string& where)>;

Result<void> is_number(const Json& json, const std::string& where);
Result<void> is_whole(const Json& json, const std::string& where);  // up to 2^53 in size
Result<void> is_string(const Json& json, const std::string& where);
Result<void> is_flag(const Json& json, const std::string& where);
Result<void> is_object(const Json& json, const std::string& where);
Result<void> is_anything(const Json& json, const std::string& where);
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

Check diagnostics_check();  // as Diagnostics are written

// Leaves out members that are null, at any depth: to readers they are absent.
void leave_out_nulls(Json& json);
// Leaves out the members of an object that their checks refuse; the keys of those, as "ranks[0].rank".
std::vector<std::string> leave_out_damaged(Json& object, const std::vector<Key>& keys);

const Json& member_of(const Json& object, const char* key);  // null: there is none
// "" if it is no text; 'otherwise' if it is no finite number.
std::string text_of(const Json& object, const char* key);
double number_of(const Json& object, const char* key, double otherwise = 0);

}  // namespace ww::check
