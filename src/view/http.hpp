// HTTP of one request: from its head to the bytes of its answer.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "view/connections.hpp"

namespace ww::view {

// What of a head is looked at.
struct HttpRequest {
  std::string method;
  std::string target;  // as it came, with its query
  std::string host;    // the header; "": there was none
};

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::shared_ptr<const std::string> body;  // of HEAD it is not sent
  std::vector<std::pair<std::string, std::string>> headers;
};

class Http {
 public:
  // `always`: headers of every answer, of refusals of malformed heads too.
  Http(std::vector<std::pair<std::string, std::string>> always,
       std::function<HttpResponse(const HttpRequest&)> answer);
  ~Http();
  // By several threads at once.
  Reply exchange(const std::string& head) const;

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace ww::view
