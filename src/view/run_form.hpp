// What a page asks to be run (whatwire view --allow-run), and what whoever knows of programs, launchers and settings makes of it:
// src/cli, which a view may not know, hands these functions down. Plain values.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::view {

struct RunForm {
  std::string launch;                           // the line, parted as a shell would
  std::string output;                           // name of the trace; empty: a free one
  std::map<std::string, std::string> settings;  // keys of `whatwire record`; of one without a value: "true"
};

// {"launch","output","settings":{"start":"2"}}. Error: it is not of this shape, or has more.
Result<RunForm> run_form_of(const std::string& json);
nlohmann::json to_json(const RunForm& form);

// Said beside its field: "launch", "output" or a key of the settings.
struct FieldFault {
  std::string field;
  Error error;
};

struct GuidedPlan {
  std::vector<FieldFault> faults;  // if there are any, nothing else is told
  std::vector<std::string> command;
  std::string shown;                // the same as it is typed in a terminal
  std::filesystem::path directory;  // of the trace, which is not there yet
  std::string output;               // as it was asked for, or the free name that was taken
};

// All of it below one folder. Called by one thread at a time.
struct RunKnowledge {
  // {"folder","programs":[{"path","kind"}],"files","left_out","keys":[{"name","about","flag","example"}],"processors"}
  std::function<nlohmann::json()> choices;
  // Of a file of settings, one of `files`: a form.
  std::function<Result<RunForm>(const std::string& file)> form_of_file;
  // The line that starts so many ranks of a program, one of `programs`.
  std::function<Result<std::string>(const std::string& program, int ranks)> line_for;
  std::function<GuidedPlan(const RunForm& form)> plan;
};

}  // namespace ww::view
