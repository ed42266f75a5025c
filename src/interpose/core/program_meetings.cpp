// What threads of the program do to one another, where each has its own dilated computation (own_computation.hpp):
// whatever lets another go on happens when what the thread owes has passed, and what it waits for is not computation.
// Elsewhere each of these is a branch.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "interpose/core/next_function.hpp"
#include "interpose/core/own_computation.hpp"
#include "interpose/core/thread.hpp"

using namespace ww::interpose;

namespace {

Next<int(pthread_mutex_t*)> next_mutex_lock{"pthread_mutex_lock"};
Next<int(pthread_mutex_t*)> next_mutex_trylock{"pthread_mutex_trylock"};
Next<int(pthread_mutex_t*)> next_mutex_unlock{"pthread_mutex_unlock"};
Next<int(pthread_spinlock_t*)> next_spin_lock{"pthread_spin_lock"};
Next<int(pthread_spinlock_t*)> next_spin_trylock{"pthread_spin_trylock"};
Next<int(pthread_spinlock_t*)> next_spin_unlock{"pthread_spin_unlock"};
Next<int(pthread_rwlock_t*)> next_rdlock{"pthread_rwlock_rdlock"};
Next<int(pthread_rwlock_t*)> next_tryrdlock{"pthread_rwlock_tryrdlock"};
Next<int(pthread_rwlock_t*)> next_wrlock{"pthread_rwlock_wrlock"};
Next<int(pthread_rwlock_t*)> next_trywrlock{"pthread_rwlock_trywrlock"};
Next<int(pthread_rwlock_t*)> next_rw_unlock{"pthread_rwlock_unlock"};
Next<int(pthread_cond_t*, pthread_mutex_t*)> next_wait{"pthread_cond_wait"};
Next<int(pthread_cond_t*)> next_signal{"pthread_cond_signal"};
Next<int(pthread_cond_t*)> next_broadcast{"pthread_cond_broadcast"};
Next<int(pthread_barrier_t*)> next_barrier_wait{"pthread_barrier_wait"};
Next<int(sem_t*)> next_sem_wait{"sem_wait"};
Next<int(sem_t*)> next_sem_trywait{"sem_trywait"};
Next<int(sem_t*)> next_sem_post{"sem_post"};
Next<int(pthread_t, void**)> next_join{"pthread_join"};
Next<void(void*)> next_exit{"pthread_exit"};

// Signal handlers may post, and dlsym is not for handlers.
__attribute__((constructor)) void find_all_meetings() {
  next_mutex_lock.get();
  next_mutex_trylock.get();
  next_mutex_unlock.get();
  next_spin_lock.get();
  next_spin_trylock.get();
  next_spin_unlock.get();
  next_rdlock.get();
  next_tryrdlock.get();
  next_wrlock.get();
  next_trywrlock.get();
  next_rw_unlock.get();
  next_wait.get();
  next_signal.get();
  next_broadcast.get();
  next_barrier_wait.get();
  next_sem_wait.get();
  next_sem_trywait.get();
  next_sem_post.get();
  next_join.get();
  next_exit.get();
}

// It lets others go on, or finds what they did.
template <class Function, class... Arguments>
inline int met(Next<Function>& next, Arguments... arguments) {
  if (!computes_on_its_own()) return next.get()(arguments...);
  Meeting meeting;
  meeting.does_not_block();
  return next.get()(arguments...);
}
// It may wait for others.
template <class Function, class... Arguments>
inline int waited(Next<Function>& next, Arguments... arguments) {
  if (!concurrent || !dilating) return next.get()(arguments...);
  const Meeting meeting;  // threads may begin to be on their own meanwhile
  return next.get()(arguments...);
}
// The same; mostly it need not, which `attempt` says.
template <class Function, class... Arguments>
inline int locked(Next<Function>& attempt, Next<Function>& next, Arguments... arguments) {
  if (!computes_on_its_own()) return next.get()(arguments...);
  Meeting meeting;
  const int rc = attempt.get()(arguments...);
  if (rc == EBUSY) return next.get()(arguments...);
  meeting.does_not_block();
  return rc;
}

}  // namespace

WW_SEEN int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  return locked(next_mutex_trylock, next_mutex_lock, mutex);
}
WW_SEEN int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return met(next_mutex_trylock, mutex);
}
WW_SEEN int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  return met(next_mutex_unlock, mutex);
}

WW_SEEN int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  return locked(next_spin_trylock, next_spin_lock, lock);
}
WW_SEEN int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  return met(next_spin_trylock, lock);
}
WW_SEEN int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  return met(next_spin_unlock, lock);
}

WW_SEEN int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return locked(next_tryrdlock, next_rdlock, lock);
}
WW_SEEN int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return met(next_tryrdlock, lock);
}
WW_SEEN int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return locked(next_trywrlock, next_wrlock, lock);
}
WW_SEEN int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return met(next_trywrlock, lock);
}
WW_SEEN int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  return met(next_rw_unlock, lock);
}

WW_SEEN int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return waited(next_wait, condition, mutex);
}
WW_SEEN int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  return met(next_signal, condition);
}
WW_SEEN int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  return met(next_broadcast, condition);
}

WW_SEEN int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  return waited(next_barrier_wait, barrier);
}

WW_SEEN int sem_wait(sem_t* semaphore) {
  return waited(next_sem_wait, semaphore);
}
WW_SEEN int sem_trywait(sem_t* semaphore) noexcept {
  return met(next_sem_trywait, semaphore);
}
WW_SEEN int sem_post(sem_t* semaphore) noexcept {
  return met(next_sem_post, semaphore);
}

WW_SEEN int pthread_join(pthread_t thread, void** result) {
  return waited(next_join, thread, result);
}
WW_SEEN void pthread_exit(void* result) {
  if (computes_on_its_own()) settle_own(false);
  next_exit.get()(result);
  __builtin_unreachable();
}
