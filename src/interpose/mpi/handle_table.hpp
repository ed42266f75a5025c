// What is known of objects that are made seldom and used often (windows, files), by their handles. The table
// has its size; who looks something up takes no lock.
#pragma once
#include "interpose/mpi/frame.hpp"
#include "interpose/mpi/handles.hpp"

namespace ww::interpose {

// Handles that were freed, the latest ones, until the library gives them again. A program that uses one all
// the same is answered by the library; here nobody asks it about them. Whoever calls has the lock of the
// table beside it.
class FreedHandles {
 public:
  void add(uint64_t key) { keys_[count_++ % most] = key; }
  void given_again(uint64_t key) {
    for (uint64_t& known : keys_)
      if (known == key) known = 0;
  }
  bool holds(uint64_t key) const {
    for (const uint64_t known : keys_)
      if (known == key) return true;
    return false;
  }

 private:
  static constexpr uint32_t most = 64;
  uint64_t keys_[most];
  uint32_t count_;
};

template <class Handle, class Value, uint32_t capacity>
class HandleTable {
 public:
  // An entry that is found stays what it is while its object is used, whatever other threads make and free.
  Value* find(Handle handle) {
    uint32_t at = __atomic_load_n(&first_[bucket_of(handle)], __ATOMIC_ACQUIRE);
    for (int step = 0; at != 0 && step < most_steps; ++step) {
      if (entries_[at].key == key_of(handle)) return &entries_[at].value;
      at = __atomic_load_n(&entries_[at].next, __ATOMIC_RELAXED);
    }
    Locked locked(lock_);
    for (at = first_[bucket_of(handle)]; at != 0; at = entries_[at].next)
      if (entries_[at].key == key_of(handle)) return &entries_[at].value;
    return nullptr;
  }

  // nullptr: the table is full.
  Value* add(Handle handle, const Value& value) {
    Locked locked(lock_);
    uint32_t at = free_list_;
    if (at != 0)
      free_list_ = entries_[at].next;
    else if (used_ + 1 < capacity)
      at = ++used_;
    if (at == 0) return nullptr;
    freed_.given_again(key_of(handle));
    uint32_t& bucket = first_[bucket_of(handle)];
    entries_[at] = {key_of(handle), value, bucket};
    __atomic_store_n(&bucket, at, __ATOMIC_RELEASE);
    return &entries_[at].value;
  }

  // The object is freed: nobody can be asked about it, until its handle is given again.
  void was_freed(Handle handle) {
    Locked locked(lock_);
    uint32_t at = first_[bucket_of(handle)];
    while (at != 0 && entries_[at].key != key_of(handle)) at = entries_[at].next;
    if (at == 0) freed_.add(key_of(handle));
  }
  bool is_freed(Handle handle) {
    Locked locked(lock_);
    return freed_.holds(key_of(handle));
  }

  // The handle may be given to another object from now on. False: it was not known.
  bool remove(Handle handle, Value& removed) {
    Locked locked(lock_);
    uint32_t* place = &first_[bucket_of(handle)];
    while (*place != 0 && entries_[*place].key != key_of(handle)) place = &entries_[*place].next;
    const uint32_t at = *place;
    if (at == 0) return false;
    removed = entries_[at].value;
    *place = entries_[at].next;
    entries_[at] = {0, {}, free_list_};
    free_list_ = at;
    return true;
  }

 private:
  struct EntryOfRank {
    uint64_t key;
    Value value;
    uint32_t next;  // in the bucket; 0: none
  };
  static constexpr uint32_t buckets = 256;
  static constexpr int most_steps = 64;
  static uint32_t bucket_of(Handle handle) {
    return static_cast<uint32_t>(key_of(handle) * 0x9e3779b97f4a7c15ull >> 56) % buckets;
  }

  EntryOfRank entries_[capacity];  // 0 is no entry
  uint32_t first_[buckets];
  uint32_t used_ = 0, free_list_ = 0;
  int lock_ = 0;
  FreedHandles freed_;
};

}  // namespace ww::interpose
