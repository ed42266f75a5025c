// Programs in other tools' forms, read as schedules (`whatwire import`). A form is a reader and a line in imported.cpp.
#pragma once
#include <filesystem>
#include <span>

#include "base/result.hpp"
#include "simulate/schedule/schedule.hpp"

namespace ww::simulate {

struct ImportForm {
  const char* name;  // in messages
  const char* says;  // in the help
  bool (*is)(const std::filesystem::path& given);
  Result<schedule::Schedule> (*read)(const std::filesystem::path& given);
  const char* assumes;  // what of the program is not in the schedule; "": nothing
};
std::span<const ImportForm> import_forms();
// The first that it is; the last where it is none, whose reader says what is wrong.
const ImportForm& import_form_of(const std::filesystem::path& given);

}  // namespace ww::simulate
