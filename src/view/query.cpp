#include "view/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json_object.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"

namespace ww::view {
namespace {

constexpr std::size_t most_parameters = 64;
// Instants are integers that doubles hold exactly.
constexpr double most_ns = 9007199254740992.0;

tl::unexpected<Error> wrong(const std::string& what, const std::string& name, const std::string& remedy) {
  return wrong_usage(what, name, remedy);
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Of what cannot be shown as it is.
bool is_clean(const std::string& text) {
  std::string lines = text;
  std::replace(lines.begin(), lines.end(), '\t', ' ');
  std::erase(lines, '\r');
  return printable_lines(lines) == lines;
}

std::vector<std::string> names_of(std::string_view parameters) {
  std::vector<std::string> names;
  for (const std::string_view word : split_words(parameters)) {
    if (word != "SEL") {
      names.emplace_back(word);
      continue;
    }
    for (const std::string_view one : split_words(selection_parameters)) names.emplace_back(one);
  }
  return names;
}

}  // namespace

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = digit(text[i + 1]), low = digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

Result<Query> Query::parse(std::string_view text) {
  Query query;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('&', from), text.size());
    const std::string_view pair = text.substr(from, to - from);
    from = to + 1;
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = decoded(pair.substr(0, equals));
    const auto value = decoded(equals < pair.size() ? pair.substr(equals + 1) : std::string_view());
    if (!name || !value || !is_clean(*name) || !is_clean(*value))
      return wrong("the query cannot be read", printable(pair), "encode it as UTF-8 with %XX");
    if (value->empty()) continue;
    if (query.values_.size() == most_parameters)
      return wrong("the query has too many parameters", "", fmt::format("at most {}", most_parameters));
    if (!query.values_.emplace(*name, *value).second)
      return wrong("a parameter is given twice", *name, "give it once");
  }
  return query;
}

Result<void> Query::only(std::string_view parameters) const {
  const std::vector<std::string> known = names_of(parameters);
  for (const auto& [name, value] : values_) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest_word(name, known);
    if (near) return wrong("there is no such parameter", name, fmt::format("do you mean {}?", *near));
    return wrong("there is no such parameter", name,
                 known.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(known, ", ")));
  }
  return {};
}

std::string Query::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

Result<std::string> Query::needed_text(const std::string& name) const {
  if (!has(name)) return wrong("a parameter is missing", name, fmt::format("add {}=", name));
  return text(name);
}

Result<std::int64_t> Query::integer(const std::string& name, std::int64_t least, std::int64_t most,
                                    std::optional<std::int64_t> otherwise) const {
  if (!has(name) && otherwise) return *otherwise;
  WW_TRY(const std::string value, needed_text(name));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < least || number > most)
    return wrong(fmt::format("'{}' is no number that it takes", value), name,
                 fmt::format("give a whole number from {} to {}", least, most));
  return number;
}

Result<std::optional<std::int64_t>> Query::instant_ns(const std::string& name) const {
  if (!has(name)) return std::optional<std::int64_t>();
  const std::string value = text(name);
  double ns = 0;
  const auto [end, error] = number_from(value.data(), value.data() + value.size(), ns);
  if (error != std::errc() || end != value.data() + value.size() || !(std::abs(ns) <= most_ns))
    return wrong(fmt::format("'{}' is no instant", value), name,
                 "give nanoseconds since the begin of the program");
  return std::optional<std::int64_t>(std::llround(ns));
}

Result<bool> Query::flag(const std::string& name) const {
  const std::string value = text(name, "0");
  if (value != "0" && value != "1")
    return wrong(fmt::format("'{}' is neither 0 nor 1", value), name, "give 1");
  return value == "1";
}

Result<Selection> Query::selection() const {
  Selection selection;
  WW_TRY(const auto from_ns, instant_ns("from_ns"));
  WW_TRY(const auto to_ns, instant_ns("to_ns"));
  // What lies before the program (MPI_Init) belongs to a span from 0.
  if (from_ns && *from_ns > 0) selection.from_s = seconds_of(*from_ns);
  if (to_ns) {
    if (*to_ns <= std::max<std::int64_t>(0, from_ns.value_or(0)))
      return wrong("the span is empty", "to_ns", "let it end after its begin, and after 0");
    selection.to_s = seconds_of(*to_ns);
  }
  const auto numbers = [&](const char* name, std::vector<NumberRange>& into) -> Result<void> {
    if (!has(name)) return {};
    auto parsed = parse_numbers(text(name));
    if (!parsed) return wrong(parsed.error().what, name, parsed.error().remedy);
    into = *std::move(parsed);
    return {};
  };
  WW_CHECK(numbers("ranks", selection.ranks));
  WW_CHECK(numbers("peers", selection.peers));
  WW_CHECK(numbers("threads", selection.threads));
  const std::string calls = text("calls");
  for (std::size_t from = 0; has("calls") && from <= calls.size();) {
    const std::size_t to = std::min(calls.find(',', from), calls.size());
    if (to == from) return wrong("names no call", "calls", "write it like MPI_Send,collective");
    selection.calls.push_back(calls.substr(from, to - from));
    from = to + 1;
  }
  return selection;
}

std::string Query::canonical() const {
  std::string text;
  for (const auto& [name, value] : values_)
    text += fmt::format("{}:{}={}:{};", name.size(), name, value.size(), value);
  return text;
}

}  // namespace ww::view
