// What a run says of itself and of its machine (Trace::run), which may lack any of it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace ww {

double value_of(const nlohmann::json& of, const char* key, double otherwise = 0);
const nlohmann::json& ranks_of(const nlohmann::json& run);  // an array, empty if there are none
std::string machine_name(const nlohmann::json& run);
int usable_cores(const nlohmann::json& run);  // of the machine that whatwire ran on; 0: not known
bool in_lab(const nlohmann::json& run);
// Does that rank run on the machine that whatwire runs on, whose cores are known? All hosts of a lab do.
bool is_here(const nlohmann::json& rank, const nlohmann::json& run);

}  // namespace ww
