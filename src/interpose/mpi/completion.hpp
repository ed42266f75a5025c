// What the wrappers of the wait and test calls record: which operations completed, and what they received.
#pragma once
#include "interpose/mpi/point_to_point.hpp"

namespace ww::interpose {

// Of a call on several requests: each one's status says what became of it.
bool is_in_status(int rc);

inline bool is_receive(const OpenOperation& operation) {
  return operation.kind == static_cast<uint8_t>(Kind::irecv);
}

inline Kind completion_of(const OpenOperation& operation) {
  switch (static_cast<Kind>(operation.kind)) {
    case Kind::irecv:
      return Kind::irecv_done;
    case Kind::icollective:
      return Kind::icollective_done;
    case Kind::put:
    case Kind::get:
    case Kind::atomic:
      return Kind::one_sided_done;
    case Kind::file_iread:
    case Kind::file_iwrite:
      return Kind::file_done;
    default:
      return Kind::isend_done;
  }
}

// The record of one completed operation; `got` is its status, or nullptr when there is none that says
// something.
inline void add_completion(CallRecords& records, const OpenOperation& operation, const Received* got) {
  const auto flags = static_cast<uint8_t>(operation.flags & ~flags_of_operation);
  if (!followed(operation)) return;
  if (operation.kind == static_cast<uint8_t>(Kind::done_range)) {  // a neighbourhood's messages
    records.add(Kind::done_range, operation.bytes, operation.serial, spool::no_peer, 0, operation.comm, 0);
  } else if (operation.kind == static_cast<uint8_t>(Kind::comm_made)) {  // MPI_Comm_idup
    records.add(Kind::icollective_done, 0, operation.serial, spool::no_peer, 0, operation.comm, 0);
    records.add(Kind::comm_made, 0, 0, spool::no_peer, 0,
                comm_made(comm_of_bits(operation.bytes), kept_origin(operation)), 0);
  } else if (got != nullptr && got->cancelled && (operation.flags & flag_cancel_asked) != 0) {
    records.add(Kind::cancelled, 0, operation.serial, operation.peer, operation.tag, operation.comm, flags);
  } else if ((operation.flags & flag_with_send) != 0) {
    records.add(Kind::done_range, 2, operation.serial, spool::no_peer, 0, operation.comm, 0);
  } else if (is_receive(operation) && got != nullptr) {
    records.add(Kind::irecv_done, got->bytes, operation.serial, peer_of(got->source), got->tag,
                operation.comm, flags);
  } else if (is_receive(operation) &&
             (flags & spool::flag_wildcard) == 0) {  // its size is known to its sender
    records.add(Kind::done_range, 1, operation.serial, spool::no_peer, 0, operation.comm, 0);
  } else {
    const Kind done = completion_of(operation);
    const bool transferred = done == Kind::file_done && got != nullptr;
    records.add(done, transferred ? got->bytes : operation.bytes, operation.serial, operation.peer,
                operation.tag, operation.comm, flags);
  }
}

// An operation that says all about itself without a status: it can be part of a range.
inline bool plain_operation(const OpenOperation& operation) {
  return (operation.kind == static_cast<uint8_t>(Kind::isend) || is_receive(operation)) &&
         (operation.flags & (spool::flag_wildcard | flags_of_operation)) == 0;
}

// All of `count` operations completed, in this order. Serials that follow one another become one record.
template <class Status>
void add_all(CallRecords& records, const OpenOperation* operations, int count, const Status* statuses) {
  for (int i = 0; i < count;) {
    if (!followed(operations[i])) {
      ++i;
      continue;
    }
    int end = i + 1;
    if (plain_operation(operations[i]))
      while (end < count && plain_operation(operations[end]) &&
             operations[end].serial == operations[end - 1].serial + 1)
        ++end;
    if (end - i > 1) {
      records.add(Kind::done_range, static_cast<uint64_t>(end - i), operations[i].serial, spool::no_peer, 0,
                  operations[i].comm, 0);
    } else if (statuses != nullptr) {
      const Received got = read_status(statuses[i]);
      add_completion(records, operations[i], &got);
    } else {
      add_completion(records, operations[i], nullptr);
    }
    i = end;
  }
}

// Whether the library wrote statuses there that can be read.
template <class L>
bool is_read(const typename L::Status* statuses) {
  return statuses != nullptr && !L::ignored(statuses);
}

// Before a call that waits for these operations: what the first of them waits for.
inline void waits_for_first(Frame& frame, const OpenOperation& operation, int count) {
  frame.waits_for(followed(operation) ? completion_of(operation) : Kind::call, static_cast<uint64_t>(count),
                  operation.peer, operation.tag, operation.comm);
}

// The first of the requests that is one.
inline void waits_for_first(Frame& frame, int count, const MPI_Request* requests) {
  for (int i = 0; requests != nullptr && i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL) return waits_for_first(frame, look(requests[i]), count);
  frame.waits();
}

template <class L, class Call>
int wait(uint16_t id, typename L::Request* request, typename L::Status* status, Call&& call) {
  Frame frame(id);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  OpenOperation operation{};
  if (frame.on()) operation = take(request_at<L>(request));
  waits_for_first(frame, operation, 1);
  const int rc = call(used);
  if (!frame.on()) return rc;
  const bool told = took_place(rc) && used != nullptr;
  const Received got = told ? read_status(*used) : Received{};
  if (attending && told) Arrivals(frame, true).completion(operation, got);
  frame.leave();
  CallRecords records(frame);
  add_completion(records, operation, told ? &got : nullptr);
  return rc;
}

template <class L, class Call>
int test(uint16_t id, typename L::Request* request, const int* flag, typename L::Status* status,
         Call&& call) {
  Frame frame(id);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  MPI_Request handle = MPI_REQUEST_NULL;
  if (frame.on()) handle = request_at<L>(request);
  const int rc = call(used);
  if (!frame.on()) return rc;
  const bool found = took_place(rc) && handle != MPI_REQUEST_NULL && holds_true(flag);
  const OpenOperation done = found ? take(handle) : OpenOperation{};
  const Received got = found ? read_status_at(used) : Received{};
  if (attending && found) Arrivals(frame, false).completion(done, got);
  frame.leave();
  CallRecords records(frame);
  if (!took_place(rc) || handle == MPI_REQUEST_NULL) return rc;
  if (found) {
    add_completion(records, done, &got);
  } else {
    library_read();
    const OpenOperation operation = look(handle);
    if (followed(operation))
      records.add(Kind::test_failed, 0, operation.serial, operation.peer, operation.tag, operation.comm, 0);
  }
  return rc;
}

// MPI_Request_get_status: what it found complete is so for the program, who may free the request without
// another test. That another test or wait completes it is nothing new then.
template <class L, class Call>
int get_status(uint16_t id, typename L::Request request, const int* flag, typename L::Status* status,
               Call&& call) {
  return test<L>(id, &request, flag, status, call);
}

// The program's requests as they were before the call, which replaces completed ones by MPI_REQUEST_NULL (and
// makes the numbers of Fortran's void). nullptr: nothing to note, or no memory.
template <class L>
MPI_Request* requests_before(const Frame& frame, int count, const typename L::Request* requests) {
  if (!frame.on() || count <= 0 || requests == nullptr) return nullptr;
  void* memory = frame.thread().handles.need(sizeof(MPI_Request) * static_cast<size_t>(count));
  auto* before = static_cast<MPI_Request*>(memory);
  for (int i = 0; before != nullptr && i < count; ++i) before[i] = L::request(requests[i]);
  return before;
}

template <class L>
typename L::Status* own_statuses(const Frame& frame, int count) {
  return static_cast<typename L::Status*>(
      frame.thread().statuses.need(sizeof(typename L::Status) * static_cast<size_t>(count)));
}

// The operations of all requests, taken; `wants_status` becomes true when one of them needs its status,
// `one_range` tells whether they are plain and follow one another.
template <class L>
WW_ALWAYS_INLINE inline OpenOperation* take_all(const Frame& frame, int count,
                                                const typename L::Request* requests, bool& wants_status,
                                                bool& one_range) {
  auto* operations = static_cast<OpenOperation*>(
      count > 0 && requests != nullptr
          ? frame.thread().operations.need(sizeof(OpenOperation) * static_cast<size_t>(count))
          : nullptr);
  if (operations == nullptr) return nullptr;
  one_range = count > 1;
  uint64_t expected = 0;
  for (int i = 0; i < count; ++i) {
    const OpenOperation operation = take(L::request(requests[i]));
    operations[i] = operation;
    one_range &= plain_operation(operation) && (i == 0 || operation.serial == expected);
    expected = operation.serial + 1;
    wants_status |=
        followed(operation) && (operation.flags & (spool::flag_wildcard | flag_cancel_asked)) != 0;
  }
  return operations;
}

// A test of several requests that found none: one record, with the first operation that was asked for.
inline void add_failed_test(CallRecords& records, int count, const MPI_Request* requests) {
  library_read();
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    const OpenOperation operation = look(requests[i]);
    if (!followed(operation)) continue;
    records.add(Kind::test_failed, 0, operation.serial, operation.peer, operation.tag, operation.comm, 0);
    return;
  }
}

