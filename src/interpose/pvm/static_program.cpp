#include "interpose/pvm/static_program.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/core/environment.hpp"
#include "interpose/core/next_function.hpp"
#include "interpose/core/notes.hpp"
#include "interpose/pvm/pvm_wraps.h"

namespace ww::interpose {

namespace {

// Of the first that gave them: a second copy of PVM in one process, in a library, stays by itself.
ww_pvm_wrapped *given = nullptr, *end_of_given = nullptr;
const int* given_tid = nullptr;

const PvmWrapper* wrapper_of(const char* name) {
  for (int i = 0; i < pvm_wrappers_count; ++i)
    if (strcmp(pvm_wrappers[i].name, name) == 0) return &pvm_wrappers[i];
  return nullptr;
}

// Not what the program takes from a shared library: that is our own wrapper already, which is in front of it.
void (*own_function(const char* name))() {
  for (const ww_pvm_wrapped* one = given; one != end_of_given; ++one)
    if (one->own != one->called && strcmp(one->name, name) == 0) return one->own;
  return nullptr;
}

// It may be no program of PVM, or one that has libpvm3 in its own code, and will give it to us or not: the reader looks
// (record/unseen_programs.hpp).
__attribute__((constructor)) void note_program_without_library() {
  if (getenv(environment::spool_dir) != nullptr && dlsym(RTLD_NEXT, "pvm_mytid") == nullptr)
    note_program(environment::loaded_file);
}

}  // namespace

void* pvm_function(const char* name) {
  if (auto* const own = own_function(name)) return reinterpret_cast<void*>(own);
  return dlsym(RTLD_NEXT, name);
}

const int* pvm_tid() {
  return given_tid != nullptr ? given_tid : static_cast<const int*>(dlsym(RTLD_DEFAULT, "pvmmytid"));
}

bool has_own_pvm() {
  return own_function("pvm_send") != nullptr;
}

}  // namespace ww::interpose

WW_SEEN void WW_PVM_TAKE(ww_pvm_wrapped* begin, ww_pvm_wrapped* end, const int* tid) {
  using namespace ww::interpose;
  if (given != nullptr) return;
  for (ww_pvm_wrapped* one = begin; one != end; ++one)
    if (const PvmWrapper* const ours = wrapper_of(one->name); ours != nullptr && ours->function != one->own)
      one->called = ours->function;
  given = begin;
  end_of_given = end;
  given_tid = tid;
}
