// Where procedures of Fortran begin and end, and where their statements assign watched variables.
#pragma once
#include "instrument/sites.hpp"

namespace ww::instrument {

// Units' arguments: -I DIR, -D NAME[=VALUE], -ffixed-form, -ffree-form, -ffixed-line-length-N; others are passed over.
Found find_in_fortran(const FinderRequest& request);

}  // namespace ww::instrument
