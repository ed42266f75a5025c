// The viewer over HTTP: the page's files and the responder's answers, below a token (docs/design/viewing.md, "Manners
// of the server").
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "view/connections.hpp"
#include "view/guided_runs.hpp"
#include "view/http.hpp"
#include "view/responder.hpp"

namespace ww::view {

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: a free one
};

class Server {
 public:
  // `responder` must outlive it, and `runs`, without which nothing is run and nothing is taken but GET and HEAD. Errors: those of
  // Connections::listen; there is no randomness for a token.
  static Result<std::unique_ptr<Server>> listen(Responder& responder, const ServerOptions& options,
                                                GuidedRuns* runs = nullptr);

  int port() const { return connections_->port(); }
  const std::string& host() const { return host_; }  // as it stands in the address
  std::string url() const;
  // What a connection is answered: the head of a request, and the body that was wanted of it, to the bytes of its answer.
  Reply exchange(const std::string& head, std::optional<std::string> body = {},
                 const std::shared_ptr<Cancellation>& gone = nullptr) const {
    return http_->exchange(head, std::move(body), gone);
  }
  // Until stop() gives true.
  void run(const std::function<bool()>& stop);

 private:
  Server(Responder& responder, GuidedRuns* runs, std::unique_ptr<Connections> connections, std::string token,
         std::string host);
  HttpResponse answer(const HttpRequest& request);
  HttpResponse answer_run(const HttpRequest& request, const std::string& name, const std::string& query);
  bool is_host(const std::string& header) const;

  Responder& responder_;
  GuidedRuns* runs_;
  std::unique_ptr<Connections> connections_;
  std::string token_, host_;
  std::unique_ptr<Http> http_;
};

}  // namespace ww::view
