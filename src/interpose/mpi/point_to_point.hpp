// What the wrappers of point-to-point calls record. Each function wraps one kind of call: `call` does the
// call itself, with another status where the program did not want one and the record needs it.
#pragma once
#include "interpose/core/definitions.hpp"
#include "interpose/mpi/comms.hpp"
#include "interpose/mpi/departures.hpp"
#include "interpose/mpi/hosts.hpp"
#include "interpose/mpi/language.hpp"
#include "interpose/mpi/requests.hpp"

namespace ww::interpose {

using spool::Kind;

template <class Call>
auto plain(uint16_t id, Call&& call) {
  Frame frame(id);
  frame.waits();
  auto result = call();
  if (frame.leave()) frame.put_call();
  return result;
}

// A call that has something to say if it succeeded: say(frame) records that.
template <class Call, class Say>
int succeeding(uint16_t id, Call&& call, Say&& say) {
  Frame frame(id);
  frame.waits();
  const int rc = call();
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS)
    say(frame);
  else
    frame.put_call();
  return rc;
}

// A receive took place also when its message was too long for it.
bool is_truncation(int rc);
inline bool took_place(int rc) {
  return __builtin_expect(rc == MPI_SUCCESS, 1) || is_truncation(rc);
}

inline uint8_t wildcard(int source, int tag) {
  return source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG ? spool::flag_wildcard : 0;
}

// The status to hand to the library: the program's, or ours if it wants none and we record.
template <class Status>
Status* status_for(const Frame& frame, bool ignored, Status* of_program, Status* ours) {
  return frame.on() && ignored ? ours : of_program;
}

template <class L, class Call>
int send(uint16_t id, uint8_t flags, int64_t count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
         Call&& call) {
  Frame frame(id);
  departs(frame, comm, dest, tag, count, type);
  frame.waits_for(Kind::send, 0, peer_of(dest), tag, id_if_known(comm));
  const int rc = call();
  departed(frame, rc, comm, dest);
  sent_blocking(frame, comm, dest, tag, count, type, (flags & spool::flag_synchronous) != 0);
  if (__builtin_expect(attending, 0) && frame.on() && rc == MPI_SUCCESS)
    Arrivals(frame, true)
        .sent(known_comm(comm), dest, tag, bytes_of(count, type), latest_departure(), latest_sent());
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS)
    frame.put(Kind::send, bytes_of(count, type), 0, peer_of(dest), tag, known_comm(comm).id, flags);
  else
    frame.put_call();
  return rc;
}

template <class L, class Call>
int recv(uint16_t id, int source, int tag, MPI_Comm comm, typename L::Status* status, Call&& call) {
  Frame frame(id);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  posts(frame, comm, source, tag);
  frame.waits_for(Kind::recv, 0, peer_of(source), tag_of(tag), id_if_known(comm));
  const int rc = call(used);
  if (frame.on() && attending && took_place(rc))
    Arrivals(frame, true).message(known_comm(comm), read_status(*used), wildcard(source, tag) != 0);
  if (!frame.leave()) return rc;
  if (took_place(rc)) {
    const Received got = read_status(*used);
    frame.put(Kind::recv, got.bytes, 0, peer_of(got.source), got.tag, known_comm(comm).id,
              wildcard(source, tag));
  } else {
    frame.put_call();
  }
  return rc;
}

template <class L, class Call>
int sendrecv(uint16_t id, int64_t sendcount, MPI_Datatype sendtype, int dest, int sendtag, int source,
             int recvtag, MPI_Comm comm, typename L::Status* status, Call&& call) {
  Frame frame(id);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  posts(frame, comm, source, recvtag);
  departs(frame, comm, dest, sendtag, sendcount, sendtype);
  frame.waits_for(Kind::recv, 0, peer_of(source), tag_of(recvtag), id_if_known(comm));
  const int rc = call(used);
  departed(frame, took_place(rc) ? MPI_SUCCESS : rc, comm, dest);
  sent_blocking(frame, comm, dest, sendtag, sendcount, sendtype, false);
  if (frame.on() && attending && took_place(rc)) {
    Arrivals arrivals(frame, true);
    arrivals.sent(known_comm(comm), dest, sendtag, bytes_of(sendcount, sendtype), latest_departure(),
                  latest_sent());
    arrivals.message(known_comm(comm), read_status(*used), wildcard(source, recvtag) != 0);
  }
  if (!frame.leave()) return rc;
  if (took_place(rc)) {
    const Received got = read_status(*used);
    const uint32_t comm_id = known_comm(comm).id;
    frame.put(Kind::send, bytes_of(sendcount, sendtype), 0, peer_of(dest), sendtag, comm_id,
              spool::flag_continued);
    frame.put(Kind::recv, got.bytes, 0, peer_of(got.source), got.tag, comm_id, wildcard(source, recvtag));
  } else {
    frame.put_call();
  }
  return rc;
}

