// HTTP of one request: from its head, and the body that was wanted of it, to the bytes of its answer.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "view/connections.hpp"

namespace ww::view {

// What of a head is looked at.
struct HttpRequest {
  std::string method;
  std::string target;                  // as it came, with its query
  std::string host;                    // the header; "": there was none
  std::shared_ptr<Cancellation> gone;  // Connections::Work
  std::vector<std::string> origins = {};
  std::string content_type = {};
  // Of the body; nothing: it is not said, or not by one plain number.
  std::optional<std::size_t> body_bytes = {};
  std::optional<std::string> body = {};  // once it was wanted
};

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::shared_ptr<const std::string> body;  // of HEAD it is not sent
  std::vector<std::pair<std::string, std::string>> headers;
  bool wants_body = false;  // all else is nothing: it is answered with the body, of body_bytes
};

// The library that does it (http/) is loaded when it is needed: with what it is linked to (OpenSSL, brotli) it would make
// every whatwire start three times as slowly, which measuring and unifying do often.
class Http {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;
  using Answer = std::function<HttpResponse(const HttpRequest&)>;

  // `always`: headers of every answer, of refusals of malformed heads too. Error: it cannot be loaded.
  static Result<std::unique_ptr<Http>> load(Headers always, Answer answer);
  virtual ~Http() = default;
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;
  // By several threads at once.
  virtual Reply exchange(const std::string& head, std::optional<std::string> body,
                         const std::shared_ptr<Cancellation>& gone) = 0;

 protected:
  Http() = default;
};

// What http/ has under this name.
using MakeHttp = Http*(Http::Headers* always, Http::Answer* answer);
inline constexpr const char* make_http_name = "ww_make_http";

}  // namespace ww::view
