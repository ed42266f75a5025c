#include "interpose/pvm/message_contexts.hpp"

#include <stdio.h>

#include "interpose/core/definitions.hpp"
#include "interpose/pvm/static_program.hpp"
#include "interpose/pvm/task.hpp"
#include "library/pvm.hpp"

namespace ww::interpose {

namespace {

// A program has few; one beyond these is defined again each time, which readers take for the same.
constexpr int kept = 64;
uint32_t defined[kept];
int count = 0;

void define(uint32_t context, int number) {
  for (int i = 0; i < count; ++i)
    if (defined[i] == context) return;
  char name[64];
  snprintf(name, sizeof name, "%s, context %d", library::pvm.title, number);
  DefinitionLine("comm")
      .number("id", context)
      .text("kind", "context")
      .text("name", name)
      .number("made", context)
      .write();
  if (count < kept) defined[count++] = context;
}

}  // namespace

uint32_t message_context() {
  static NextOfPvm<int()> getcontext{"pvm_getcontext"};
  const Asking ask;
  const int number = getcontext.get()();
  // as of codes (tag_of): PVM's own are below 0
  const uint32_t context = static_cast<uint32_t>(number) & 0x7fffffffu;
  if (__builtin_expect(context != 0, 0)) define(context, number);
  return context;
}

}  // namespace ww::interpose
