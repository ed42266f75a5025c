// The verdict of a signature, and where its curve flattens, in words.
#pragma once
#include <string>

#include "dilate/verdict.hpp"

namespace ww {

std::string because(const Verdict& verdict);  // what it was found from; empty of one D only
// Why there is none though there are several D, and what to do; empty: the runs do not contradict it.
std::string why_none(const Verdict& verdict);
std::string because(const Flattening& flat);

}  // namespace ww
