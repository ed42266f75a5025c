// What one rank works out for all members of a communicator: when a collective call is over for each of them.
// Who comes first does it, since the ports must be passed once; the others take what it found. In memory that
// all ranks share.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ww::interpose {

size_t once_memory(int ranks);
void start_once(void* memory, int ranks);  // that many zeros; it stays the caller's

// The `number`-th collective of the communicator `comm`, of `members` ranks (at most all). Each member makes
// one of these.
class Once {
 public:
  Once(uint64_t comm, uint64_t number, int members);
  ~Once();
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;

  // A number for each member. `to_be_found`: they are zeros, and the caller's to write before this goes out
  // of scope; otherwise they are there. nullptr: too many are being worked out at once, or who came first
  // died of it.
  double* values() const { return values_; }
  bool to_be_found() const { return first_; }
  // The place was another collective's that members may still come to: of 256 it was the one that was found
  // longest ago. Whoever comes to that later works it out again.
  bool displaced() const { return displaced_; }

 private:
  struct Slot* slot_ = nullptr;
  double* values_ = nullptr;
  bool first_ = false, displaced_ = false;
};

}  // namespace ww::interpose
