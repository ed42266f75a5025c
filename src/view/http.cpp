#include "view/http.hpp"

#include <dlfcn.h>

#include "base/files.hpp"

namespace ww::view {

Result<std::unique_ptr<Http>> Http::load(Headers always, Answer answer) {
  const std::filesystem::path file = preload_library("libwhatwire-http.so");
  // Never let go of: its code is used until the end.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* make = library == nullptr ? nullptr : dlsym(library, make_http_name);
  if (make == nullptr) {
    const char* why = dlerror();
    return fail("the page cannot be served", why != nullptr ? why : file.string(),
                "install whatwire anew, and libcpp-httplib0.11");
  }
  return std::unique_ptr<Http>(reinterpret_cast<MakeHttp*>(make)(&always, &answer));
}

}  // namespace ww::view
