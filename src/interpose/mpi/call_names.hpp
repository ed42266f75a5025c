// Generated at build time from calls.table and mpi.h: the names of all wrapped calls, by call number.
#pragma once

namespace ww::interpose {

extern const char* const call_names_json;  // ["","MPI_Abort",...]: number 0 is no call

}  // namespace ww::interpose
