#include "cli/run_planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/files.hpp"
#include "base/parallel.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "cli/folder_choices.hpp"
#include "cli/run.hpp"
#include "cli/settings.hpp"
#include "launch/check.hpp"
#include "launch/launch.hpp"
#include "record/record.hpp"

namespace ww::cli {
namespace {

namespace fs = std::filesystem;
using view::FieldFault;
using view::GuidedPlan;
using view::RunForm;

constexpr const char* command_name = "record";
// Fields of their own, and what has no sense there: a result that is there is never replaced, and what is printed is shown.
const std::vector<std::string> no_settings = {"launch", "output", "force", "json"};

bool is_setting(const std::string& key) {
  return std::find(no_settings.begin(), no_settings.end(), key) == no_settings.end();
}

std::string joined(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

nlohmann::json keys() {
  const SettingsKnown known;
  nlohmann::json list = nlohmann::json::array();
  for (const SettingsKnown::Key& key : known.keys_of(command_name)) {
    if (!is_setting(key.name)) continue;
    const char* const example = example_of(command_name, key.name);
    list.push_back({{"name", key.name},
                    {"about", key.about},
                    {"flag", key.is_flag},
                    {"example", example == nullptr ? "" : example}});
  }
  return list;
}

nlohmann::json choices(const fs::path& folder) {
  const FolderChoices found = choices_below(folder);
  nlohmann::json programs = nlohmann::json::array();
  for (const FolderChoices::Program& one : found.programs)
    programs.push_back({{"path", one.path}, {"kind", printable(one.kind)}, {"known", one.known}});
  return {{"folder", printable(folder.string())},
          {"programs", std::move(programs)},
          {"files", found.settings},
          {"left_out", found.left_out},
          {"keys", keys()},
          {"processors", processors()}};
}

Result<RunForm> form_of_file(const fs::path& folder, const std::string& file) {
  WW_TRY(const fs::path place, place_below(folder, file));
  const std::vector<std::string> listed = choices_below(folder).settings;
  if (std::find(listed.begin(), listed.end(), file) == listed.end())
    return wrong_usage("no file of settings for whatwire record", printable(file),
                       listed.empty() ? "whatwire init writes one" : "choose one of those that are listed");
  SettingsKnown known;
  WW_TRY(const std::string text, read_file(place));
  WW_TRY(const auto settings, known.parse(text, file));
  RunForm form;
  for (const Setting& one : settings) {
    if (one.command != command_name) continue;
    if (one.key == "launch")
      form.launch = shell_quoted(one.values);
    else if (one.key == "output")
      form.output = joined(one.values);
    else if (is_setting(one.key))
      form.settings[one.key] = one.is_flag ? "true" : joined(one.values);
  }
  return form;
}

Result<std::string> line_for(const fs::path& folder, const std::string& program, int ranks) {
  WW_CHECK(place_below(folder, program));
  WW_TRY(const Library* const library, launch::check_program(program));
  if (library == nullptr || library->starts_itself()) return shell_quoted({program});
  Error refused;
  for (const std::string_view launcher : split_words(library->launchers)) {
    if (!find_program(std::string(launcher))) continue;
    std::vector<std::string> line = {std::string(launcher)};
    if (ranks > static_cast<int>(processors()) && *library->crowding_option != '\0')
      line.emplace_back(library->crowding_option);
    line.insert(line.end(), {"-n", std::to_string(ranks), program});
    const auto understood = understand(line);
    if (understood) return shell_quoted(line);
    refused = understood.error();
  }
  if (!refused.what.empty()) return tl::unexpected(refused);
  return fail(fmt::format("no launcher of {} is installed", library->title), program,
              fmt::format("install {}", library->packages));
}

// A free name for a result: app.ww, app-2.ww, ...
std::string free_name(const fs::path& folder, const std::string& name) {
  const std::string stem = name.ends_with(".ww") ? name.substr(0, name.size() - 3) : name;
  std::error_code ignored;
  for (int number = 1;; ++number) {
    std::string one = number == 1 ? stem + ".ww" : fmt::format("{}-{}.ww", stem, number);
    if (!fs::exists(fs::symlink_status(folder / one, ignored))) return one;
  }
}

class Planner {
 public:
  Planner(const fs::path& folder, const RunForm& form) : folder_(folder), form_(form) {}
  GuidedPlan plan() {
    check_settings();
    const auto launch = understood();
    const std::string output = output_for(launch);
    GuidedPlan plan;
    plan.faults = std::move(faults_);
    if (!plan.faults.empty()) return plan;
    std::vector<std::string> words = {command_name, "--output=" + output};
    for (const Setting& one : settings_) {
      if (one.is_flag) words.push_back("--" + one.key);
      for (const std::string& value : one.values) words.push_back("--" + one.key + "=" + value);
    }
    words.emplace_back("--");
    words.insert(words.end(), line_.begin(), line_.end());
    plan.shown = "whatwire " + shell_quoted(words);
    plan.command = {own_program().string()};
    plan.command.insert(plan.command.end(), words.begin(), words.end());
    plan.directory = folder_ / output;
    plan.output = output;
    return plan;
  }

 private:
  void fault(const std::string& field, Error error) { faults_.push_back({field, std::move(error)}); }

  void check_settings() {
    SettingsKnown known;
    std::map<std::string, bool> flags;
    for (const SettingsKnown::Key& key : known.keys_of(command_name))
      if (is_setting(key.name)) flags[key.name] = key.is_flag;
    for (const auto& [key, value] : form_.settings) {
      if (value.empty()) continue;
      const auto flag = flags.find(key);
      if (flag == flags.end()) {
        fault("launch", Error{"there is no such setting", printable(key), "reload the page", true});
        continue;
      }
      const std::string text = flag->second && value == "true" ? value : toml_text(value);
      const auto read = known.parse(fmt::format("[{}]\n{} = {}\n", command_name, key, text), key);
      if (!read) {
        // Its place is a line of what was put together here.
        Error error = read.error();
        error.where = "";
        if (const std::string prefix = key + ": "; error.what.starts_with(prefix))
          error.what.erase(0, prefix.size());
        fault(key, std::move(error));
        continue;
      }
      if (read->empty()) continue;
      if (key == "daemons")
        if (const auto place = place_below(folder_, value); !place) fault(key, place.error());
      for (const Setting& other : settings_)
        if (known.exclude(command_name, other.key, key))
          fault(key, Error{fmt::format("'{}' and '{}' exclude one another", other.key, key), "",
                           "leave one of them out", true});
      settings_.push_back(read->front());
    }
  }

  std::optional<Launch> understood() {
    line_ = shell_line(form_.launch).words;
    if (line_.empty()) {
      fault("launch",
            Error{"nothing to run", "", "choose a program, or write the line that starts it", true});
      return std::nullopt;
    }
    std::vector<std::size_t> programs;
    for (const Setting& one : settings_)
      if (one.key == "program") {
        std::istringstream numbers(joined(one.values));
        for (std::string number; std::getline(numbers, number, ',');) programs.push_back(std::stoul(number));
      }
    const auto marked = with_programs_marked(line_, programs);
    if (!marked) {
      fault("program", marked.error());
      return std::nullopt;
    }
    auto launch = understand(*marked);
    if (!launch) {
      fault("launch", launch.error());
      return std::nullopt;
    }
    for (const Setting& one : settings_)
      if (one.key == "calls") check_calls(joined(one.values), *launch);
    return *std::move(launch);
  }

  // What the command finds out only when it begins.
  void check_calls(const std::string& calls, const Launch& launch) {
    RecordFilter selection;
    selection.calls = calls;
    const Library& library = launch.library != nullptr ? *launch.library : default_library();
    const auto variables =
        variables_of(selection, preload_library(fmt::format("libwhatwire-{}.so", library.name)));
    if (!variables) fault("calls", variables.error());
  }

  std::string output_for(const std::optional<Launch>& launch) {
    if (form_.output.empty())
      return launch ? free_name(folder_, default_trace_directory(*launch).string()) : "";
    const auto place = place_below(folder_, form_.output);
    if (!place) {
      fault("output", place.error());
      return "";
    }
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(*place, ignored)) && !fs::is_empty(*place, ignored))
      fault("output", Error{"it is there already", printable(form_.output),
                            fmt::format("{} is free", free_name(folder_, form_.output)), true});
    const fs::path output = fs::path(form_.output).lexically_normal();
    return (output.has_filename() ? output : output.parent_path()).string();
  }

  const fs::path& folder_;
  const RunForm& form_;
  std::vector<FieldFault> faults_;
  std::vector<Setting> settings_;
  std::vector<std::string> line_;
};

}  // namespace

view::RunKnowledge run_knowledge(const fs::path& folder) {
  return {
      [folder] { return choices(folder); },
      [folder](const std::string& file) { return form_of_file(folder, file); },
      [folder](const std::string& program, int ranks) { return line_for(folder, program, ranks); },
      [folder](const RunForm& form) { return Planner(folder, form).plan(); },
  };
}

}  // namespace ww::cli
