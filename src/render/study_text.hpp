// One table over several studies: recorded, replayed, simulated, dilated, real, the error of each prediction
// and the gain of what leads (headline.hpp), and a sentence for each what-if.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ww {

// `studies` are study.json objects. Lines end in newlines; what is missing shows as "-" with its reason below
// the table.
std::string agreement_table(const std::vector<nlohmann::json>& studies);

}  // namespace ww
