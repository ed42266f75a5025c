// What messages cost is tens of KB in the environment, which would go to the daemons with each pvm_spawn: 20 ms at 10 Mb/s. So
// PVM_EXPORT does not name it (record/record.cpp), and spawned tasks find it in the spool directory.
#pragma once

namespace ww::interpose {

// Before the environment is read: who has those variables leaves them there, who has not takes them from there.
void pass_costs_on(const char* spool_dir);

}  // namespace ww::interpose
