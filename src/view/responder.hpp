// A request in, a response out: what the page may ask (docs/design/viewing.md), without sockets. The server, the
// tests, the fuzzer and the exported page use the same one.
#pragma once
#include <memory>

#include "view/answer_cache.hpp"
#include "view/gate.hpp"
#include "view/open_traces.hpp"
#include "view/response.hpp"

namespace ww::view {

class Responder {
 public:
  // `traces` must outlive it.
  explicit Responder(OpenTraces& traces);

  // By many threads at once. Never fails: what cannot be answered is a response that says so. Does not serve the
  // page's own files (server.hpp).
  Response answer(const Request& request);

 private:
  OpenTraces& traces_;
  AnswerCache cache_;
  Gate gate_;
};

}  // namespace ww::view
