#include "record/record_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "base/files.hpp"
#include "base/json_object.hpp"
#include "interpose/core/environment.hpp"

namespace ww {
namespace {

// The recorder exports every call that it wraps: its name stands, between zeros, in the library's table of
// names; and in the table of calls that it writes into its spools, between quotes.
bool wraps(const std::string& library, const std::string& call) {
  using namespace std::string_literals;
  return !call.empty() && library.find("\0"s + call + "\0"s) != std::string::npos &&
         library.find("\"" + call + "\"") != std::string::npos;
}

// What stands between two such characters and is made of a call's letters.
std::set<std::string_view> words_between(std::string_view library, char mark) {
  std::set<std::string_view> words;
  for (std::size_t from = 0; from < library.size();) {
    const std::size_t to = std::min(library.find(mark, from), library.size());
    const std::string_view word = library.substr(from, to - from);
    if (word.starts_with("MPI_") || word.starts_with("pvm_")) words.insert(word);
    from = to + 1;
  }
  return words;
}

// What may be meant: the classes, and the calls (see wraps), in one pass over the library for each mark.
std::vector<std::string> names_in(const std::string& library) {
  std::vector<std::string> names(std::begin(environment::call_classes), std::end(environment::call_classes));
  const auto exported = words_between(library, '\0'), recorded = words_between(library, '"');
  for (const std::string_view word : exported)
    if (recorded.contains(word)) names.emplace_back(word);
  return names;
}

}  // namespace

Result<Variables> variables_of(const RecordFilter& selection, const std::filesystem::path& library) {
  Variables variables;
  if (!selection.calls.empty()) {
    WW_TRY(const std::string image, read_file(library));
    for (std::size_t from = 0; from <= selection.calls.size();) {
      const std::size_t to = std::min(selection.calls.find(',', from), selection.calls.size());
      const std::string word = selection.calls.substr(from, to - from);
      const auto classes =
          std::find(std::begin(environment::call_classes), std::end(environment::call_classes), word);
      if (classes == std::end(environment::call_classes) && !wraps(image, word)) {
        const auto nearest = nearest_word(word, names_in(image));
        return wrong_usage("--calls names what is no call and no class of calls", "'" + word + "'",
                           fmt::format("{}name MPI calls (MPI_Send) or {}",
                                       nearest ? fmt::format("did you mean '{}'? ", *nearest) : "",
                                       fmt::join(environment::call_classes, ", ")));
      }
      from = to + 1;
    }
    variables.emplace_back(environment::calls, selection.calls);
  }
  if (selection.start_s > 0)
    variables.emplace_back(environment::start, fmt::format("{:.9f}", selection.start_s));
  if (selection.max_records > 0)
    variables.emplace_back(environment::max_records, std::to_string(selection.max_records));
  if (!selection.functions.empty()) variables.emplace_back(environment::functions, selection.functions);
  if (selection.functions_counted) variables.emplace_back(environment::functions_counted, "1");
  if (selection.memory_ms > 0)
    variables.emplace_back(environment::memory_interval, fmt::format("{}", selection.memory_ms));
  if (selection.durable) variables.emplace_back(environment::durable, "1");
  return variables;
}

}  // namespace ww
