#include "record/record_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/files.hpp"
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
      if (classes == std::end(environment::call_classes) && !wraps(image, word))
        return wrong_usage(
            "--calls names what is no call and no class of calls", "'" + word + "'",
            "name MPI calls (MPI_Send) or " + fmt::format("{}", fmt::join(environment::call_classes, ", ")));
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
  if (selection.durable) variables.emplace_back(environment::durable, "1");
  return variables;
}

}  // namespace ww
