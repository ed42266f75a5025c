// What is in a lab's directory (lab_plan.hpp says what for): what may be removed of it.
#pragma once
#include "base/owned.hpp"

namespace ww::lab {

// Of a virtual machine of PVM's (pvm_machine.cpp): what a host's daemon and tasks keep there (PVM_TMP), by host.
inline constexpr owned::Entry pvm_host_entries[] = {{"pvm*"}};
inline constexpr owned::ContentKind pvm_host_kind{"pvm-host", pvm_host_entries, false};
inline constexpr owned::Entry pvm_machine_entries[] = {{"said"}, {"[0-9]*", &pvm_host_kind}};
inline constexpr owned::ContentKind pvm_machine_kind{"pvm-machine", pvm_machine_entries, false};

inline constexpr owned::Entry directory_entries[] = {
    {"lab.json"}, {"running.json"}, {"lock"},         {"control"},
    {"hosts"},    {"switch.log"},   {"*.part[0-9]*"}, {"pvm-[0-9]*", &pvm_machine_kind}};
inline constexpr owned::ContentKind directory_kind{"lab", directory_entries};

}  // namespace ww::lab
