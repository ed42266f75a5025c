// The links of a model as S2 tabulates them.
#pragma once
#include <string>

#include "machine/model.hpp"

namespace ww {

// A line a link: t_s, t_c, and alpha and beta in cycles and operations ("-" where clock or operations a cycle are
// not known); below it what t_c is fitted on, and a source's own numbers where the model keeps them.
std::string alpha_beta_table(const MachineModel& model);

}  // namespace ww