// A call on all requests failed: those that it left pending stay open, and are not said to be complete.
template <class L>
void keep_pending(OpenOperation* operations, int count, const typename L::Request* requests,
                  const typename L::Status* statuses) {
  for (int i = 0; i < count; ++i) {
    const MPI_Request request = L::request(requests[i]);
    // 0: a number of Fortran that names no request any more
    if (!followed(operations[i]) || request == MPI_REQUEST_NULL || key_of(request) == 0) continue;
    MPI_Status status{};
    int error_class = MPI_ERR_PENDING;
    if (statuses != nullptr) {
      memcpy(&status, &statuses[i], sizeof status);
      PMPI_Error_class(status.MPI_ERROR, &error_class);
    }
    if (error_class != MPI_ERR_PENDING) continue;
    put_back(request, operations[i]);
    operations[i].kind = static_cast<uint8_t>(Kind::call);
  }
}

inline const OpenOperation& first_followed(const OpenOperation* operations, int count) {
  for (int i = 0; i < count; ++i)
    if (followed(operations[i])) return operations[i];
  return operations[0];
}

template <class L, class Call>
int waitall(uint16_t id, int count, typename L::Request* requests, typename L::Status* statuses,
            Call&& call) {
  Frame frame(id);
  if (!frame.on()) return call(statuses);
  bool wants_status = attending;
  bool one_range = false;
  OpenOperation* operations = take_all<L>(frame, count, requests, wants_status, one_range);
  typename L::Status* used = statuses;
  if (L::ignored(statuses) && wants_status && operations != nullptr) {
    used = own_statuses<L>(frame, count);
    if (used == nullptr) used = statuses;
  }
  if (operations != nullptr) waits_for_first(frame, first_followed(operations, count), count);
  const int rc = call(used);
  const bool told =
      (rc == MPI_SUCCESS || (L::statuses_of_failed_call && is_in_status(rc))) && is_read<L>(used);
  if (__builtin_expect(rc != MPI_SUCCESS, 0) && operations != nullptr)
    keep_pending<L>(operations, count, requests, told ? used : nullptr);
  if (attending && told && operations != nullptr) {
    Arrivals arrivals(frame, true);
    for (int i = 0; i < count; ++i) arrivals.completion(operations[i], read_status(used[i]));
  }
  frame.leave();
  if (one_range && rc == MPI_SUCCESS) {  // the usual case, without a second look at each
    frame.put(Kind::done_range, static_cast<uint64_t>(count), operations[0].serial, spool::no_peer, 0,
              operations[0].comm, 0);
    return rc;
  }
  CallRecords records(frame);
  if (operations != nullptr) add_all(records, operations, count, told ? used : nullptr);
  return rc;
}

