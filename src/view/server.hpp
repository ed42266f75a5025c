// The viewer over HTTP: the page's files and the responder's answers, below a token (docs/design/viewing.md, "Manners
// of the server").
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "view/connections.hpp"
#include "view/http.hpp"
#include "view/responder.hpp"

namespace ww::view {

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: a free one
};

class Server {
 public:
  // `responder` must outlive it. Errors: those of Connections::listen; there is no randomness for a token.
  static Result<std::unique_ptr<Server>> listen(Responder& responder, const ServerOptions& options);

  int port() const { return connections_->port(); }
  const std::string& host() const { return host_; }  // as it stands in the address
  std::string url() const;
  // What a connection is answered: the head of a request to the bytes of its answer.
  Reply exchange(const std::string& head, const std::shared_ptr<Cancellation>& gone = nullptr) const {
    return http_->exchange(head, gone);
  }
  // Until stop() gives true.
  void run(const std::function<bool()>& stop);

 private:
  Server(Responder& responder, std::unique_ptr<Connections> connections, std::string token, std::string host);
  HttpResponse answer(const HttpRequest& request);
  bool is_host(const std::string& header) const;

  Responder& responder_;
  std::unique_ptr<Connections> connections_;
  std::string token_, host_;
  std::unique_ptr<Http> http_;
};

}  // namespace ww::view
