// Generated at build time from a recorder's calls.table and the header of its library: the names of all wrapped calls, by call number.
#pragma once

namespace ww::interpose {

extern const char* const call_names_json;     // ["","MPI_Abort",...]: number 0 is no call
extern const char* const call_meanings_json;  // likewise: ["","frame",...]
extern const char* const call_names[];        // "", "MPI_Abort", ...
extern const char* const call_classes[];      // of environment.hpp; "frame": what every trace has
extern const int calls_count;                 // of entries, number 0 included

}  // namespace ww::interpose
