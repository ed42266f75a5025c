// The query of a request, read strictly: what is not understood is an error and never a default.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyze/selection.hpp"
#include "base/result.hpp"

namespace ww::view {

// The parameters that Query::selection reads; "SEL" among those of a resource stands for them.
inline constexpr const char* selection_parameters = "from_ns to_ns ranks calls peers threads";

// All errors are wrong usage, with the parameter as `where`.
class Query {
 public:
  // "a=1&b=x%20y". A parameter without a value counts as not given. Errors: more than 64 parameters, one twice, a
  // % without two hexadecimal digits, text that is no UTF-8 or has control characters but tab and line end.
  static Result<Query> parse(std::string_view text);

  // Error: it has another parameter than these (words between blanks; SEL: see above); the nearest is named.
  Result<void> only(std::string_view parameters) const;

  bool has(const std::string& name) const { return values_.contains(name); }
  std::string text(const std::string& name, const std::string& otherwise = {}) const;
  Result<std::string> needed_text(const std::string& name) const;
  // An integer from `least` to `most`; without `otherwise` it is needed.
  Result<std::int64_t> integer(const std::string& name, std::int64_t least, std::int64_t most,
                               std::optional<std::int64_t> otherwise = {}) const;
  // An instant in ns, whole or not, rounded; nothing: not given.
  Result<std::optional<std::int64_t>> instant_ns(const std::string& name) const;
  Result<bool> flag(const std::string& name) const;  // 0 or 1; not given: 0
  Result<Selection> selection() const;

  // The same for queries that ask the same, whatever the order of their parameters.
  std::string canonical() const;

 private:
  std::map<std::string, std::string> values_;
};

// %41 as A, + as a blank. Nothing: not so encoded.
std::optional<std::string> decoded(std::string_view text);

}  // namespace ww::view
