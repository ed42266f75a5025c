// What the task does that passes messages on beside rank 0 (forwarding.cpp), until it is told to stop. Of PVM alone.
#pragma once

namespace ww::measure {

void pass_messages_on();

}  // namespace ww::measure
