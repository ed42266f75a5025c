// A PVM task as the recorder sees it: when it is enrolled, who its peers are, what is in its buffers.
#pragma once
#include <stdint.h>

#include "interpose/core/spool_format.hpp"

namespace ww::interpose {

// This thread asks libpvm3 something for the recorder: calls that come of that are not the program's.
extern thread_local bool asking __attribute__((tls_model("initial-exec")));

class Asking {
 public:
  Asking() : before_(asking) { asking = true; }
  ~Asking() { asking = before_; }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  bool before_;
};

// A call before the recorder is on. Calls nest; only the outermost may turn it on.
class Enrolling {
 public:
  Enrolling();
  ~Enrolling();
  Enrolling(const Enrolling&) = delete;
  Enrolling& operator=(const Enrolling&) = delete;
  bool is_over() const;  // the process has a tid now, wants to be recorded, and was not before
  uint64_t entered() const { return entered_; }

 private:
  uint64_t entered_;
};

extern const int enrolling_call;  // pvm_mytid, as call_names.hpp counts

// Turns the recorder on in the call `id` that was entered then. Any call enrols a process; where that is not pvm_mytid, an empty one is put
// before it, which is what readers know as the beginning.
void begin_task(uint16_t id, uint64_t entered);
void end_task();
void write_route();  // whether messages go from task to task; the last word counts

int32_t peer_of(int tid);
// As asked for: -1 is any.
inline int32_t asked_peer(int tid) {
  return tid == -1 ? spool::any_peer : peer_of(tid);
}
// PVM's own messages have codes below 0 (PvmResvTids), which traces have no place for: their other 31 bits stay.
inline int32_t tag_of(int code) {
  return code & 0x7fffffff;
}
inline int32_t asked_tag(int code) {
  return code == -1 ? spool::any_tag : tag_of(code);
}

// libpvm3's, once the recorder is on. In a program that has libpvm3 in its own code where that begins and ends nothing says: there it is what
// the program calls while it is inside a call of PVM, and so libpvm3, or a handler that the program gave to PVM.
bool is_of_library(const void* code);

uint64_t bytes_to_send();  // of the active send buffer
void made_buffer(int buffer, int encoding);
void packed(uint64_t bytes);  // into the active send buffer
struct InBuffer {
  uint64_t bytes;
  int from, tag;
};
InBuffer received(int buffer);

// Whether the tid at `at` is among those before it: PVM sends a task one of each message.
bool is_sent_before(const int* tids, int at);

}  // namespace ww::interpose
