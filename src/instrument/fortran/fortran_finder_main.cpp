// whatwire-instrument-fortran REQUEST: reads Fortran with flang's parser and says, as JSON on standard output, what stands where in it
// (instrument/sites.hpp). It writes no file. Names are not resolved by flang, whose modules are not those of the program's compiler:
// declarations.hpp knows what the sources themselves declare.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "instrument/fortran/procedures.hpp"

int main(int argc, char** argv) {
  using namespace ww;
  if (argc != 2) return 2;
  const auto text = read_file(argv[1]);
  if (!text) return 2;
  const auto request = instrument::read_request(*text);
  if (!request) {
    fmt::print(stderr, "{}\n", to_string(request.error()));
    return 2;
  }
  fmt::print("{}\n", json_text(nlohmann::json(instrument::find_in_fortran(*request))));
  return std::fflush(stdout) == 0 ? 0 : 1;
}
