// How much memory the process takes: over time, where that is asked for, as two values of a thread of ours; and at its end, with what
// of it the recorder added.
#pragma once

namespace ww::interpose {

// The recording begins; when it ends the thread does, and the fact "memory" is written. The names of the values are "memory: private" (heap, stacks, data) and "memory: shared" (files, shared with others).
void begin_memory();

}  // namespace ww::interpose
