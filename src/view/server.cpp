#include "view/server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "view/page_files.hpp"

namespace ww::view {
namespace {

constexpr std::size_t token_bytes = 16;
constexpr const char* plain_text = "text/plain; charset=utf-8";

std::vector<std::pair<std::string, std::string>> headers_of_all() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: "
           "blob:; "
           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

Result<std::string> make_token() {
  std::array<unsigned char, token_bytes> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return fail("the system gives no random numbers for the page's address", "getrandom");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// In a time that does not depend on where they differ.
bool same_secret(std::string_view given, std::string_view secret) {
  unsigned differing = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret.size(); ++i)
    differing |= static_cast<unsigned>(static_cast<unsigned char>(i < given.size() ? given[i] : '\0') ^
                                       static_cast<unsigned char>(secret[i]));
  return differing == 0;
}

bool is_ip_address(const std::string& text) {
  std::array<unsigned char, 16> address{};
  return inet_pton(AF_INET, text.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

// Whoever asks from elsewhere needs a name or an address of this host.
std::string host_for(const std::string& address) {
  if (address == "0.0.0.0" || address == "::") {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0') return name.data();
  }
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

HttpResponse said(int status, const std::string& text) {
  return {status, plain_text, std::make_shared<const std::string>(text), {}};
}

HttpResponse of_response(const Response& response) {
  return {response.status, response.content_type, response.body, {}};
}

bool is_looked_at(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

HttpResponse only_by(const char* methods, const std::string& text) {
  HttpResponse refused = said(405, text);
  refused.headers = {{"Allow", methods}};
  return refused;
}

// A form of another page can send neither of the two, nor can its script without being allowed to.
bool is_json(std::string type) {
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
  return type == "application/json";
}
bool comes_from_here(const HttpRequest& request) {
  return request.origins.empty() ||
         (request.origins.size() == 1 && request.origins.front() == "http://" + request.host);
}

std::optional<HttpResponse> not_to_be_posted(const HttpRequest& request) {
  if (request.method != "POST") return only_by("POST", "Only POST.\n");
  if (!comes_from_here(request))
    return of_response(refusal(403, "another page asks for it", "use the page that whatwire view printed"));
  if (!is_json(request.content_type))
    return of_response(refusal(415, "not JSON", "send it as Content-Type: application/json"));
  if (!request.body_bytes || *request.body_bytes == 0)
    return of_response(refusal(411, "the body has no length", "send it with one Content-Length"));
  if (*request.body_bytes > GuidedRuns::most_body_bytes)
    return of_response(
        refusal(413, fmt::format("more than {} bytes", GuidedRuns::most_body_bytes), "send less"));
  return std::nullopt;
}

}  // namespace

Server::Server(Responder& responder, GuidedRuns* runs, std::unique_ptr<Connections> connections,
               std::string token, std::string host)
    : responder_(responder),
      runs_(runs),
      connections_(std::move(connections)),
      token_(std::move(token)),
      host_(std::move(host)) {}

Result<std::unique_ptr<Server>> Server::listen(Responder& responder, const ServerOptions& options,
                                               GuidedRuns* runs) {
  WW_TRY(std::string token, make_token());
  WW_TRY(auto connections, Connections::listen(options.address, options.port));
  std::unique_ptr<Server> server(
      new Server(responder, runs, std::move(connections), std::move(token), host_for(options.address)));
  WW_TRY(server->http_, Http::load(headers_of_all(), [at = server.get()](const HttpRequest& request) {
           return at->answer(request);
         }));
  return server;
}

std::string Server::url() const {
  return fmt::format("http://{}:{}/{}/", host_, port(), token_);
}

// A page of elsewhere whose name was made to lead here (DNS rebinding) asks by that name. Addresses and `localhost`
// cannot be made to lead elsewhere, and ssh -L changes both them and the port.
bool Server::is_host(const std::string& header) const {
  const std::size_t bracket = header.rfind(']');
  const std::size_t colon = header.find(':', bracket == std::string::npos ? 0 : bracket);
  std::string name = header.substr(0, colon);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name == host_ || name == "localhost") return true;
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  return is_ip_address(name);
}

HttpResponse Server::answer(const HttpRequest& request) {
  std::string_view target = request.target;
  if (target.empty() || target.front() != '/' || !same_secret(target.substr(1, token_.size()), token_))
    return {404, "", nullptr, {}};
  if (!is_host(request.host)) return said(403, "Ask by the address that whatwire view printed.\n");
  const std::string_view below = target.substr(std::min(target.size(), 2 + token_.size()));
  const bool may_be_run = runs_ != nullptr && below.starts_with(GuidedRuns::root);
  if (!is_looked_at(request) && !may_be_run) return only_by("GET, HEAD", "Only GET and HEAD.\n");
  target.remove_prefix(1 + token_.size());
  if (target.empty()) return {308, "", nullptr, {{"Location", "/" + token_ + "/"}}};
  if (target.front() != '/') return {404, "", nullptr, {}};
  target.remove_prefix(1);
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string path(target.substr(0, mark));
  const std::string query(mark < target.size() ? target.substr(mark + 1) : std::string_view());
  if (may_be_run) return answer_run(request, path.substr(GuidedRuns::root.size()), query);
  for (const PageFile& file : page_files())
    if (path == file.name || (path.empty() && &file == page_files().data()))
      return {200, std::string(file.content_type), std::make_shared<const std::string>(file.content), {}};
  Response response = responder_.answer({path, query, request.gone});
  HttpResponse out = of_response(response);
  if (response.cacheable) out.headers = {{"Cache-Control", "private, max-age=86400, immutable"}};
  return out;
}

// All that can be refused is refused by the head alone: nothing is kept of a body that nobody may send.
HttpResponse Server::answer_run(const HttpRequest& request, const std::string& name,
                                const std::string& query) {
  if (!GuidedRuns::is_posted(name))
    return is_looked_at(request) ? of_response(runs_->get(name, query))
                                 : only_by("GET, HEAD", "Only GET and HEAD.\n");
  if (auto refused = not_to_be_posted(request)) return *std::move(refused);
  if (request.body) return of_response(runs_->post(name, *request.body));
  HttpResponse more;
  more.wants_body = true;
  return more;
}

void Server::run(const std::function<bool()>& stop) {
  connections_->run(
      [this](const std::string& head, std::optional<std::string> body,
             const std::shared_ptr<Cancellation>& gone) { return exchange(head, std::move(body), gone); },
      stop);
}

}  // namespace ww::view
