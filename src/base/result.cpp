#include "base/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace ww {

std::string to_string(const Error& error) {
  std::string line = error.what;
  if (!error.where.empty()) line += ": " + error.where;
  if (!error.remedy.empty()) line += "; " + error.remedy;
  return line;
}

void invariant_broken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "whatwire: internal error, please report it: %s is false (%s:%d)\n", condition, file,
               line);
  std::abort();
}

}  // namespace ww