template <class L, class Call>
int testall(uint16_t id, int count, typename L::Request* requests, const int* flag,
            typename L::Status* statuses, Call&& call) {
  Frame frame(id);
  const auto* before = requests_before<L>(frame, count, requests);
  typename L::Status* used = statuses;
  if (before != nullptr && L::ignored(statuses)) {
    used = own_statuses<L>(frame, count);
    if (used == nullptr) used = statuses;
  }
  const int rc = call(used);
  if (!frame.on()) return rc;
  const bool found = rc == MPI_SUCCESS && before != nullptr && holds_true(flag);
  bool wants_status = false, one_range = false;
  const OpenOperation* operations =
      found ? take_all<C>(frame, count, before, wants_status, one_range) : nullptr;
  if (operations != nullptr && attending && is_read<L>(used)) {
    Arrivals arrivals(frame, false);
    for (int i = 0; i < count; ++i) arrivals.completion(operations[i], read_status(used[i]));
  }
  frame.leave();
  CallRecords records(frame);
  if (rc != MPI_SUCCESS || before == nullptr) return rc;
  if (found) {
    if (operations != nullptr) add_all(records, operations, count, is_read<L>(used) ? used : nullptr);
  } else {
    add_failed_test(records, count, before);
  }
  return rc;
}

// MPI_Waitany (flag is nullptr) and MPI_Testany.
template <class L, class Call>
int anyone(uint16_t id, int count, typename L::Request* requests, const int* index, const int* flag,
           typename L::Status* status, Call&& call) {
  Frame frame(id);
  const auto* before = requests_before<L>(frame, count, requests);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  if (flag == nullptr) waits_for_first(frame, count, before);
  const int rc = call(used);
  if (!frame.on()) return rc;
  const bool found = took_place(rc) && before != nullptr && (flag == nullptr || *flag != 0);
  OpenOperation operation{};
  Received got{};
  const bool one = found && index != nullptr && *index != MPI_UNDEFINED;
  const int at = one ? *index - L::first_index() : -1;
  if (at >= 0 && at < count) {
    operation = take(before[at]);
    got = read_status_at(used);
    if (attending) Arrivals(frame, flag == nullptr).completion(operation, got);
  }
  frame.leave();
  CallRecords records(frame);
  add_completion(records, operation, &got);
  if (rc == MPI_SUCCESS && before != nullptr && flag != nullptr && *flag == 0)
    add_failed_test(records, count, before);
  return rc;
}

