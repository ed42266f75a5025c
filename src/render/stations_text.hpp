// The tables of S4's Appendix A.
#pragma once
#include <string>

#include "simulate/stations/scenarios_of_stations.hpp"

namespace ww {

std::string stations_tables(const stations::StationsStudy& study);
std::string stations_csv(const stations::StationsStudy& study);

}  // namespace ww
