// ibrun of TACC.
#include "launch/starter.hpp"

namespace ww::launch {

const Starter ibrun{
    .title = "TACC's ibrun", .called = "ibrun", .alone = "-v", .one = "-n -np -o -p", .joins = false};

}  // namespace ww::launch
