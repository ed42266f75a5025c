// Dilated runs, and runs in virtual time, on the terminal.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dilate/dilate.hpp"
#include "dilate/virtual_run.hpp"

namespace ww {

// The table of the signature and what follows from it; of self-tests, where these were asked for, what they gave.
std::string show(const Dilation& dilation, const std::vector<SelfTest>* tests, bool every_rank);
// What was assumed, and how exactly computation was stretched. `printed`: where the program's output is.
std::string show_conditions(const Dilation& dilation, const std::string& printed);
nlohmann::json to_json(const Dilation& dilation);  // `dilate --json`
std::string show(const VirtualRun& run, const std::string& printed);

}  // namespace ww
