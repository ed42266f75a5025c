/* libwhatwire-lab-mpich.so: lets MPI_Finalize of Debian's MPICH 4.0.2 end over TCP. launch_on preloads it.

   There a rank first flushes its UCX endpoints, which over TCP waits for the peer's acknowledgement, then
   enters a barrier of the process manager, in which it does not serve UCX. A rank whose request to be
   acknowledged comes when the other is already in the barrier waits for ever (MPICH removed that barrier
   later: its pull request 6596). So from a rank's first disconnect to the end of its worker a thread serves
   UCX here. Before that a call of ucp_worker_progress takes one more jump. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <ucp/api/ucp.h>

#define EXPORTED __attribute__((visibility("default")))

enum { most_workers = 64 }; /* MPICH makes one, or as many as its MPIR_CVAR_CH4_NUM_VCIS */
static ucp_worker_h workers[most_workers];
static int worker_count;

/* Workers are serialised (UCS_THREAD_MODE_SERIALIZED): one thread at a time. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_t server;
static bool serving, leave;

static void* next(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

static unsigned progress(ucp_worker_h worker) {
  static unsigned (*real)(ucp_worker_h);
  if (real == NULL) *(void**)&real = next("ucp_worker_progress");
  return real(worker);
}

static void progress_all(void) {
  for (int i = 0; i < worker_count; ++i) progress(workers[i]);
}

static void* serve(void* unused) {
  const struct timespec pause = {0, 100000};
  for (bool ends = false; !ends;) {
    pthread_mutex_lock(&turn);
    progress_all();
    ends = leave;
    pthread_mutex_unlock(&turn);
    nanosleep(&pause, NULL);
  }
  return unused;
}

static void begin_serving(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's signals stay those of its threads */
  serving = pthread_create(&server, NULL, serve, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_serving(void) {
  pthread_mutex_lock(&turn);
  leave = true;
  pthread_mutex_unlock(&turn);
  pthread_join(server, NULL);
  serving = leave = false;
}

EXPORTED ucs_status_t ucp_worker_create(ucp_context_h context, const ucp_worker_params_t* params,
                                        ucp_worker_h* made) {
  ucs_status_t (*real)(ucp_context_h, const ucp_worker_params_t*, ucp_worker_h*);
  *(void**)&real = next("ucp_worker_create");
  const ucs_status_t status = real(context, params, made);
  if (status == UCS_OK && worker_count < most_workers) workers[worker_count++] = *made;
  return status;
}

EXPORTED unsigned ucp_worker_progress(ucp_worker_h worker) {
  if (!serving) return progress(worker);
  pthread_mutex_lock(&turn);
  const unsigned count = progress(worker);
  pthread_mutex_unlock(&turn);
  return count;
}

/* MPICH calls it in MPI_Finalize only, once for each endpoint, calls ucp_worker_progress until all requests
   that it got are complete, and enters the barrier. Here it gets none, so that it touches no request beside
   the thread. */
EXPORTED ucs_status_ptr_t ucp_disconnect_nb(ucp_ep_h endpoint) {
  ucs_status_ptr_t (*real)(ucp_ep_h);
  void (*release)(void*);
  ucs_status_t (*check)(void*);
  *(void**)&real = next("ucp_disconnect_nb");
  *(void**)&release = next("ucp_request_free");
  *(void**)&check = next("ucp_request_check_status");
  if (!serving) begin_serving();
  pthread_mutex_lock(&turn);
  ucs_status_ptr_t request = real(endpoint);
  while (UCS_PTR_IS_PTR(request)) {
    progress_all();
    if (check(request) == UCS_INPROGRESS) continue;
    release(request);
    request = NULL;
  }
  pthread_mutex_unlock(&turn);
  return request;
}

EXPORTED void ucp_worker_destroy(ucp_worker_h worker) {
  void (*real)(ucp_worker_h);
  *(void**)&real = next("ucp_worker_destroy");
  if (serving) end_serving();
  for (int i = 0; i < worker_count; ++i)
    if (workers[i] == worker) workers[i] = workers[--worker_count];
  real(worker);
}