// While attending: what the call just did is this operation.
inline void note_operation(const OpenOperation& operation) {
  const bool sends = operation.kind == static_cast<uint8_t>(Kind::isend);
  if (!sends && operation.kind != static_cast<uint8_t>(Kind::irecv)) return;
  if (!virtual_time) sends ? note_departure(operation.serial) : note_posting(operation.serial);
  if (postings_told) sends ? note_send(operation.serial) : note_receive(operation.serial);
}

// A non-blocking operation that has begun: its record, and its place among the open ones.
template <class L>
WW_ALWAYS_INLINE inline void begun(Frame& frame, OpenOperation operation, typename L::Request request) {
  operation.serial = new_serial();
  if (__builtin_expect(attending, 0)) note_operation(operation);
  opened(L::request(request), operation);
  frame.put(static_cast<Kind>(operation.kind), operation.bytes, operation.serial, operation.peer,
            operation.tag, operation.comm, operation.flags);
}

WW_ALWAYS_INLINE inline OpenOperation operation_of(Kind kind, int64_t count, MPI_Datatype type, int peer,
                                                   int tag, MPI_Comm comm, uint8_t flags) {
  return {0,           bytes_of(count, type), peer_of(peer),
          tag_of(tag), known_comm(comm).id,   static_cast<uint8_t>(kind),
          flags};
}

template <class L, class Call>
int isend(uint16_t id, uint8_t flags, int64_t count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
          typename L::Request* request, Call&& call) {
  Frame frame(id);
  departs(frame, comm, dest, tag, count, type);
  const int rc = call();
  departed(frame, rc, comm, dest);
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS)
    begun<L>(frame, operation_of(Kind::isend, count, type, dest, tag, comm, flags), *request);
  else
    frame.put_call();
  return rc;
}

template <class L, class Call>
int irecv(uint16_t id, int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
          typename L::Request* request, Call&& call) {
  Frame frame(id);
  posts(frame, comm, source, tag);
  const int rc = call();
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS)
    begun<L>(frame, operation_of(Kind::irecv, count, type, source, tag, comm, wildcard(source, tag)),
             *request);
  else
    frame.put_call();
  return rc;
}

// One request for a send and a receive. MPICH 4.0 leaves its status empty: what a wildcard received nobody
// knows.
template <class L, class Call>
int isendrecv(uint16_t id, int64_t sendcount, MPI_Datatype sendtype, int dest, int sendtag, int64_t recvcount,
              MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, typename L::Request* request,
              Call&& call) {
  Frame frame(id);
  posts(frame, comm, source, recvtag);
  departs(frame, comm, dest, sendtag, sendcount, sendtype);
  const int rc = call();
  departed(frame, rc, comm, dest);
  if (!frame.leave()) return rc;
  CallRecords records(frame);
  if (rc != MPI_SUCCESS) return rc;
  OpenOperation sent = operation_of(Kind::isend, sendcount, sendtype, dest, sendtag, comm, 0);
  if (wildcard(source, recvtag) != 0) {
    trouble(Trouble::isendrecv_from_any);
    if (stamping) lose_departures_from(known_comm(comm), source);
    sent.serial = new_serial();
    if (attending) note_operation(sent);
    opened(L::request(*request), sent);
  } else {
    OpenOperation received = operation_of(Kind::irecv, recvcount, recvtype, source, recvtag, comm, 0);
    received.serial = new_serials(2);
    sent.serial = received.serial + 1;
    if (attending) {
      note_operation(received);
      note_operation(sent);
    }
    records.add(Kind::irecv, received.bytes, received.serial, received.peer, received.tag, received.comm, 0);
    received.flags |= flag_with_send;
    opened(L::request(*request), received);
  }
  records.add(Kind::isend, sent.bytes, sent.serial, sent.peer, sent.tag, sent.comm, 0);
  return rc;
}

// Persistent requests: nothing happens until they are started.
template <class L, class Call>
int send_init(uint16_t id, uint8_t flags, int64_t count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              typename L::Request* request, Call&& call) {
  Frame frame(id);
  const int rc = call();
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS)
    opened_persistent(L::request(*request), operation_of(Kind::isend, count, type, dest, tag, comm, flags));
  frame.put_call();
  return rc;
}

template <class L, class Call>
int recv_init(uint16_t id, int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              typename L::Request* request, Call&& call) {
  Frame frame(id);
  const int rc = call();
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS)
    opened_persistent(L::request(*request),
                      operation_of(Kind::irecv, count, type, source, tag, comm, wildcard(source, tag)));
  frame.put_call();
  return rc;
}

