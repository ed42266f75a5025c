// Who sent how much to whom: messages, and what collectives carry (carried.hpp), apart.
#pragma once
#include "analyze/question.hpp"

namespace ww {

std::string show_sent(const Breakdown& breakdown);  // the table by pair of ranks, and what is counted

}  // namespace ww
