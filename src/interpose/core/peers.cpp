#include "interpose/core/peers.hpp"

#include "interpose/core/definitions.hpp"
#include "interpose/core/thread.hpp"

namespace ww::interpose {

namespace {

constexpr uint32_t most_peers = 1u << 16, peer_slots = 1u << 17;

// Untouched pages cost nothing.
uint64_t peers[most_peers];     // by index
uint32_t slots_of[peer_slots];  // index + 1, by hash; 0: free
uint32_t peer_count = 0;
int peers_lock = 0;

// The index + 1, or 0 and in `at` the slot where it would be.
uint32_t find(uint64_t address, uint32_t& at) {
  at = static_cast<uint32_t>((address * 0x9e3779b97f4a7c15ull) >> 32) % peer_slots;
  for (;; at = (at + 1) % peer_slots) {
    const uint32_t number = __atomic_load_n(&slots_of[at], __ATOMIC_ACQUIRE);
    if (number == 0 || peers[number - 1] == address) return number;
  }
}

uint32_t add(uint64_t address) {
  const Locked locked(peers_lock);
  uint32_t at = 0;
  if (const uint32_t number = find(address, at); number != 0) return number;
  if (peer_count == most_peers) return 0;
  DefinitionLine("peer").number("index", peer_count).address("address", address).write();
  peers[peer_count++] = address;
  __atomic_store_n(&slots_of[at], peer_count, __ATOMIC_RELEASE);
  return peer_count;
}

}  // namespace

int32_t peer_index(uint64_t address) {
  uint32_t at = 0;
  uint32_t number = find(address, at);
  if (__builtin_expect(number == 0, 0)) {
    number = add(address);
    if (number == 0) trouble(Trouble::too_many_peers);
  }
  return static_cast<int32_t>(number) - 1;
}

}  // namespace ww::interpose
