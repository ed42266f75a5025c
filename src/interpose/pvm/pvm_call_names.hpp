// Generated at build time from calls.table and pvm3.h: the names of all wrapped calls, by call number.
#pragma once

namespace ww::interpose {

extern const char* const call_names_json;     // ["","pvm_addhosts",...]: number 0 is no call
extern const char* const call_meanings_json;  // likewise: ["","other",...]
extern const char* const call_names[];        // "", "pvm_addhosts", ...
extern const char* const call_classes[];      // of environment.hpp; "frame": what every trace has
extern const int calls_count;                 // of entries, number 0 included
extern const int enrolling_call;              // pvm_mytid

}  // namespace ww::interpose
