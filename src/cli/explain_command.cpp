// whatwire explain: what a diagnostic, a column or a verdict means, in plain words.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/json_object.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/terms.hpp"
#include "render/questions/questions.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string term;
  bool json = false;
};

struct Explained {
  std::string name, kind, text;
};

std::vector<Explained> everything() {
  std::vector<Explained> all;
  for (const Term& term : terms) all.push_back({term.name, term.kind, term.text});
  for (const Question* question : questions())
    all.push_back(
        {question->name, "question", fmt::format("report --ask {}: {}", question->name, question->about)});
  for (const DiagnosticEntry& entry : diagnostics_table)
    all.push_back({entry.name, fmt::format("diagnostic, {}", to_string(entry.severity)), entry.text});
  return all;
}

// Terms of one letter keep their case: g and G are two. Columns are known without their unit.
std::string plain(std::string word) {
  for (const std::string_view unit : {"_s", "_bytes"})
    if (word.size() > unit.size() && word.ends_with(unit)) word.resize(word.size() - unit.size());
  if (word.size() > 1)
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
      return static_cast<char>(c == '_' || c == ' ' ? '-' : std::tolower(c));
    });
  return word;
}

Result<std::vector<Explained>> meant_by(const std::string& term) {
  std::vector<Explained> all = everything();
  if (term.empty()) return all;
  std::vector<Explained> found;
  std::vector<std::string> names;
  for (Explained& each : all) {
    names.push_back(plain(each.name));
    if (each.name == term || plain(each.name) == plain(term)) found.push_back(std::move(each));
  }
  if (!found.empty()) return found;
  const auto near = nearest_word(plain(term), names);
  return fail("nothing here is called that", term,
              (near ? "did you mean " + *near + "? " : std::string()) + "whatwire explain lists all terms");
}

Result<int> explain(const Options& options) {
  WW_TRY(const std::vector<Explained> found, meant_by(options.term));
  if (options.json) {
    nlohmann::json out = {{"terms", nlohmann::json::array()}};
    for (const Explained& each : found)
      out["terms"].push_back({{"name", each.name}, {"kind", each.kind}, {"text", each.text}});
    fmt::print("{}\n", json_text(out, 2));
    return 0;
  }
  for (const Explained& each : found) fmt::print("{} ({}): {}\n", each.name, each.kind, each.text);
  return 0;
}

}  // namespace

void add_explain(CLI::App& root, Chosen& chosen) {
  auto* command =
      root.add_subcommand("explain", "What a diagnostic, a column or a verdict means, and what to do");
  auto options = std::make_shared<Options>();
  command->add_option("term", options->term, "The word; without one, all that are known")->type_name("TERM");
  command->footer("Example:  whatwire explain unmatched-send");
  add_json(*command, options->json);
  act(*command, chosen, options, explain);
}

}  // namespace ww::cli
