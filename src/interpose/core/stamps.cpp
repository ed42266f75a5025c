#include "interpose/core/stamps.hpp"

#include "interpose/core/thread.hpp"

namespace ww::interpose {

bool stamping = false;

namespace {

struct EntryOfRank {
  Stamp stamp;
  uint32_t taken;
};

// One writer, the sending rank, and one reader; each locks itself against its own threads only.
struct Ring {
  alignas(64) uint64_t tail;  // entries written; of the sender
  uint32_t lost;              // of both, never reset
  int sender_lock;
  alignas(64) uint64_t head;  // entries before it are done with; of the receiver, as what follows
  uint64_t tail_when_compacted;
  int receiver_lock;
  alignas(64) EntryOfRank entry[1];  // as many as `capacity`
};

constexpr uint64_t most_entries = 8192, least_entries = 64;
constexpr uint64_t most_memory = 256u << 20;

char* memory_of_all = nullptr;
int ranks_of_all = 0, own_place = 0;
uint64_t capacity = 0;  // a power of two

uint64_t capacity_for(int ranks, int planes) {
  const auto pairs =
      static_cast<uint64_t>(ranks) * static_cast<uint64_t>(ranks) * static_cast<uint64_t>(planes);
  uint64_t entries = most_entries;
  while (entries > least_entries && pairs * entries * sizeof(EntryOfRank) > most_memory) entries /= 2;
  return entries;
}

uint64_t ring_bytes(uint64_t entries) {
  constexpr uint64_t page = 4096;
  return (offsetof(Ring, entry) + entries * sizeof(EntryOfRank) + page - 1) / page * page;
}

Ring& ring(StampPlane plane, int from, int to) {
  const auto ranks = static_cast<uint64_t>(ranks_of_all);
  const uint64_t pair = (static_cast<uint64_t>(plane) * ranks + static_cast<uint64_t>(from)) * ranks +
                        static_cast<uint64_t>(to);
  return *reinterpret_cast<Ring*>(memory_of_all + pair * ring_bytes(capacity));
}

EntryOfRank& entry_of(Ring& ring, uint64_t at) {
  return ring.entry[at & (capacity - 1)];
}

// Stamps that nobody takes, between others that were taken, must not fill the ring: what is still to be taken
// moves up to the newest. All of this belongs to the receiver until it moves `head`.
uint64_t compact(Ring& ring, uint64_t head, uint64_t tail) {
  uint64_t kept = tail;
  for (uint64_t at = tail; at-- > head;) {
    if (entry_of(ring, at).taken != 0) continue;
    --kept;
    if (kept != at) entry_of(ring, kept) = entry_of(ring, at);
  }
  ring.tail_when_compacted = tail;
  return kept;
}

void lose(Ring& ring) {
  __atomic_store_n(&ring.lost, 1, __ATOMIC_RELAXED);
}

}  // namespace

size_t stamp_memory(int ranks, int planes) {
  const uint64_t pairs = static_cast<uint64_t>(ranks) * static_cast<uint64_t>(ranks);
  return pairs * static_cast<uint64_t>(planes) * ring_bytes(capacity_for(ranks, planes));
}

void start_stamps(void* memory, int ranks, int own, int planes) {
  memory_of_all = static_cast<char*>(memory);
  ranks_of_all = ranks;
  own_place = own;
  capacity = capacity_for(ranks, planes);
  stamping = true;
}

void stop_stamps() {
  stamping = false;
}

namespace {

uint32_t put(Ring& there, Stamp stamp) {
  Locked locked(there.sender_lock);
  const uint64_t tail = there.tail;
  if (tail - __atomic_load_n(&there.head, __ATOMIC_ACQUIRE) >= capacity) {
    lose(there);
    return 0;
  }
  stamp.number = static_cast<uint32_t>(tail + 1);
  entry_of(there, tail) = {stamp, 0};
  __atomic_store_n(&there.tail, tail + 1, __ATOMIC_RELEASE);
  return stamp.number;
}

EntryOfRank* find(Ring& here, uint64_t tail, const Stamp& wanted) {
  EntryOfRank* found = nullptr;
  for (uint64_t at = here.head; at < tail; ++at) {
    EntryOfRank& entry = entry_of(here, at);
    if (entry.taken != 0 || entry.stamp.comm != wanted.comm || entry.stamp.tag != wanted.tag) continue;
    const bool fits = wanted.bytes == any_size || entry.stamp.bytes == wanted.bytes;
    if (found == nullptr || fits) found = &entry;
    if (fits) break;
  }
  return found;
}

Taken take(Ring& here, Stamp& stamp) {
  Locked locked(here.receiver_lock);
  const uint64_t tail = __atomic_load_n(&here.tail, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&here.lost, __ATOMIC_RELAXED) != 0) return Taken::lost;
  EntryOfRank* found = find(here, tail, stamp);
  if (found == nullptr) return Taken::none;
  stamp = found->stamp;
  found->taken = 1;
  uint64_t head = here.head;
  while (head < tail && entry_of(here, head).taken != 0) ++head;
  if (tail - head > capacity / 4 * 3 && tail - here.tail_when_compacted > capacity / 4)
    head = compact(here, head, tail);
  __atomic_store_n(&here.head, head, __ATOMIC_RELEASE);
  return Taken::yes;
}

char* far_memory = nullptr;

Ring& far_ring(int from) {
  return *reinterpret_cast<Ring*>(far_memory + static_cast<uint64_t>(from) * ring_bytes(capacity));
}

}  // namespace

uint32_t put_stamp(int to, Stamp stamp, StampPlane plane) {
  return put(ring(plane, own_place, to), stamp);
}
bool take_stamp(int from, Stamp& stamp, StampPlane plane) {
  return take(ring(plane, from, own_place), stamp) == Taken::yes;
}

size_t far_stamp_memory(int ranks) {
  return static_cast<size_t>(ranks) * ring_bytes(capacity);
}
void start_far_stamps(void* memory) {
  far_memory = static_cast<char*>(memory);
}
void stop_far_stamps() {
  far_memory = nullptr;
}
void put_far_stamp(int from, const Stamp& stamp) {
  if (far_memory != nullptr) put(far_ring(from), stamp);
}
Taken take_far_stamp(int from, Stamp& stamp) {
  return far_memory == nullptr ? Taken::lost : take(far_ring(from), stamp);
}
void lose_far_stamps_from(int from) {
  if (far_memory != nullptr) lose(far_ring(from));
}

bool peek_stamp(int from, Stamp& stamp) {
  Ring& here = ring(StampPlane::departures, from, own_place);
  Locked locked(here.receiver_lock);
  const uint64_t tail = __atomic_load_n(&here.tail, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&here.lost, __ATOMIC_RELAXED) != 0) return false;
  const EntryOfRank* found = find(here, tail, stamp);
  if (found != nullptr) stamp = found->stamp;
  return found != nullptr;
}

void lose_stamps_to(int rank) {
  lose(ring(StampPlane::departures, own_place, rank));
}
void lose_stamps_from(int rank) {
  lose(ring(StampPlane::departures, rank, own_place));
}

}  // namespace ww::interpose
