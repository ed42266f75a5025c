// pthread_cancel ends a thread in the system calls that POSIX names for it (open, write, msync, ...): not while it holds what others wait for.
#pragma once
#include <pthread.h>

namespace ww::interpose {

class NotCancelled {
 public:
  NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace ww::interpose
