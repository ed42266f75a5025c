#include "cli/selection_options.hpp"

#include <algorithm>

#include "base/units.hpp"

namespace ww::cli {
namespace {

// The error of a value, with the option that has it.
tl::unexpected<Error> at(const char* option, const std::string& text, Error error) {
  error.where = std::string(option) + " '" + text + "'";
  return tl::unexpected(std::move(error));
}

Result<void> read_instant(const char* option, const std::optional<std::string>& text,
                          std::optional<double>& into) {
  if (text) {
    WW_TRY(into, instant_of(option, *text));
  }
  return {};
}

Result<void> read_numbers(const char* option, const std::optional<std::string>& text,
                          std::vector<NumberRange>& into) {
  if (!text) return {};
  auto numbers = parse_numbers(*text);
  if (!numbers) return at(option, *text, std::move(numbers.error()));
  into = *std::move(numbers);
  return {};
}

Result<void> read_calls(const std::optional<std::string>& text, std::vector<std::string>& into) {
  if (!text) return {};
  for (std::size_t from = 0; from <= text->size();) {
    const std::size_t to = std::min(text->find(',', from), text->size());
    if (to == from)
      return wrong_usage("names no call and no class of calls", "--calls '" + *text + "'",
                         "write it like MPI_Send,collective");
    into.push_back(text->substr(from, to - from));
    from = to + 1;
  }
  return {};
}

}  // namespace

Result<double> instant_of(const char* option, const std::string& text) {
  const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;  // seconds
  const auto seconds = parse_time_s(bare ? text + "s" : text);
  if (!seconds)
    return wrong_usage(seconds.error().what, std::string(option) + " " + text, seconds.error().remedy);
  return *seconds;
}

Result<Selection> selection_of(const SelectionOptions& options) {
  Selection selection;
  WW_CHECK(read_instant("--from", options.from, selection.from_s));
  WW_CHECK(read_instant("--to", options.to, selection.to_s));
  WW_CHECK(read_numbers("--ranks", options.ranks, selection.ranks));
  WW_CHECK(read_calls(options.calls, selection.calls));
  WW_CHECK(read_numbers("--peers", options.peers, selection.peers));
  WW_CHECK(read_numbers("--threads", options.threads, selection.threads));
  return selection;
}

void add_selection(CLI::App& command, SelectionOptions& options) {
  const auto add = [&](const char* name, std::optional<std::string>& into, const char* type,
                       const char* about) {
    command.add_option(name, into, about)->type_name(type)->group("Only a part of the run");
  };
  add("--from", options.from, "TIME", "From this time of the run on, as 1.5 (seconds) or 20ms");
  add("--to", options.to, "TIME", "... until this one");
  add("--ranks", options.ranks, "LIST", "These ranks, as 0-3,7");
  add("--calls", options.calls, "LIST",
      "These calls: by name, or p2p, collective, communicator, one-sided, io, other; separated by commas");
  add("--peers", options.peers, "LIST", "Messages to and from these ranks, and calls that deal with them");
  add("--threads", options.threads, "LIST", "Calls of these threads of each rank; 0 called MPI_Init");
}

}  // namespace ww::cli
