// What the wrappers of PVM's calls do: each calls libpvm3's function in a frame and leaves records of what the call did. A call that
// libpvm3 or libgpvm3 makes inside of another one comes through the same wrappers and is recorded as nested (S4, 3.1.4).
#pragma once
#include <errno.h>
#include <pvm3.h>
#include <sys/time.h>

#include "interpose/core/injection.hpp"
#include "interpose/core/stamps.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/pvm/message_contexts.hpp"
#include "interpose/pvm/task.hpp"
#include "interpose/pvm/task_departures.hpp"
#include "library/pvm.hpp"

namespace ww::interpose {

using spool::Kind;
using PvmFrame = BasicFrame<library::pvm.nested_calls>;
using PvmRecords = BasicRecords<library::pvm.nested_calls>;

// A dilated run's calls of messages: what is added passes around libpvm3's.
inline bool attends() {
  return __builtin_expect(injecting || stamping, 0);
}

// In virtual time: a call that moves no messages works for the program.
inline void works() {
  if (virtual_time) worked_in_call();
}

// The call within its frame; `says(frame, result)` puts its records. The first call that finds the process enrolled turns the recorder on.
// before(): within the frame, ahead of the call; after(frame, result): behind it, before the frame is left. notes(frame): what the call may
// wait for.
struct NotesNothing {
  void operator()(PvmFrame&) const {}
};
template <class Call, class Says, class Before, class After, class Notes = NotesNothing>
auto recorded(uint16_t id, Call&& call, Says&& says, Before&& before, After&& after, Notes&& notes = {}) {
  if (asking) return call();
  if (!active) {
    const Enrolling around;
    const auto out = call();
    if (around.is_over()) begin_task(id, around.entered());
    return out;
  }
  PvmFrame frame(id);
  if (frame.on() && attends()) before();
  notes(frame);
  const auto out = call();
  if (frame.on() && attends()) after(frame, out);
  if (frame.leave()) says(frame, out);
  return out;
}

template <class Call, class Says>
auto recorded(uint16_t id, Call&& call, Says&& says) {
  return recorded(
      id, call, says, [] {}, [](const PvmFrame&, auto) { works(); });
}

template <class Call>
auto plain(uint16_t id, Call&& call) {
  return recorded(id, call, [](PvmFrame& frame, auto) { frame.put_call(); });
}

inline double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Of a buffer in place libpvm3 does not say how much is in it, so it is counted.
template <class Call>
int packs(uint16_t id, Call&& call, int count, uint64_t size) {
  return recorded(id, call, [&](PvmFrame& frame, int out) {
    if (out >= 0 && count > 0) packed(static_cast<uint64_t>(count) * size);
    frame.put_call();
  });
}

// recorded(), of a call that moves messages.
template <class Call, class Says, class Before, class After, class Notes = NotesNothing>
int moves(uint16_t id, Call&& call, Says&& says, Before&& before, After&& after, Notes&& notes = {}) {
  return recorded(
      id, call, says,
      [&] {
        if (virtual_time) begin_messages();
        before();
      },
      [&](const PvmFrame& frame, int out) {
        if (virtual_time) end_messages();
        after(frame, out);
      },
      notes);
}

// Gives the number of a new buffer of that encoding, which pvm_initsend makes the active one.
template <class Call>
int makes_buffer(uint16_t id, Call&& call, int encoding) {
  return recorded(id, call, [&](PvmFrame& frame, int out) {
    if (out > 0) made_buffer(out, encoding);
    frame.put_call();
  });
}

template <class Call>
int sends(uint16_t id, Call&& call, int to, int tag) {
  const uint64_t bytes = active && !asking ? bytes_to_send() : 0;
  return moves(
      id, call,
      [&](PvmFrame& frame, int out) {
        if (out < 0) return frame.put_call();
        frame.put(Kind::send, bytes, 0, peer_of(to), tag_of(tag), message_context(), 0);
      },
      [&] { departing(to, tag, bytes); },
      [&](const PvmFrame&, int out) {
        if (out < 0) not_departed(to);
      });
}

template <class Call>
int multicasts(uint16_t id, Call&& call, const int* to, int count, int tag) {
  const uint64_t bytes = active && !asking ? bytes_to_send() : 0;
  return moves(
      id, call,
      [&](PvmFrame& frame, int out) {
        const uint32_t context = message_context();
        PvmRecords records(frame);
        for (int i = 0; out >= 0 && i < count; ++i)
          if (!is_sent_before(to, i))
            records.add(Kind::send, bytes, 0, peer_of(to[i]), tag_of(tag), context, 0);
      },
      [&] {
        for (int i = 0; i < count; ++i)
          if (!is_sent_before(to, i)) departing(to[i], tag, bytes);
      },
      [&](const PvmFrame&, int out) {
        for (int i = 0; out < 0 && i < count; ++i) not_departed(to[i]);
      });
}

// `from`, `tag`: -1 for any. Gives a buffer's number, 0 where nothing was there (pvm_nrecv, pvm_trecv), an error below. waits: for a message,
// at most so long (nullptr: for ever).
template <class Call>
int receives(uint16_t id, Call&& call, int from, int tag, bool waits, const timeval* at_most = nullptr) {
  return moves(
      id, call,
      [&](PvmFrame& frame, int out) {
        const uint8_t flags = from == -1 || tag == -1 ? spool::flag_wildcard : 0;
        if (out < 0) return frame.put_call();
        const uint32_t context = message_context();
        if (out == 0) return frame.put(Kind::probe, 0, 0, asked_peer(from), asked_tag(tag), context, flags);
        const InBuffer got = received(out);
        frame.put(Kind::recv, got.bytes, 0, peer_of(got.from), tag_of(got.tag), context, flags);
      },
      [] {},
      [&](const PvmFrame& frame, int out) {
        if (out == 0 && virtual_time && !frame.is_nested())
          waited_in_vain(at_most != nullptr ? seconds(*at_most) : 0);
        if (out <= 0) return;
        const InBuffer got = received(out);
        arrived(frame.enter_ticks(), waits, got, from, tag);
        if (at_most != nullptr && virtual_time && !frame.is_nested()) waited_at_most(seconds(*at_most));
      },
      [&](PvmFrame& frame) {
        if (waits && frame.on() && !frame.is_nested())
          frame.waits_for(Kind::recv, 0, asked_peer(from), asked_tag(tag), message_context());
      });
}

template <class Call>
int probes(uint16_t id, Call&& call, int from, int tag) {
  return moves(
      id, call,
      [&](PvmFrame& frame, int out) {
        const uint32_t context = message_context();
        if (out <= 0) return frame.put(Kind::probe, 0, 0, asked_peer(from), asked_tag(tag), context, 0);
        const InBuffer got = received(out);
        frame.put(Kind::probe, got.bytes, 0, peer_of(got.from), tag_of(got.tag), context, spool::flag_found);
      },
      [] {},
      [&](const PvmFrame& frame, int out) {
        if (!virtual_time || frame.is_nested() || out < 0) return;
        if (out == 0) return waited_in_vain(0);
        found(received(out));
      });
}

template <class Call>
auto in_the_system(Call&& call) {
  const WaitsOutside outside;
  return call();
}

// A function of libc: recorded where libpvm3 calls it, from `called_from`, inside of a call that is. What it gives is how much was read or
// written, or ready; errno stays as it was.
template <class Call>
auto lowest(uint16_t id, const void* called_from, Call&& call) {
  if (!active || asking || !is_of_library(called_from)) return call();
  PvmFrame frame(id);
  const auto out = frame.is_nested() && virtual_time ? in_the_system(call) : call();
  const int error = errno;
  if (frame.leave() && frame.is_nested())
    frame.put(Kind::call, out > 0 ? static_cast<uint64_t>(out) : 0, 0, spool::no_peer, 0, 0, 0);
  errno = error;
  return out;
}

template <class Call>
int sets_option(uint16_t id, Call&& call, int option) {
  return recorded(id, call, [&](PvmFrame& frame, int out) {
    frame.put_call();
    if (out >= 0 && option == PvmRoute) write_route();
  });
}

// Whose `count` numbers are in `tids` when it is over; below 0 is no task.
template <class Call>
int spawns_tasks(uint16_t id, Call&& call, int count, const int* tids) {
  return recorded(
      id, call, [](PvmFrame& frame, int) { frame.put_call(); }, [] { spawns(); },
      [&](const PvmFrame&, int out) {
        works();
        has_spawned(tids, out >= 0 && tids != nullptr ? count : 0);
      });
}

template <class Call>
int meets(uint16_t id, Call&& call, const char* group) {
  return recorded(
      id, call, [](PvmFrame& frame, int) { frame.put_call(); },
      [&] {
        if (virtual_time && group != nullptr) comes_to_barrier(group);
      },
      [&](const PvmFrame&, int out) {
        works();
        if (virtual_time) leaves_barrier(out >= 0);
      },
      [](PvmFrame& frame) { frame.waits(); });
}

// The last call of the recording: what comes after is another enrolment, with another tid.
template <class Call>
int leaves_machine(uint16_t id, Call&& call) {
  bool last = false;
  const int out = recorded(
      id, call,
      [&](PvmFrame& frame, int) {
        frame.put_call();
        last = !frame.is_nested();
      },
      [] {
        if (virtual_time) tell_virtual_clock(true);
      },
      [](const PvmFrame&, int) { works(); });
  if (last) end_task();
  return out;
}

}  // namespace ww::interpose
