// Dilation of a process whose threads call MPI at once (MPI_THREAD_MULTIPLE): each thread of the program has a
// dilated computation of its own.
//
// A thread owes D - 1 times what it has computed. It passes that itself, and before anybody can see what it did:
// before its calls of MPI, as ever, and before whatever it does by which another thread can go on (unlocking,
// signalling, posting, meeting at a barrier, creating a thread, ending). So nothing is handed over as a number:
// whoever is let go on is so at the time at which it would be on a machine D times as slow, and what one thread
// owes is never owed by another. What a thread waits for others is not computation: they have passed theirs.
//
//   settle, lock, compute ... settle, signal, unlock            one thread: the other goes on D t after
//   settle, lock, settle, wait ............ compute             the other: nothing of this is stretched
//
// Seen are the functions of POSIX threads and semaphores, which the C++ library's locks and conditions are made
// of. Of other means (futexes, OpenMP's barriers, flags that somebody polls) it is known how long threads slept
// in them, which is not stretched, and not who was let go on: unseen_wait_ns, has_teams.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// This thread, if it is one of the program's outside of calls of MPI, has its own computation.
bool computes_on_its_own();

// Passes what this thread owes; gives the time after it. `at_call`: it is about to call MPI.
uint64_t settle_own(bool at_call);

// Between calls, whoever computes: passes what the thread owes, and it computes on.
void settle_now();

// The thread computes from now on, after it has waited where it was seen, or done something that takes no
// time, or for the first time.
enum class Before : uint8_t { waited, worked };
void compute_on(Before before);

// Around what threads do to one another: before and after it. `waits`: it may have blocked.
class Meeting {
 public:
  Meeting() : on_(computes_on_its_own()) {
    if (on_) settle_own(false);
  }
  ~Meeting() {
    if (computes_on_its_own()) compute_on(blocks_ ? Before::waited : Before::worked);
  }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  bool on() const { return on_; }
  void does_not_block() { blocks_ = false; }

 private:
  bool on_, blocks_ = true;
};

// By all threads, while each was on its own: asleep outside of what is seen.
uint64_t unseen_wait_ns();
// A library that makes teams of threads (OpenMP) is in the process: whom they let go on is not seen.
bool has_teams();

}  // namespace ww::interpose
