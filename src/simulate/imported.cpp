#include "simulate/imported.hpp"

#include <algorithm>
#include <array>

#include "simulate/schedule/goal.hpp"
#include "simulate/stations/station_schedule.hpp"

namespace ww::simulate {
namespace {

bool is_in_a_directory(const std::filesystem::path& given) {
  std::error_code ignored;
  return std::filesystem::is_directory(given, ignored);
}
bool is_a_file(const std::filesystem::path& given) {
  return !is_in_a_directory(given);
}

constexpr std::array forms = {
    ImportForm{
        "S4's replay input",
        "A directory of station.0, station.1, ...: the replay input of Zabel 1996 (S4), as whatwire export\n"
        "--to s4 writes it. Its computation is kept; the time of its writes and reads is left out, as what\n"
        "messages cost is the model's. A multicast is a message to each; a station's messages to itself are\n"
        "left out.",
        is_in_a_directory, stations::read_schedule_of,
        "the time of the stations' writes and reads is left out: what messages cost is the model's"},
    ImportForm{"GOAL", "GOAL, the text of LogGOPSim's schedules.", is_a_file, schedule::read_goal, ""},
};

}  // namespace

std::span<const ImportForm> import_forms() {
  return forms;
}

const ImportForm& import_form_of(const std::filesystem::path& given) {
  const auto found =
      std::find_if(forms.begin(), forms.end(), [&](const ImportForm& one) { return one.is(given); });
  return found == forms.end() ? forms.back() : *found;
}

}  // namespace ww::simulate
