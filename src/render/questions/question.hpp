// The questions that `whatwire report --ask` answers: one a file, registered in one line of questions.hpp. What
// they find is a stage's (src/analyze), plain values; here it becomes JSON and text.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/breakdown.hpp"
#include "analyze/selection.hpp"
#include "analyze/waits.hpp"
#include "base/result.hpp"
#include "trace/trace.hpp"

namespace ww {

// What all questions are given.
struct Given {
  const Trace& trace;
  const Breakdown& breakdown;     // of the part that is asked about
  const Waits& waits;             // find_waits of the same trace, the whole of it
  std::optional<double> ideal_s;  // the run on a network without cost; analyses cannot simulate
  std::string ideal_why;          // how that was found, or why it is not there
  std::string message;            // the message to follow, as the user named it
  std::optional<double> at_s;     // an instant, since the beginning of the program
  Part part = Part(trace);        // that is asked about
};

struct Answer {
  nlohmann::json json;
  std::string text;  // for a terminal of 100 columns
};

struct Question {
  const char* name;   // of --ask
  const char* key;    // in `report --json`
  const char* about;  // one line of help
  Result<Answer> (*answer)(const Given& given);
  bool wants_ideal = false;
  bool wants_message = false;          // about one message: not among "all"
  const char* always_whole = nullptr;  // why it answers for the whole run whatever is selected
};

std::span<const Question* const> questions();

// What there is nothing of is null.
template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace ww
