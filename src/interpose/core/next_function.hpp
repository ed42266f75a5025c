// The functions that this library stands before, for programs that it is preloaded into.
#pragma once
#include <dlfcn.h>

#define WW_SEEN extern "C" __attribute__((visibility("default")))

namespace ww::interpose {

// The function of that name behind this library; found before main, or when it is first called.
template <class Function>
struct Next {
  const char* name;
  Function* found = nullptr;
  Function* get() {
    if (__builtin_expect(found == nullptr, 0)) found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
    return found;
  }
};

}  // namespace ww::interpose
