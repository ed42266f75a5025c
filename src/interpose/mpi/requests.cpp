#include "interpose/mpi/requests.hpp"

#include <stdlib.h>
#include <string.h>

#include "interpose/core/definitions.hpp"

namespace ww::interpose {

uint64_t serials = 0;

namespace {

using spool::Kind;

constexpr uint32_t capacity = 1u << 18, buckets = 1u << 13;
enum class State : uint8_t { open, persistent_idle, persistent_open };

struct Node {
  uint64_t key;
  OpenOperation operation;
  uint32_t next;
  State state;
};
struct Bucket {
  uint32_t first, last;
  int lock;
};

Node nodes[capacity];  // 0 is none; untouched pages cost nothing
Bucket table[buckets];

// Each thread has free nodes of its own. What it lacks, or has too much of (it completes what others begin),
// it takes from or gives to the pool, a batch at a time.
constexpr uint32_t batch = 128;
uint32_t never_used = 1, pool = 0;
int pool_lock = 0;

// Messages and requests are both integers in MPICH: their numbers may be equal.
uint64_t key_of_message(MPI_Message message) {
  return key_of(message) ^ 1ull << 63;
}

// What belongs to a persistent request and is not needed at its completion.
uint64_t key_beside(MPI_Request request) {
  return key_of(request) ^ 1ull << 62;
}

Bucket& bucket_of(uint64_t key) {
  return table[key * 0x9e3779b97f4a7c15ull >> (64 - 13)];
}

void take_from_pool(Thread& thread) {
  Locked locked(pool_lock);
  for (uint32_t i = 0; i < batch; ++i) {
    uint32_t at = pool;
    if (at != 0)
      pool = nodes[at].next;
    else if (never_used < capacity)
      at = never_used++;
    else
      return;
    nodes[at].next = thread.free_nodes;
    thread.free_nodes = at;
    ++thread.free_node_count;
  }
}

void give_to_pool(Thread& thread) {
  Locked locked(pool_lock);
  for (uint32_t i = 0; i < batch; ++i) {
    const uint32_t at = thread.free_nodes;
    thread.free_nodes = nodes[at].next;
    --thread.free_node_count;
    nodes[at].next = pool;
    pool = at;
  }
}

// The bucket is locked.
WW_ALWAYS_INLINE inline void append(Bucket& bucket, uint64_t key, const OpenOperation& operation,
                                    State state) {
  Thread& thread = *this_thread;
  if (__builtin_expect(thread.free_nodes == 0, 0)) {
    take_from_pool(thread);
    if (thread.free_nodes == 0) {
      trouble(Trouble::request_table_full);
      return;
    }
  }
  const uint32_t at = thread.free_nodes;
  thread.free_nodes = nodes[at].next;
  --thread.free_node_count;
  Node& node = nodes[at];
  node.key = key;
  node.operation.serial = operation.serial;
  node.operation.bytes = operation.bytes;
  node.operation.peer = operation.peer;
  node.operation.tag = operation.tag;
  node.operation.comm = operation.comm;
  node.operation.kind = operation.kind;
  node.operation.flags = operation.flags;
  node.next = 0;
  node.state = state;
  if (bucket.first == 0)
    bucket.first = at;
  else
    nodes[bucket.last].next = at;
  bucket.last = at;
}

// The oldest node of the key that is not idle, and the node before it in the bucket.
WW_ALWAYS_INLINE inline uint32_t find(const Bucket& bucket, uint64_t key, uint32_t& before, bool idle_too) {
  before = 0;
  uint32_t at = bucket.first;
  while (at != 0 && (nodes[at].key != key || (!idle_too && nodes[at].state == State::persistent_idle))) {
    before = at;
    at = nodes[at].next;
  }
  return at;
}

WW_ALWAYS_INLINE inline void remove(Bucket& bucket, uint32_t at, uint32_t before) {
  (before == 0 ? bucket.first : nodes[before].next) = nodes[at].next;
  if (bucket.last == at) bucket.last = before;
  Thread& thread = *this_thread;
  nodes[at].next = thread.free_nodes;
  thread.free_nodes = at;
  if (__builtin_expect(++thread.free_node_count > 2 * batch, 0)) give_to_pool(thread);
}

WW_ALWAYS_INLINE inline OpenOperation take_key(uint64_t key) {
  Bucket& bucket = bucket_of(key);
  Locked locked(bucket.lock);
  uint32_t before = 0;
  const uint32_t at = find(bucket, key, before, false);
  if (at == 0) return no_operation;
  const OpenOperation operation = nodes[at].operation;
  if (nodes[at].state == State::persistent_open) {
    nodes[at].state = State::persistent_idle;
    nodes[at].operation.flags &= static_cast<uint8_t>(~flag_cancel_asked);
  } else {
    remove(bucket, at, before);
  }
  return operation;
}

}  // namespace

void touch_requests() {
  constexpr uint32_t batches = 8;
  touch_pages(table, sizeof table);
  touch_pages(nodes, sizeof nodes[0] * batches * batch);
}

uint64_t new_serials(uint64_t count) {
  if (__builtin_expect(concurrent, 0)) return __atomic_fetch_add(&serials, count, __ATOMIC_RELAXED) + 1;
  const uint64_t first = serials + 1;
  serials += count;
  return first;
}

void opened_as(MPI_Request request, uint64_t serial, uint64_t bytes, int32_t peer, int32_t tag, uint32_t comm,
               uint8_t kind, uint8_t flags) {
  if (request == MPI_REQUEST_NULL) return;
  Bucket& bucket = bucket_of(key_of(request));
  Locked locked(bucket.lock);
  append(bucket, key_of(request), {serial, bytes, peer, tag, comm, kind, flags}, State::open);
}

void opened_persistent(MPI_Request request, const OpenOperation& operation) {
  if (request == MPI_REQUEST_NULL) return;
  Bucket& bucket = bucket_of(key_of(request));
  Locked locked(bucket.lock);
  append(bucket, key_of(request), operation, State::persistent_idle);
}

OpenOperation started(MPI_Request request) {
  Bucket& bucket = bucket_of(key_of(request));
  Locked locked(bucket.lock);
  uint32_t before = 0;
  uint32_t at = find(bucket, key_of(request), before, true);
  while (at != 0 && (nodes[at].key != key_of(request) || nodes[at].state != State::persistent_idle))
    at = nodes[at].next;
  if (at == 0) return no_operation;
  OpenOperation& operation = nodes[at].operation;
  nodes[at].state = State::persistent_open;
  operation.serial =
      operation.kind == static_cast<uint8_t>(Kind::done_range) ? new_serials(operation.bytes) : new_serial();
  return operation;
}

OpenOperation take(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return no_operation;
  return take_key(key_of(request));
}

OpenOperation look(MPI_Request request) {
  Bucket& bucket = bucket_of(key_of(request));
  Locked locked(bucket.lock);
  uint32_t before = 0;
  const uint32_t at = find(bucket, key_of(request), before, false);
  return at == 0 ? no_operation : nodes[at].operation;
}

OpenOperation look_idle(MPI_Request request) {
  Bucket& bucket = bucket_of(key_of(request));
  Locked locked(bucket.lock);
  for (uint32_t at = bucket.first; at != 0; at = nodes[at].next)
    if (nodes[at].key == key_of(request) && nodes[at].state == State::persistent_idle)
      return nodes[at].operation;
  return no_operation;
}

void put_back(MPI_Request request, const OpenOperation& operation) {
  Bucket& bucket = bucket_of(key_of(request));
  Locked locked(bucket.lock);
  uint32_t before = 0;
  const uint32_t at = find(bucket, key_of(request), before, true);
  if (at != 0 && nodes[at].state == State::persistent_idle) {
    nodes[at].operation = operation;
    nodes[at].state = State::persistent_open;
  } else {
    append(bucket, key_of(request), operation, State::open);
  }
}

void cancel_asked(MPI_Request request) {
  Bucket& bucket = bucket_of(key_of(request));
  Locked locked(bucket.lock);
  uint32_t before = 0;
  const uint32_t at = find(bucket, key_of(request), before, false);
  if (at != 0) nodes[at].operation.flags |= flag_cancel_asked;
}

void forgotten(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return;
  bool persistent = false;
  {
    Bucket& bucket = bucket_of(key_of(request));
    Locked locked(bucket.lock);
    uint32_t before = 0;
    const uint32_t at = find(bucket, key_of(request), before, true);
    if (at == 0) return;
    persistent = nodes[at].state != State::open;
    remove(bucket, at, before);
  }
  if (!persistent) return;
  const OpenOperation beside = take_key(key_beside(request));
  void* more = nullptr;
  memcpy(&more, &beside.serial, sizeof more);
  free(more);
}

void keep_beside(MPI_Request request, const PersistentCall& beside) {
  uint64_t more = 0;
  memcpy(&more, &beside.more, sizeof beside.more);
  Bucket& bucket = bucket_of(key_beside(request));
  Locked locked(bucket.lock);
  append(bucket, key_beside(request), {more, beside.given, spool::no_peer, 0, 0, 0, 0}, State::open);
}

PersistentCall kept_beside(MPI_Request request) {
  Bucket& bucket = bucket_of(key_beside(request));
  Locked locked(bucket.lock);
  uint32_t before = 0;
  const uint32_t at = find(bucket, key_beside(request), before, false);
  PersistentCall beside;
  if (at == 0) return beside;
  beside.given = nodes[at].operation.bytes;
  memcpy(&beside.more, &nodes[at].operation.serial, sizeof beside.more);
  return beside;
}

void matched(MPI_Message message, const OpenOperation& operation) {
  Bucket& bucket = bucket_of(key_of_message(message));
  Locked locked(bucket.lock);
  append(bucket, key_of_message(message), operation, State::open);
}

OpenOperation take_matched(MPI_Message message) {
  return take_key(key_of_message(message));
}

}  // namespace ww::interpose
