#include "view/run_form.hpp"

namespace ww::view {
namespace {

const std::string* text_in(const nlohmann::json& json) {
  return json.get_ptr<const std::string*>();
}

}  // namespace

Result<RunForm> run_form_of(const std::string& json) {
  const auto wrong = [](const std::string& where) {
    return wrong_usage("not what a run is asked for by", where,
                       R"(send {"launch": "...", "output": "...", "settings": {"start": "2"}})");
  };
  const auto asked = nlohmann::json::parse(json, nullptr, false);
  if (!asked.is_object()) return wrong("the body");
  RunForm form;
  for (const auto& [key, value] : asked.items()) {
    if (key == "settings" && value.is_object()) {
      for (const auto& [name, setting] : value.items()) {
        if (!setting.is_string()) return wrong(name);
        form.settings[name] = *text_in(setting);
      }
      continue;
    }
    if (!value.is_string() || (key != "launch" && key != "output")) return wrong(key);
    (key == "launch" ? form.launch : form.output) = *text_in(value);
  }
  return form;
}

nlohmann::json to_json(const RunForm& form) {
  return {{"launch", form.launch}, {"output", form.output}, {"settings", form.settings}};
}

}  // namespace ww::view
