// The observations of S1's experiments on the terminal, in the order of its analysis program's listings.
#pragma once
#include <string>

#include "measure/raw_listing.hpp"

namespace ww {

std::string show(const measure::RawListing& listing);

}  // namespace ww
