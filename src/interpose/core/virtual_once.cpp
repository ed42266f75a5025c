#include "interpose/core/virtual_once.hpp"

#include <string.h>

#include "interpose/core/shared_lock.hpp"

namespace ww::interpose {

struct Slot {
  uint64_t comm, number;
  int32_t members_to_come;  // 0: free
  uint32_t found;
};

namespace {

constexpr int slots = 256;

struct Head {
  uint32_t lock;
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

Once::Once(uint64_t comm, uint64_t number, int members) {
  {
    SharedLock held(head->lock);
    Slot* spare = nullptr;
    for (Slot& slot : head->slot) {
      if (slot.members_to_come > 0 && slot.comm == comm && slot.number == number) slot_ = &slot;
      if (slot.members_to_come == 0) spare = &slot;
    }
    first_ = slot_ == nullptr;
    if (first_ && spare == nullptr) return;
    if (first_) {
      slot_ = spare;
      *slot_ = {comm, number, members, 0};
    }
  }
  values_ = values_of(slot_);
  if (first_)
    memset(values_, 0, sizeof(double) * static_cast<size_t>(members));
  else
    wait_for(slot_->found);
}

Once::~Once() {
  if (slot_ == nullptr) return;
  if (first_) __atomic_store_n(&slot_->found, 1, __ATOMIC_RELEASE);
  SharedLock held(head->lock);
  --slot_->members_to_come;
}

}  // namespace ww::interpose
