// PVM's contexts (pvm_newcontext, pvm_setcontext): a message is received only where its receiver is in the context that its sender was in.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// The one that this task is in now, as the communicator of a record; 0, in which programs begin, is that of all messages. Each other one is
// defined before its first use.
uint32_t message_context();

}  // namespace ww::interpose
