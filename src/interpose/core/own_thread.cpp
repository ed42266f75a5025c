#include "interpose/core/own_thread.hpp"

#include <signal.h>

namespace ww::interpose {

bool start_own_thread(void* (*body)(void*), pthread_t& thread, const char* name) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // Where the program has much thread-local memory this stack is too small, and the usual one is taken.
  const bool good = pthread_create(&thread, &attributes, body, nullptr) == 0 ||
                    pthread_create(&thread, nullptr, body, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (good) pthread_setname_np(thread, name);
  return good;
}

}  // namespace ww::interpose
