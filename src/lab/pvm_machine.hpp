// What the parts that make a virtual machine of PVM's in a lab share (pvm_machine.cpp, agent.cpp).
#pragma once

namespace ww::lab {

// The directory of the machine that is being made: host K's daemon has its files in DIRECTORY/K.
inline constexpr const char* pvm_place_variable = "WHATWIRE_LAB_PVM";

// A library that the machine's daemons load, which takes itself out of what they start.
inline constexpr const char* pvm_preload_variable = "WHATWIRE_LAB_PVM_PRELOAD";

}  // namespace ww::lab
