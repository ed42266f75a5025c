// Functions that tell their own names when they begin and end: those of copies by `whatwire instrument` (ww_function_table). Like those that
// the compiler instruments they are counted, thinned, chosen by --functions, and end with the recording.
#include <stdint.h>

#include "interpose/core/names.hpp"
#include "interpose/core/seen_functions.hpp"
#include "interpose/core/told_text.hpp"
#include "interpose/marker/table.h"

namespace ww::interpose {

namespace {

// By the number of its name: 0 not known yet, 1 not wanted, else the function's number and 2. Pages that are not touched cost nothing.
constexpr uint32_t most_names = 1u << 17;
uint32_t functions[most_names];

uint32_t function_of(const char* text, size_t length) {
  const ToldText name = text_of(text, length);
  const uint32_t number = name_number(NameUse::region, name.at, name.length);
  if (number >= most_names) return not_wanted;
  uint32_t known = __atomic_load_n(&functions[number], __ATOMIC_ACQUIRE);
  if (__builtin_expect(known == 0, 0)) {
    const uint32_t function = function_named(number);
    known = function == not_wanted ? 1 : function + 2;
    __atomic_store_n(&functions[number], known, __ATOMIC_RELEASE);
  }
  return known == 1 ? not_wanted : known - 2;
}

void begin(const char* name, size_t length) {
  const uint32_t function = function_of(name, length);
  if (function != not_wanted) enter_function(function);
}

void end(const char* name, size_t length) {
  const uint32_t function = function_of(name, length);
  if (function != not_wanted) leave_function(function);
}

}  // namespace

}  // namespace ww::interpose

extern "C" {
__attribute__((visibility("default"))) extern const ww_function_table WW_FUNCTION_TABLE;
const ww_function_table WW_FUNCTION_TABLE = {ww::interpose::begin, ww::interpose::end};
}
