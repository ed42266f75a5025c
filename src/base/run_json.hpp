// What a run says of itself and of its machine (Trace::run, run.json), which may lack any of it or hold
// anything.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ww {

double value_of(const nlohmann::json& of, const char* key, double otherwise = 0);
std::string text_of(const nlohmann::json& of, const char* key);  // empty: it is not there, or no text
const nlohmann::json& ranks_of(const nlohmann::json& run);       // an array, empty if there are none
const nlohmann::json& machine_of(const nlohmann::json& run);     // an object, empty if there is none
std::string machine_name(const nlohmann::json& run);
int usable_cores(const nlohmann::json& run);  // of the machine that whatwire ran on; 0: not known
bool in_lab(const nlohmann::json& run);
bool in_virtual_time(const nlohmann::json& run);  // its times are not those that passed
// Does that rank run on the machine that whatwire runs on, whose cores are known? All hosts of a lab do.
bool is_here(const nlohmann::json& rank, const nlohmann::json& run);

}  // namespace ww
