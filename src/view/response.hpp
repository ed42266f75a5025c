// What is asked and what is answered, without sockets.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/cancellation.hpp"
#include "base/result.hpp"

namespace ww::view {

struct Request {
  std::string path;   // below the token: "data/0/trace", "" is the page
  std::string query;  // as it came, without the '?'
  // Is cancelled when nobody waits for the answer any more. Null: somebody waits whatever happens.
  std::shared_ptr<Cancellation> stop = nullptr;
};

struct Response {
  int status = 200;
  std::string content_type;
  std::shared_ptr<const std::string> body;
  bool cacheable = false;  // the same for as long as the server lives
};

Response json_response(const nlohmann::json& json);
// Little endian arrays (bytes_out.hpp).
Response binary_response(std::string bytes, bool cacheable);
// {"error","remedy"}. 400 the question is wrong, 404 there is no such thing, 409 not as things are, 503 later.
Response refusal(int status, const std::string& error, const std::string& remedy);
// 400 of wrong usage, else 409.
Response refusal(const Error& error);

}  // namespace ww::view
