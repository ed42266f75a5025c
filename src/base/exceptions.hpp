// Exceptions where there are any: the exported page's WebAssembly is compiled without (docs/design/viewing.md), and stops instead.
#pragma once
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace ww {

#ifdef __cpp_exceptions
template <class Exception>
[[noreturn]] void raise() {
  throw Exception();
}
// What `work` gives, or what `otherwise` makes of an exception of that type.
template <class Exception, class Work, class Otherwise>
auto caught(Work&& work, Otherwise&& otherwise) -> std::invoke_result_t<Work> {
  try {
    return work();
  } catch (const Exception& problem) {
    return otherwise(problem);
  }
}
#else
template <class Exception>
[[noreturn]] void raise() {
  std::abort();
}
template <class Exception, class Work, class Otherwise>
auto caught(Work&& work, Otherwise&&) -> std::invoke_result_t<Work> {
  return work();
}
#endif

}  // namespace ww
