// What is to be known of a host to judge its times.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace ww::measure {

// {"cpu","governor","kernel","cores","clock_hz","boot_id"}; what this host does not tell is "". clock_hz: of
// the time stamp counter, counted for 20 ms; where there is none, of /proc/cpuinfo; else 0.
nlohmann::json host_facts();

// What the environment sets of the MPI libraries and what carries their messages.
nlohmann::json mpi_settings();

}  // namespace ww::measure
