#include "interpose/core/virtual_once.hpp"

#include <string.h>
#include <unistd.h>

#include "interpose/core/shared_lock.hpp"

namespace ww::interpose {

struct Slot {
  uint64_t comm, number;
  int32_t members_to_come;  // 0: free
  int32_t users;            // that are here now
  uint32_t found, finder;   // finder: the process that finds it
  uint64_t when;            // it was found, by Head::found
};

namespace {

constexpr int slots = 256;

struct Head {
  uint32_t lock;
  uint64_t found;  // so far
  Slot slot[slots];
};

Head* head = nullptr;
int ranks_of_all = 0;

double* values_of(const Slot* slot) {
  return reinterpret_cast<double*>(head + 1) +
         static_cast<size_t>(slot - head->slot) * static_cast<size_t>(ranks_of_all);
}

}  // namespace

size_t once_memory(int ranks) {
  return sizeof(Head) + sizeof(double) * static_cast<size_t>(slots) * static_cast<size_t>(ranks);
}

void start_once(void* memory, int ranks) {
  head = static_cast<Head*>(memory);
  ranks_of_all = ranks;
}

// A collective whose members did not all find a place here keeps one for ever for those that never come. So a
// place is taken from the one that was found longest ago, when there is no other.
Once::Once(uint64_t comm, uint64_t number, int members) {
  {
    SharedLock held(head->lock);
    Slot *spare = nullptr, *oldest = nullptr;
    for (Slot& slot : head->slot) {
      if (slot.members_to_come > 0 && slot.comm == comm && slot.number == number) slot_ = &slot;
      if (slot.members_to_come == 0 && slot.users == 0) spare = &slot;
      if (slot.users == 0 && (oldest == nullptr || slot.when < oldest->when)) oldest = &slot;
    }
    const bool first = slot_ == nullptr;
    if (first) {
      displaced_ = spare == nullptr && oldest != nullptr;
      slot_ = spare != nullptr ? spare : oldest;
      if (slot_ == nullptr) return;
      *slot_ = {comm, number, members, 0, 0, static_cast<uint32_t>(getpid()), 0};
    }
    first_ = first;
    ++slot_->users;
  }
  if (first_) memset(values_of(slot_), 0, sizeof(double) * static_cast<size_t>(members));
  if (first_ || wait_for(slot_->found, slot_->finder)) values_ = values_of(slot_);
}

Once::~Once() {
  if (slot_ == nullptr) return;
  if (first_) __atomic_store_n(&slot_->found, 1, __ATOMIC_RELEASE);
  SharedLock held(head->lock);
  if (first_) slot_->when = ++head->found;
  --slot_->members_to_come;
  --slot_->users;
}

}  // namespace ww::interpose
