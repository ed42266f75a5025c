// HTTP by cpp-httplib, as a library of its own: see http.hpp.
#include <httplib.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "view/http.hpp"

namespace ww::view {
namespace {

// Headers that the library would act upon and nobody here wants: parts of an answer (many ranges of one answer are
// larger than it), compression on loopback, bodies of requests.
constexpr std::string_view unwanted[] = {"range",  "if-range",          "accept-encoding",
                                         "expect", "transfer-encoding", "content-length"};
constexpr std::string_view of_bodies[] = {"expect", "transfer-encoding", "content-length"};

// What a head says of a body, of which the library is told nothing: it would read it.
struct SaidOfBody {
  bool is_there = false;  // what follows the head belongs to it
  std::optional<std::size_t> bytes;
};

std::optional<std::size_t> plain_number(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t from = std::min(text.find_first_not_of(blank), text.size());
  text = text.substr(from, text.find_last_not_of(blank) + 1 - from);
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The lines of the head that are wanted.
std::string wanted_lines(const std::string& head, SaidOfBody& body) {
  std::string out;
  int lengths = 0;
  bool in_pieces = false;
  for (std::size_t from = 0; from < head.size();) {
    const std::size_t to = std::min(head.find('\n', from), head.size() - 1) + 1;
    const std::string line = head.substr(from, to - from);
    std::string name = line.substr(0, std::min(line.find(':'), line.size()));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto is_among = [&](const auto& names) {
      return std::find(std::begin(names), std::end(names), name) != std::end(names);
    };
    body.is_there = body.is_there || (from > 0 && is_among(of_bodies));
    in_pieces = in_pieces || name == "transfer-encoding";
    if (name == "content-length" && ++lengths == 1) body.bytes = plain_number(line.substr(name.size() + 1));
    if (from == 0 || !is_among(unwanted)) out += line;
    from = to;
  }
  // Whoever reads a body of two lengths, or of a length and pieces, may take another end of it than who sent it.
  if (lengths != 1 || in_pieces) body.bytes = std::nullopt;
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
      HttpRequest asked{request.method, request.target, request.get_header_value("Host"), *exchange_->gone};
      for (auto [at, end] = request.headers.equal_range("Origin"); at != end; ++at)
        asked.origins.push_back(at->second);
      asked.content_type = request.get_header_value("Content-Type");
      asked.body_bytes = exchange_->said.bytes;
      asked.body = std::move(exchange_->body);
      HttpResponse answer = answer_(asked);
      exchange_->wants_body = answer.wants_body;
      give(std::move(answer), request, response);
      return HandlerResponse::Handled;
    });
    // Without one the library sends what the exception says.
    set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
      response.status = 500;
    });
  }

  Reply exchange(const std::string& head, std::optional<std::string> body,
                 const std::shared_ptr<Cancellation>& gone) override {
    OfOne exchange{&gone, {}, std::move(body)};
    exchange_ = &exchange;
    bool closed = false;
    const std::string wanted = wanted_lines(head, exchange.said);
    InMemory stream(wanted);
    const bool good = process_request(stream, exchange.said.is_there, closed, nullptr);
    if (exchange.wants_body) return {"", false, *exchange.said.bytes};
    return {std::move(stream.written), good && !closed && !exchange.said.is_there, 0};
  }

 private:
  struct OfOne {
    const std::shared_ptr<Cancellation>* gone;
    SaidOfBody said;
    std::optional<std::string> body;
    bool wants_body = false;
  };
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
  static thread_local OfOne* exchange_;
  Answer answer_;
};

thread_local ByHttplib::OfOne* ByHttplib::exchange_ = nullptr;

}  // namespace
}  // namespace ww::view

extern "C" __attribute__((visibility("default"))) ww::view::Http* ww_make_http(
    ww::view::Http::Headers* always, ww::view::Http::Answer* answer) {
  return new ww::view::ByHttplib(std::move(*always), std::move(*answer));
}
