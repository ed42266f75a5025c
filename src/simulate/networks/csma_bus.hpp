// The bus by the names that networks here use.
#pragma once
#include "ether/csma_bus.hpp"

namespace ww::simulate {

using ether::BusCounts;
using ether::BusFrame;
using ether::BusRules;
using ether::BusStation;
using ether::BusUser;
using ether::CsmaBus;

}  // namespace ww::simulate
