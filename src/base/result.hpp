// Errors that the caller can handle are values: what went wrong, where, and what to do about it.
#pragma once
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace ww {

struct Error {
  std::string what;    // one clause, no full stop: "cannot read the trace"
  std::string where;   // file, rank, option or command; may be empty
  std::string remedy;  // what the user can do; may be empty
  bool usage = false;  // the command line was wrong (exit code 2) rather than the work (exit code 1)
};

// "what: where; remedy", the one line that a command prints.
std::string to_string(const Error& error);

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string what, std::string where = {}, std::string remedy = {}) {
  return tl::unexpected<Error>(Error{std::move(what), std::move(where), std::move(remedy), false});
}
inline tl::unexpected<Error> wrong_usage(std::string what, std::string where = {}, std::string remedy = {}) {
  return tl::unexpected<Error>(Error{std::move(what), std::move(where), std::move(remedy), true});
}

// A broken invariant of ours stops the program, in release builds too.
[[noreturn]] void invariant_broken(const char* condition, const char* file, int line);
#define WW_INVARIANT(condition) \
  ((condition) ? void(0) : ::ww::invariant_broken(#condition, __FILE__, __LINE__))

#define WW_CONCAT_2(a, b) a##b
#define WW_CONCAT(a, b) WW_CONCAT_2(a, b)
// WW_TRY(auto x, expression_giving_Result): x is the value, or this function returns the error.
#define WW_TRY(declaration, expression)                                                                      \
  auto WW_CONCAT(ww_try_, __LINE__) = (expression);                                                          \
  if (!WW_CONCAT(ww_try_, __LINE__)) return tl::unexpected(std::move(WW_CONCAT(ww_try_, __LINE__).error())); \
  declaration = *std::move(WW_CONCAT(ww_try_, __LINE__))
// WW_CHECK(expression_giving_Result<void>): go on, or return the error.
#define WW_CHECK(expression)                                                         \
  do {                                                                               \
    auto ww_check_result = (expression);                                             \
    if (!ww_check_result) return tl::unexpected(std::move(ww_check_result.error())); \
  } while (0)

}  // namespace ww