// The messages of a persistent neighbourhood collective that begins (neighbours.hpp).
void add_exchange(CallRecords& records, const OpenOperation& operation, const PersistentCall& beside);

// What a collective sends to each rank, two ranks a record.
class SentTo {
 public:
  SentTo(CallRecords& records, uint32_t comm) : records_(records), comm_(comm) {}
  ~SentTo() {
    if (rank_ >= 0) records_.add(Kind::sent_to, bytes_, 0, rank_, spool::no_peer, comm_, 0);
  }
  SentTo(const SentTo&) = delete;
  SentTo& operator=(const SentTo&) = delete;

  void add(int rank, uint64_t bytes) {
    if (rank_ >= 0) {
      records_.add(Kind::sent_to, bytes_, bytes, rank_, rank, comm_, 0);
      rank_ = -1;
    } else {
      rank_ = rank;
      bytes_ = bytes;
    }
  }

 private:
  CallRecords& records_;
  uint32_t comm_;
  int rank_ = -1;  // waits for a second one
  uint64_t bytes_ = 0;
};

// The same of a persistent collective: Beside::more.
struct GivenPersistent {
  struct To {
    uint64_t bytes;
    int rank;
  };
  uint64_t count;
  To* to() { return reinterpret_cast<To*>(this + 1); }
};
static_assert(sizeof(GivenPersistent) % alignof(GivenPersistent::To) == 0, "the ranks follow the count");

// Calls what(comm, operation) for each operation between two ranks that a start of these requests begins.
template <class L, class What>
void for_each_next(int count, const typename L::Request* requests, What&& what) {
  for (int i = 0; requests != nullptr && i < count; ++i) {
    const OpenOperation next = look_idle(L::request(requests[i]));
    if (next.kind == static_cast<uint8_t>(Kind::isend) || next.kind == static_cast<uint8_t>(Kind::irecv))
      what(known_comm_by_id(next.comm), next);
  }
}

// What a start begins departs, or is posted.
inline void begins(const KnownComm& comm, const OpenOperation& next) {
  virtual_time ? begins_virtually(comm, next) : begins_dilated(comm, next);
}

template <class L, class Call>
int start_requests(uint16_t id, int count, typename L::Request* requests, Call&& call) {
  Frame frame(id);
  const bool attends = __builtin_expect(attending, 0) && frame.on();
  if (attends)
    for_each_next<L>(count, requests,
                     [](const KnownComm& comm, const OpenOperation& next) { begins(comm, next); });
  const int rc = call();
  if (attends && stamping && rc != MPI_SUCCESS)  // nobody knows how many were started
    for_each_next<L>(count, requests, [](const KnownComm& comm, const OpenOperation& next) {
      if (next.kind == static_cast<uint8_t>(Kind::isend)) lose_departures_to(comm, next.peer);
    });
  if (!frame.leave()) return rc;
  CallRecords records(frame);
  for (int i = 0; rc == MPI_SUCCESS && i < count; ++i) {
    const OpenOperation operation = started(L::request(requests[i]));
    if (operation.kind == static_cast<uint8_t>(Kind::call)) continue;
    if (attends && !virtual_time) started_dilated(operation);
    if (attends && postings_told) note_started(operation);
    if (operation.kind == static_cast<uint8_t>(Kind::done_range)) {
      add_exchange(records, operation, kept_beside(L::request(requests[i])));
      continue;
    }
    // of a collective the operation has the bytes that it gets
    const bool collective = operation.kind == static_cast<uint8_t>(Kind::icollective);
    const PersistentCall beside = collective ? kept_beside(L::request(requests[i])) : PersistentCall{};
    if (collective && attends && virtual_time)
      icollective_begins(known_comm_by_id(operation.comm), static_cast<uint16_t>(operation.tag),
                         operation.serial, operation.peer, beside.given, operation.bytes);
    records.add(static_cast<Kind>(operation.kind), collective ? beside.given : operation.bytes,
                operation.serial, operation.peer, operation.tag, operation.comm, operation.flags);
    if (auto* given = static_cast<GivenPersistent*>(beside.more); given != nullptr) {
      SentTo pairs(records, operation.comm);
      for (uint64_t k = 0; k < given->count; ++k) pairs.add(given->to()[k].rank, given->to()[k].bytes);
    }
  }
  return rc;
}

// While postings_told; whether something was found.
template <class Status>
bool probed(MPI_Comm comm, const int* flag, const Status& status) {
  const bool found = flag == nullptr || *flag != 0;
  if (found && virtual_time)
    found_by_probe(known_comm(comm), read_status(status));
  else
    library_read();
  return found;
}

