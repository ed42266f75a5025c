// Connections of a server that slow, silent and many clients cannot stop: one thread reads heads of requests as they
// come and sends answers as they are taken, and never waits for anybody; only whole heads reach the threads that work.
//
// Limits: a head of 16 KiB that is there within 10 s, one minute of silence between requests, an answer taken at 50 KB/s
// or within a minute, and so many connections at once; of more the one goes that has been asking for longest. Nothing behind a
// head is taken for its body unless who works says how long it may be, having looked at the head; it is there within 10 s, too.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/cancellation.hpp"
#include "base/result.hpp"

namespace ww::view {

struct Reply {
  std::string bytes;
  bool keep = false;  // the connection, for another request
  // Not an answer yet: so many bytes of the request's body first. 0: it is one.
  std::size_t wanted_body = 0;
};

class Connections {
 public:
  // `address`: an IP address of this host. `port` 0: a free one. Errors: not such an address, in use, no permission.
  static Result<std::unique_ptr<Connections>> listen(const std::string& address, int port);
  ~Connections();

  int port() const { return port_; }
  // The answer to a request, whose head ends with its empty line. `body`: what it wanted of the same request before. `gone` is cancelled when nobody waits for it any more: the
  // client has closed the connection, or its half of it, or run() ends.
  using Work = std::function<Reply(std::string head, std::optional<std::string> body,
                                   const std::shared_ptr<Cancellation>& gone)>;

  // work() is called by several threads. Returns when stop() gives true, which is asked some times a second; what is worked on
  // then is waited for.
  void run(const Work& work, const std::function<bool()>& stop);

 private:
  Connections(int listening, int port) : listening_(listening), port_(port) {}
  int listening_, port_;
};

}  // namespace ww::view
