// What the wrappers of one-sided communication record: each transfer with its window, target and bytes, and
// the calls that complete them. Which of them completes what is left to the reader, who has the time.
#pragma once
#include "interpose/mpi/completion.hpp"
#include "interpose/mpi/open_windows.hpp"

namespace ww::interpose {

using spool::Atomic;
using spool::WindowCall;

// A target of MPI_PROC_NULL is no transfer.
inline void put_transfer(Frame& frame, Kind kind, int64_t count, MPI_Datatype type, int target, int32_t what,
                         MPI_Win win) {
  if (virtual_time) trouble(Trouble::virtual_one_sided);
  if (target >= 0)
    frame.put(kind, bytes_of(count, type), 0, target, what, known_window(win).id, 0);
  else
    frame.put_call();
}

template <class Call>
int transfer(uint16_t id, Kind kind, int64_t count, MPI_Datatype type, int target, MPI_Win win, Call&& call) {
  return succeeding(id, call, [&](Frame& frame) { put_transfer(frame, kind, count, type, target, 0, win); });
}

// MPI_NO_OP sends nothing.
inline int32_t atomic_of(Atomic what, MPI_Op op) {
  return static_cast<int32_t>(what == Atomic::fetch_and_accumulate && op == MPI_NO_OP ? Atomic::fetch : what);
}

template <class Call>
int atomic(uint16_t id, Atomic what, int64_t count, MPI_Datatype type, int target, MPI_Op op, MPI_Win win,
           Call&& call) {
  return succeeding(id, call, [&](Frame& frame) {
    put_transfer(frame, Kind::atomic, count, type, target, atomic_of(what, op), win);
  });
}

// With a request. One to MPI_PROC_NULL has its place among the open ones, too: it may share its handle.
template <class L>
void begun_or_nothing(Frame& frame, const OpenOperation& operation, typename L::Request* request) {
  if (virtual_time) trouble(Trouble::virtual_one_sided);
  if (operation.peer >= 0) return begun<L>(frame, operation, *request);
  frame.put_call();
  opened(L::request(*request), {0, 0, spool::no_peer, 0, 0, static_cast<uint8_t>(Kind::call), 0});
}

template <class L, class Call>
int rtransfer(uint16_t id, Kind kind, int64_t count, MPI_Datatype type, int target, MPI_Win win,
              typename L::Request* request, Call&& call) {
  return succeeding(id, call, [&](Frame& frame) {
    begun_or_nothing<L>(
        frame,
        {0, bytes_of(count, type), peer_of(target), 0, known_window(win).id, static_cast<uint8_t>(kind), 0},
        request);
  });
}

template <class L, class Call>
int ratomic(uint16_t id, Atomic what, int64_t count, MPI_Datatype type, int target, MPI_Op op, MPI_Win win,
            typename L::Request* request, Call&& call) {
  return succeeding(id, call, [&](Frame& frame) {
    begun_or_nothing<L>(frame,
                        {0, bytes_of(count, type), peer_of(target), atomic_of(what, op), known_window(win).id,
                         static_cast<uint8_t>(Kind::atomic), 0},
                        request);
  });
}

inline void put_window(Frame& frame, WindowCall what, int32_t peer, uint32_t window, uint8_t flags) {
  frame.put(Kind::window, 0, 0, peer, static_cast<int32_t>(what), window, flags);
}

template <class L, class Call>
int makes_window(uint16_t id, WindowCall what, MPI_Comm comm, const typename L::Win* win, Call&& call) {
  return succeeding(id, call, [&](Frame& frame) {
    put_window(frame, what, spool::no_peer, window_made(L::win(*win), made_from(comm)),
               spool::flag_collective);
  });
}

template <class L, class Call>
int frees_window(uint16_t id, typename L::Win* win, Call&& call) {
  Frame frame(id);
  const MPI_Win handle = frame.on() ? win_at<L>(win) : MPI_WIN_NULL;
  KnownWindow hidden{unknown_comm, MPI_GROUP_NULL};
  const bool known = hide_window(handle, hidden);
  frame.waits();
  const int rc = call();
  if (known && rc == MPI_SUCCESS) window_freed(handle, hidden);
  if (known && rc != MPI_SUCCESS) window_stays(handle, hidden);
  if (!frame.leave()) return rc;
  if (known && rc == MPI_SUCCESS)
    put_window(frame, WindowCall::freed, spool::no_peer, hidden.id, spool::flag_collective);
  else
    frame.put_call();
  return rc;
}

template <class Call>
int names_window(uint16_t id, MPI_Win win, Call&& call) {
  Frame frame(id);
  const int rc = call();
  if (!frame.leave()) return rc;
  frame.put_call();
  if (rc == MPI_SUCCESS) window_named(win);
  return rc;
}

template <class Call>
int about_window(uint16_t id, WindowCall what, int peer, MPI_Win win, uint8_t flags, Call&& call) {
  return succeeding(id, call, [&](Frame& frame) {
    put_window(frame, what, peer >= 0 ? peer : spool::no_peer, known_window(win).id, flags);
  });
}

template <class Call>
int window_call(uint16_t id, WindowCall what, int peer, MPI_Win win, Call&& call) {
  return about_window(id, what, peer, win, 0, call);
}

template <class Call>
int window_collective(uint16_t id, WindowCall what, MPI_Win win, Call&& call) {
  return about_window(id, what, -1, win, spool::flag_collective, call);
}

template <class Call>
int window_lock(uint16_t id, int lock_type, int peer, MPI_Win win, Call&& call) {
  const WindowCall what =
      lock_type == MPI_LOCK_EXCLUSIVE ? WindowCall::lock_exclusive : WindowCall::lock_shared;
  return about_window(id, what, peer, win, 0, call);
}

template <class Call>
int window_test(uint16_t id, const int* flag, MPI_Win win, Call&& call) {
  return succeeding(id, call, [&](Frame& frame) {
    if (holds_true(flag))
      put_window(frame, WindowCall::wait, spool::no_peer, known_window(win).id, 0);
    else  // as a probe that found nothing
      frame.put(Kind::probe, 0, 0, spool::no_peer, 0, 0, 0);
  });
}

template <class Call>
int window_group(uint16_t id, WindowCall what, MPI_Group group, MPI_Win win, Call&& call) {
  Frame frame(id);
  frame.waits();
  const int rc = call();
  if (!frame.leave()) return rc;
  CallRecords records(frame);
  if (rc != MPI_SUCCESS) return rc;
  const KnownWindow& window = known_window(win);
  int size = 0;
  PMPI_Group_size(group, &size);
  auto* ranks = static_cast<int*>(
      size > 0 ? frame.thread().handles.need(sizeof(int) * 2 * static_cast<size_t>(size)) : nullptr);
  for (int i = 0; ranks != nullptr && i < size; ++i) ranks[i] = i;
  if (ranks != nullptr && window.group != MPI_GROUP_NULL)
    PMPI_Group_translate_ranks(group, size, ranks, window.group, ranks + size);
  else
    size = 0;
  for (int i = 0; i < size; ++i)
    records.add(Kind::window, 0, 0, ranks[size + i], static_cast<int32_t>(what), window.id, 0);
  if (size == 0) records.add(Kind::window, 0, 0, spool::no_peer, static_cast<int32_t>(what), window.id, 0);
  return rc;
}

}  // namespace ww::interpose
