// The first process of a lab's PID namespace. All programs on the lab's hosts live in that namespace, so that
// the kernel ends exactly them, whatever they did to hide (daemons, other sessions, forks), when this process
// ends; and that it does when the switch ends, however that ends. Nobody has to find them by a number.
#pragma once
#include <sys/types.h>

#include <span>

#include "base/result.hpp"

namespace ww::lab {

class Init {
 public:
  // Forks: the caller must have one thread only. The namespaces stay open in it under the same descriptor
  // numbers, so that programs inside find them as /proc/1/fd/N. Nothing else does.
  static Result<Init> start(std::span<const int> namespaces);
  Init(Init&& other) noexcept;
  Init(const Init&) = delete;
  Init& operator=(const Init&) = delete;
  // The orderly end: programs get SIGTERM and half a second, then SIGKILL; back when none is left.
  ~Init();

  pid_t pid() const { return pid_; }
  int pid_namespace() const { return namespace_; }  // descriptors of ours
  int ended() const { return process_; }            // readable when it has ended
 private:
  Init() = default;
  pid_t pid_ = 0;
  int namespace_ = -1, process_ = -1, to_init_ = -1;
};

}  // namespace ww::lab
