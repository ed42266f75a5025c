// mpiexec_mpt(1) of HPE MPT.
#include "launch/starter.hpp"

namespace ww::launch {

const Starter mpt{.title = "HPE MPT's mpiexec_mpt",
                  .called = "mpiexec_mpt",
                  .alone = "-v --verbose -stats",
                  .one = "-n -np -ppn --ppn -prefix -p -f -file -d -dir",
                  .joins = true};

}  // namespace ww::launch
