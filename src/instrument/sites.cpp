#include "instrument/sites.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/function_pattern.hpp"

namespace ww::instrument {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParsedUnit, file, directory, arguments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Watch, variable, function)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionSite, at, line, name, internal)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IndexSite, begin, end, wanted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WatchSite, begin, end, line, form, kind, name, variable, function, indices,
                                   body)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IncludeSite, begin, end, target)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CallSite, kind, which, begin, end, condition_end, label_begin, label_end,
                                   condition, routine, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FileSites, path, functions, watches, includes, calls, fixed_form)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Note, file, line, text)

void to_json(nlohmann::json& json, const FinderRequest& request) {
  json = {{"units", request.units},
          {"copied", request.copied},
          {"functions", request.functions},
          {"watches", request.watches}};
}

void to_json(nlohmann::json& json, const Found& found) {
  json = {{"files", found.files},         {"notes", found.notes},         {"errors", found.errors},
          {"functions", found.functions}, {"variables", found.variables}, {"seen", found.seen},
          {"matched", found.matched}};
}

Result<FinderRequest> read_request(const std::string& text) try {
  const auto json = nlohmann::json::parse(text);
  FinderRequest request;
  json.at("units").get_to(request.units);
  json.at("copied").get_to(request.copied);
  json.at("functions").get_to(request.functions);
  json.at("watches").get_to(request.watches);
  return request;
} catch (const nlohmann::json::exception& problem) {
  return fail("not a request of whatwire instrument", problem.what());
}

Result<Found> read_found(const std::string& text) try {
  const auto json = nlohmann::json::parse(text);
  Found found;
  json.at("files").get_to(found.files);
  json.at("notes").get_to(found.notes);
  json.at("errors").get_to(found.errors);
  json.at("functions").get_to(found.functions);
  json.at("variables").get_to(found.variables);
  json.at("seen").get_to(found.seen);
  json.at("matched").get_to(found.matched);
  return found;
} catch (const nlohmann::json::exception& problem) {
  return fail("not an answer of whatwire-instrument", problem.what(), "install whatwire again");
}

std::string to_string(const Note& note) {
  if (note.file.empty()) return note.text;
  if (note.line == 0) return fmt::format("{}: {}", note.file, note.text);
  return fmt::format("{}:{}: {}", note.file, note.line, note.text);
}

bool pattern_matches(const std::string& pattern, const std::string& function) {
  return function_matches(pattern.data(), pattern.size(), function.c_str());
}

bool chosen_by(const std::vector<std::string>& patterns, const std::string& function) {
  return !patterns.empty() &&
         is_function_wanted(fmt::format("{}", fmt::join(patterns, ",")).c_str(), function.c_str());
}

}  // namespace ww::instrument