// MPI_Waitsome and MPI_Testsome.
template <class L, class Call>
int some(uint16_t id, bool waits, int count, typename L::Request* requests, const int* done,
         const int* indices, typename L::Status* statuses, Call&& call) {
  Frame frame(id);
  const auto* before = requests_before<L>(frame, count, requests);
  typename L::Status* used = statuses;
  if (before != nullptr && L::ignored(statuses)) {
    used = own_statuses<L>(frame, count);
    if (used == nullptr) used = statuses;
  }
  if (waits) waits_for_first(frame, count, before);
  const int rc = call(used);
  if (!frame.on()) return rc;
  OpenOperation* operations = nullptr;
  const int completed =
      (rc == MPI_SUCCESS || is_in_status(rc)) && before != nullptr && *done != MPI_UNDEFINED ? *done : 0;
  if (completed > 0)
    operations = static_cast<OpenOperation*>(
        frame.thread().operations.need(sizeof(OpenOperation) * static_cast<size_t>(completed)));
  if (operations != nullptr)
    for (int i = 0, first = L::first_index(); i < completed; ++i) {
      const int at = indices[i] - first;
      operations[i] = at >= 0 && at < count ? take(before[at]) : OpenOperation{};
    }
  if (operations != nullptr && attending && is_read<L>(used)) {
    Arrivals arrivals(frame, waits);
    for (int i = 0; i < completed; ++i) arrivals.completion(operations[i], read_status(used[i]));
  }
  frame.leave();
  CallRecords records(frame);
  if (operations != nullptr) {
    const bool told = is_read<L>(used) && (rc == MPI_SUCCESS || L::statuses_of_failed_call);
    for (int i = 0; i < completed; ++i) {
      const Received got = told ? read_status(used[i]) : Received{};
      add_completion(records, operations[i], told ? &got : nullptr);
    }
  } else if (rc == MPI_SUCCESS && before != nullptr && !waits && *done == 0) {
    add_failed_test(records, count, before);
  }
  return rc;
}

template <class L, class Call>
int cancel(uint16_t id, typename L::Request* request, Call&& call) {
  Frame frame(id);
  if (frame.on()) cancel_asked(request_at<L>(request));
  const int rc = call();
  if (frame.leave()) frame.put_call();
  return rc;
}

template <class L, class Call>
int request_free(uint16_t id, typename L::Request* request, Call&& call) {
  Frame frame(id);
  if (frame.on()) {
    const MPI_Request handle = request_at<L>(request);
    if (__builtin_expect(stamping, 0) && handle != MPI_REQUEST_NULL) {
      const OpenOperation open = look(handle);
      const int source = (open.flags & spool::flag_wildcard) != 0 ? MPI_ANY_SOURCE : open.peer;
      if (is_receive(open)) lose_departures_from(known_comm_by_id(open.comm), source);
    }
    forgotten(handle);
  }
  const int rc = call();
  if (frame.leave()) frame.put_call();
  return rc;
}

}  // namespace ww::interpose
