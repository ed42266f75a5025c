// `report --ask delays`: waits followed to their causes, by rank (delays.hpp has the rule).
#pragma once
#include "analyze/question.hpp"

namespace ww {

Result<Answer> answer_delays(const Given& given);

}  // namespace ww