template <class L, class Call>
int probe(uint16_t id, int source, int tag, MPI_Comm comm, const int* flag, typename L::Status* status,
          Call&& call) {
  Frame frame(id);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  if (flag == nullptr) frame.waits_for(Kind::probe, 0, peer_of(source), tag_of(tag), id_if_known(comm));
  const int rc = call(used);
  if (postings_told && frame.on() && rc == MPI_SUCCESS) probed(comm, flag, *used);
  if (!frame.leave()) return rc;
  if (rc != MPI_SUCCESS) {
    frame.put_call();
  } else if (flag == nullptr || *flag != 0) {
    const Received got = read_status(*used);
    frame.put(Kind::probe, got.bytes, 0, peer_of(got.source), got.tag, known_comm(comm).id,
              static_cast<uint8_t>(spool::flag_found | wildcard(source, tag)));
  } else {
    frame.put(Kind::probe, 0, 0, peer_of(source), tag_of(tag), known_comm(comm).id, wildcard(source, tag));
  }
  return rc;
}

// A matched probe takes its message: no other receive gets it, whenever MPI_Mrecv or MPI_Imrecv follows. So
// it is the receive that is posted, with the source and tag that the message has, and those complete it.
template <class L, class Call>
int mprobe(uint16_t id, int source, int tag, MPI_Comm comm, const int* flag, typename L::Message* message,
           typename L::Status* status, Call&& call) {
  Frame frame(id);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  if (flag == nullptr) frame.waits_for(Kind::probe, 0, peer_of(source), tag_of(tag), id_if_known(comm));
  const int rc = call(used);
  if (postings_told && frame.on() && rc == MPI_SUCCESS && probed(comm, flag, *used)) {
    const Received got = read_status(*used);
    posting(known_comm(comm), got.source, got.tag);
  }
  if (!frame.leave()) return rc;
  const uint8_t asked = wildcard(source, tag);
  if (rc != MPI_SUCCESS) {
    frame.put_call();
  } else if (flag == nullptr || *flag != 0) {
    const Received got = read_status(*used);
    const OpenOperation taken{new_serial(), got.bytes,           peer_of(got.source),
                              got.tag,      known_comm(comm).id, static_cast<uint8_t>(Kind::irecv),
                              asked};
    if (postings_told) note_receive(taken.serial);
    if (__builtin_expect(stamping, 0)) keep_departure(known_comm(comm), got, taken.serial);
    matched(L::message(*message), taken);
    CallRecords records(frame);
    records.add(Kind::probe, got.bytes, 0, taken.peer, taken.tag, taken.comm,
                static_cast<uint8_t>(spool::flag_found | asked));
    records.add(Kind::irecv, got.bytes, taken.serial, taken.peer, taken.tag, taken.comm, asked);
  } else {
    frame.put(Kind::probe, 0, 0, peer_of(source), tag_of(tag), known_comm(comm).id, asked);
  }
  return rc;
}

template <class L, class Call>
int mrecv(uint16_t id, typename L::Message* message, typename L::Status* status, Call&& call) {
  Frame frame(id);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  OpenOperation operation = no_operation;
  if (frame.on()) operation = take_matched(message_at<L>(message));
  frame.waits_for(Kind::recv, 0, operation.peer, operation.tag, operation.comm);
  const int rc = call(used);
  const bool known = followed(operation);
  if (known && !took_place(rc)) matched(message_at<L>(message), operation);
  const Received got = known && took_place(rc) ? read_status_at(used) : Received{};
  if (attending && known && took_place(rc))
    Arrivals(frame, true)
        .message(known_comm_by_id(operation.comm), got.source, got.tag, got.bytes,
                 {0, postings_told ? posted_at(operation.serial) : Posting{}, operation.serial}, false);
  if (!frame.leave()) return rc;
  if (known && took_place(rc))
    frame.put(Kind::irecv_done, got.bytes, operation.serial, peer_of(got.source), got.tag, operation.comm,
              operation.flags);
  else
    frame.put_call();
  return rc;
}

template <class L, class Call>
int imrecv(uint16_t id, typename L::Message* message, typename L::Request* request, Call&& call) {
  Frame frame(id);
  OpenOperation operation = no_operation;
  if (frame.on()) operation = take_matched(message_at<L>(message));
  const int rc = call();
  const bool known = followed(operation);
  if (known && rc != MPI_SUCCESS) matched(message_at<L>(message), operation);
  if (!frame.leave()) return rc;
  if (known && rc == MPI_SUCCESS) {
    if (attending && !virtual_time) note_posting(operation.serial);
    opened(L::request(*request), operation);
  }
  frame.put_call();
  return rc;
}

}  // namespace ww::interpose
