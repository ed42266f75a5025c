#include "report/html.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "report/headline.hpp"
#include "report/html_check.hpp"
#include "report/page_parts.hpp"

namespace ww {
namespace {

// JSON inside a script element: nothing in it may look like the end of the element or the beginning of a
// comment.
std::string embeddable(const nlohmann::json& data) {
  const std::string json = data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

bool lacks_headlines(const nlohmann::json& data) {
  for (const nlohmann::json& study : data.at("studies"))
    for (const nlohmann::json& what_if : study.at("what_ifs"))
      if (!what_if.contains("headline")) return true;
  return false;
}

}  // namespace

Result<std::string> html_report(const nlohmann::json& data) {
  WW_CHECK(check_report_data(data));
  if (lacks_headlines(data)) {
    nlohmann::json with_headlines = data;
    for (nlohmann::json& study : with_headlines["studies"]) add_headlines(study);
    return html_report(with_headlines);
  }
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      // The page cannot load or send anything, even if a string slipped through.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>whatwire report</title>\n<style>\n";
  page += page::style();
  page +=
      "</style>\n</head>\n<body>\n<div id=\"errors\" role=\"alert\" hidden></div>\n<div id=\"page\"></div>\n"
      "<noscript>This report is drawn by JavaScript, which is switched off.</noscript>\n"
      "<script type=\"application/json\" id=\"data\">";
  page += embeddable(data);
  page += "</script>\n<script>\n";
  page += page::script();
  page += "</script>\n</body>\n</html>\n";
  return page;
}

bool is_html_report(const std::filesystem::path& file) {
  std::string begin(1000, 0);  // with the title
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin.starts_with("<!doctype html>") &&
         begin.find("<title>whatwire report</title>") != std::string::npos;
}

}  // namespace ww
