#include "interpose/core/program_threads.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "interpose/core/own_computation.hpp"
#include "interpose/core/thread.hpp"

namespace ww::interpose {

namespace {

thread_local bool of_library __attribute__((tls_model("initial-exec"))) = false;

using Body = void*(void*);
using Create = int(pthread_t*, const pthread_attr_t*, Body*, void*);

struct Start {
  Body* body;
  void* argument;
  bool of_library;
};

void* begin(void* given) {
  const Start start = *static_cast<Start*>(given);
  free(given);
  of_library = start.of_library;
  if (of_library) return start.body(start.argument);
  compute_on(Before::worked);
  void* const result = start.body(start.argument);
  if (computes_on_its_own()) settle_own(false);  // whoever joins it goes on
  return result;
}

Create* next_create = nullptr;
__attribute__((constructor)) void find_create() {
  next_create = reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
}

}  // namespace

bool thread_of_library() {
  return of_library;
}

InsideLibrary::InsideLibrary() : before_(of_library) {
  of_library = true;
}
InsideLibrary::~InsideLibrary() {
  of_library = before_;
}

}  // namespace ww::interpose

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*body)(void*),
                                                                     void* argument) noexcept {
  using namespace ww::interpose;
  if (next_create == nullptr) find_create();
  if (next_create == nullptr) return EAGAIN;
  const bool inside = of_library || (this_thread != nullptr && this_thread->inside != nullptr);
  // It may be one of several that call MPI at once.
  const bool has_its_own = !inside && concurrent && dilating && !virtual_time;
  if (has_its_own) settle_now();
  auto* start = inside || has_its_own ? static_cast<Start*>(malloc(sizeof(Start))) : nullptr;
  if (start == nullptr) return next_create(thread, attributes, body, argument);
  *start = {body, argument, inside};
  const int rc = next_create(thread, attributes, begin, start);
  if (rc != 0) free(start);
  return rc;
}
