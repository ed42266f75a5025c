// whatwire summary: several studies as one table and one page.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/kept_file.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "render/study_text.hpp"
#include "report/html.hpp"
#include "report/html_check.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::vector<std::string> studies;
  std::string page, data;
  bool json = false;
};

Result<nlohmann::json> load_study(const std::filesystem::path& given) {
  const std::filesystem::path file = std::filesystem::is_directory(given) ? given / "study.json" : given;
  WW_TRY(const std::string text, read_file(file));
  nlohmann::json study = nlohmann::json::parse(text, nullptr, false);
  for (const char* key : {"name", "recorded_s", "what_ifs"})
    if (!study.is_object() || !study.contains(key))
      return fail("not a study", file.string(),
                  "name a study.json or the directory that whatwire study wrote");
  make_printable(study);
  if (const auto good = check_study(study); !good)
    return fail("damaged study, " + good.error().what,
                fmt::format("{}, key {}", file.string(), good.error().where), "make the study again");
  return study;
}

// demo.json of the interface page.
nlohmann::json programs_json(const std::vector<nlohmann::json>& studies) {
  nlohmann::json programs = nlohmann::json::array();
  for (const nlohmann::json& study : studies) {
    nlohmann::json what_ifs = nlohmann::json::array();
    for (const nlohmann::json& w : study.at("what_ifs")) {
      nlohmann::json entry;
      for (const char* key : {"spec", "simulated", "simulated_error", "dilated", "dilated_error", "virtual",
                              "virtual_error", "real", "agree"})
        entry[key] = w.value(key, nlohmann::json());
      what_ifs.push_back(std::move(entry));
    }
    programs.push_back(
        {{"name", study.at("name")}, {"recorded_s", study.at("recorded_s")}, {"what_ifs", what_ifs}});
  }
  return {{"programs", programs}};
}

// A file that --data wrote.
bool is_data(const std::filesystem::path& file) {
  const auto text = read_file(file);
  const nlohmann::json data = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  return data.is_object() && data.contains("programs") && data["programs"].is_array();
}

Result<int> work(const Options& options) {
  std::vector<nlohmann::json> studies;
  for (const std::string& path : options.studies) {
    WW_TRY(nlohmann::json study, load_study(path));
    studies.push_back(std::move(study));
  }
  const nlohmann::json programs = programs_json(studies);
  if (!options.page.empty()) {
    WW_TRY(const std::string page, html_report({{"studies", studies}}));
    WW_TRY(const auto said, write_output_file(options.page, page, is_html_report));
    say(said);
  }
  if (!options.data.empty()) {
    WW_TRY(const auto said, write_output_file(options.data, json_text(programs, 2) + "\n", is_data));
    say(said);
  }
  if (options.json)
    fmt::print("{}\n", json_text(programs, 2));
  else
    fmt::print("{}", agreement_table(studies));
  return 0;
}

}  // namespace

void add_summary(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("summary", "Several studies as one table and one page");
  command->footer("Example:  whatwire summary cg.study ring.study --html report.html");
  auto options = std::make_shared<Options>();
  command->add_option("study", options->studies, "Directories of studies, or study.json files")->required();
  command->add_option("--html", options->page, "Write one page over all of them")->type_name("FILE");
  command->add_option("--data", options->data, "Write the table as JSON")->type_name("FILE");
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli
