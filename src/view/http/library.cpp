// HTTP by cpp-httplib, as a library of its own: see http.hpp.
#include <httplib.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "view/http.hpp"

namespace ww::view {
namespace {

// Headers that the library would act upon and nobody here wants: parts of an answer (many ranges of one answer are
// larger than it), compression on loopback, bodies of requests.
constexpr std::string_view unwanted[] = {"range",  "if-range",          "accept-encoding",
                                         "expect", "transfer-encoding", "content-length"};
constexpr std::string_view of_bodies[] = {"expect", "transfer-encoding", "content-length"};

// The lines of the head that are wanted. `has_body`: what follows the head belongs to it.
std::string wanted_lines(const std::string& head, bool& has_body) {
  std::string out;
  for (std::size_t from = 0; from < head.size();) {
    const std::size_t to = std::min(head.find('\n', from), head.size() - 1) + 1;
    const std::string line = head.substr(from, to - from);
    std::string name = line.substr(0, std::min(line.find(':'), line.size()));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto is_among = [&](const auto& names) {
      return std::find(std::begin(names), std::end(names), name) != std::end(names);
    };
    has_body = has_body || (from > 0 && is_among(of_bodies));
    if (from == 0 || !is_among(unwanted)) out += line;
    from = to;
  }
  return out;
}

// A head that is there, and an answer that is collected.
class InMemory : public httplib::Stream {
 public:
  explicit InMemory(const std::string& head) : head_(head) {}
  bool is_readable() const override { return at_ < head_.size(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* into, std::size_t size) override {
    const std::size_t given = std::min(size, head_.size() - at_);
    std::memcpy(into, head_.data() + at_, given);
    at_ += given;
    return static_cast<ssize_t>(given);
  }
  ssize_t write(const char* from, std::size_t size) override {
    written.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

  std::string written;

 private:
  const std::string& head_;
  std::size_t at_ = 0;
};

class ByHttplib final : public Http, private httplib::Server {
 public:
  ByHttplib(Headers always, Answer answer) : answer_(std::move(answer)) {
    httplib::Headers headers;
    for (auto& [name, value] : always) headers.emplace(std::move(name), std::move(value));
    set_default_headers(std::move(headers));
    set_keep_alive_timeout(60);
    set_keep_alive_max_count(1000000);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      give(answer_({request.method, request.target, request.get_header_value("Host"), *gone_}), request,
           response);
      return HandlerResponse::Handled;
    });
    // Without one the library sends what the exception says.
    set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
      response.status = 500;
    });
  }

  Reply exchange(const std::string& head, const std::shared_ptr<Cancellation>& gone) override {
    gone_ = &gone;
    bool has_body = false, closed = false;
    const std::string wanted = wanted_lines(head, has_body);
    InMemory stream(wanted);
    const bool good = process_request(stream, has_body, closed, nullptr);
    return {std::move(stream.written), good && !closed && !has_body};
  }

 private:
  static void give(HttpResponse&& answer, const httplib::Request& request, httplib::Response& response) {
    response.status = answer.status;
    for (const auto& [name, value] : answer.headers) {
      response.headers.erase(name);
      response.set_header(name, value);
    }
    if (answer.body == nullptr) return;
    if (request.method == "HEAD") {  // its length, without a copy of it
      response.set_header("Content-Type", answer.content_type);
      response.set_header("Content-Length", std::to_string(answer.body->size()));
    } else {
      response.set_content(*answer.body, answer.content_type);
    }
  }

  // Of the request that this thread works on: the library hands nothing of ours to its handlers.
  static thread_local const std::shared_ptr<Cancellation>* gone_;
  Answer answer_;
};

thread_local const std::shared_ptr<Cancellation>* ByHttplib::gone_ = nullptr;

}  // namespace
}  // namespace ww::view

extern "C" __attribute__((visibility("default"))) ww::view::Http* ww_make_http(
    ww::view::Http::Headers* always, ww::view::Http::Answer* answer) {
  return new ww::view::ByHttplib(std::move(*always), std::move(*answer));
}
