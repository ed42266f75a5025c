#include "interpose/core/entries.hpp"

#include "interpose/core/thread.hpp"

namespace ww::interpose {

namespace {

struct Kept {
  uint64_t id;  // 0: nothing, or being written
  EntryOfRank entry;
};
// Those of one communicator follow one another, so that the latest of it are all kept if no other is used.
constexpr uint64_t most = 256;
struct alignas(64) Table {
  Kept kept[most];
};

Table* tables = nullptr;
int own_place = 0, own_lock = 0;

uint64_t hashed(uint64_t comm) {
  return (comm ^ comm >> 29) * 0x9e3779b97f4a7c15ull;
}
// Tells one collective of one communicator from all others whose entries can be kept beside it.
uint64_t id_of(uint64_t comm, uint64_t number) {
  const uint64_t id = hashed(comm) + number * 0xbf58476d1ce4e5b9ull;
  return id != 0 ? id : 1;
}
Kept& place_of(Table& table, uint64_t comm, uint64_t number) {
  return table.kept[((hashed(comm) >> 32) + number) % most];
}

}  // namespace

size_t entries_memory(int ranks) {
  return static_cast<size_t>(ranks) * sizeof(Table);
}

void start_entries(void* memory, int own) {
  own_place = own;
  tables = static_cast<Table*>(memory);
}
void stop_entries() {
  tables = nullptr;
}

void put_entry(uint64_t comm, uint64_t number, const EntryOfRank& entry) {
  if (tables == nullptr) return;
  Locked locked(own_lock);
  Kept& kept = place_of(tables[own_place], comm, number);
  __atomic_store_n(&kept.id, 0, __ATOMIC_RELAXED);
  // Releases and acquires in place of fences, which the sanitizer of threads does not know: see wire_clock.cpp.
  const auto put = [](uint64_t& to, uint64_t what) { __atomic_store_n(&to, what, __ATOMIC_RELEASE); };
  put(kept.entry.when, entry.when);
  put(kept.entry.given, entry.given);
  put(kept.entry.got, entry.got);
  put(kept.entry.looked, entry.looked);
  put(kept.entry.really_looked, entry.really_looked);
  put(kept.entry.port_until, entry.port_until);
  put(kept.entry.port_really_until, entry.port_really_until);
  put(kept.entry.told, entry.told);
  for (uint64_t i = 0; i < entry.told; ++i) put(kept.entry.given_to[i], entry.given_to[i]);
  __atomic_store_n(&kept.id, id_of(comm, number), __ATOMIC_RELEASE);
}

bool read_entry(int place, uint64_t comm, uint64_t number, EntryOfRank& entry) {
  if (tables == nullptr) return false;
  const Kept& kept = place_of(tables[place], comm, number);
  const uint64_t wanted = id_of(comm, number);
  if (__atomic_load_n(&kept.id, __ATOMIC_ACQUIRE) != wanted) return false;
  const auto get = [](const uint64_t& from) { return __atomic_load_n(&from, __ATOMIC_ACQUIRE); };
  entry.when = get(kept.entry.when);
  entry.given = get(kept.entry.given);
  entry.got = get(kept.entry.got);
  entry.looked = get(kept.entry.looked);
  entry.really_looked = get(kept.entry.really_looked);
  entry.port_until = get(kept.entry.port_until);
  entry.port_really_until = get(kept.entry.port_really_until);
  entry.told = get(kept.entry.told);
  if (entry.told > EntryOfRank::most_told) entry.told = 0;  // it is being written, and not taken below
  for (uint64_t i = 0; i < entry.told; ++i) entry.given_to[i] = get(kept.entry.given_to[i]);
  return __atomic_load_n(&kept.id, __ATOMIC_RELAXED) == wanted;
}

}  // namespace ww::interpose
