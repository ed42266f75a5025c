#include "interpose/core/names.hpp"

#include <string.h>

#include "interpose/core/definitions.hpp"

namespace ww::interpose {

namespace {

struct Name {
  const char* text;  // in `texts`, with a 0
  uint32_t length;
  uint32_t hash;
  NameUse use;
  bool defined;
  const char* unit;  // nullptr: not known
};

constexpr uint32_t most_names = 1u << 16, slot_count = 1u << 17;
constexpr size_t text_bytes = 4u << 20, longest = 1000;
constexpr uint32_t uses = 4;  // the last places are for all names that are too many, one for each use
constexpr const char* others = "(other names)";

// Untouched pages cost nothing.
Name names[most_names + 1];  // 0 is none
uint32_t slots[slot_count];  // numbers, by hash; 0: free
char texts[text_bytes];
uint32_t name_count = 0;
size_t text_used = 0;
int lock = 0;

// Unlike Locked: programs may use threads that never call MPI.
class LockedAlways {
 public:
  LockedAlways() {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  }
  ~LockedAlways() { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }
  LockedAlways(const LockedAlways&) = delete;
  LockedAlways& operator=(const LockedAlways&) = delete;
};

uint32_t hash_of(NameUse use, const char* text, size_t length) {
  constexpr uint64_t multiplier = 0x9e3779b97f4a7c15ull;
  uint64_t hash = (length << 2 | static_cast<uint64_t>(use)) * multiplier;
  for (; length > 0; text += 8) {
    uint64_t piece = 0;
    const size_t part = length < sizeof piece ? length : sizeof piece;
    memcpy(&piece, text, part);
    hash = (hash ^ (hash >> 32) ^ piece) * multiplier;
    length -= part;
  }
  return static_cast<uint32_t>(hash >> 32);
}

// The number, or 0 and in `at` the slot where it would be.
uint32_t find(NameUse use, const char* text, size_t length, uint32_t hash, uint32_t& at) {
  for (at = hash % slot_count;; at = (at + 1) % slot_count) {
    const uint32_t number = __atomic_load_n(&slots[at], __ATOMIC_ACQUIRE);
    if (number == 0) return 0;
    const Name& name = names[number];
    if (name.hash == hash && name.length == length && name.use == use && memcmp(name.text, text, length) == 0)
      return number;
  }
}

uint32_t add(NameUse use, const char* text, size_t length, uint32_t hash) {
  const LockedAlways locked;
  uint32_t at = 0;
  if (const uint32_t number = find(use, text, length, hash, at); number != 0) return number;
  const bool is_others = text == others;
  if (!is_others && (name_count >= most_names - uses || text_used + length + 1 > text_bytes - 256)) return 0;
  char* const copy = texts + text_used;
  memcpy(copy, text, length);
  copy[length] = 0;
  text_used += length + 1;
  names[++name_count] = {copy, static_cast<uint32_t>(length), hash, use, false, nullptr};
  __atomic_store_n(&slots[at], name_count, __ATOMIC_RELEASE);
  return name_count;
}

}  // namespace

uint32_t name_number(NameUse use, const char* text, size_t length) {
  if (length > longest) length = longest;
  const uint32_t hash = hash_of(use, text, length);
  uint32_t at = 0;
  if (const uint32_t number = find(use, text, length, hash, at); __builtin_expect(number != 0, 1))
    return number;
  if (const uint32_t number = add(use, text, length, hash); number != 0) return number;
  trouble(Trouble::too_many_names);
  return add(use, others, strlen(others), hash_of(use, others, strlen(others)));
}

const char* name_text(uint32_t number) {
  return names[number].text;
}

void name_unit(uint32_t number, const char* unit) {
  const LockedAlways locked;
  names[number].unit = unit;
}

void define_name(uint32_t number) {
  static constexpr const char* in_text[uses] = {"region", "marker", "integer", "real"};
  Name& name = names[number];
  if (__builtin_expect(__atomic_load_n(&name.defined, __ATOMIC_ACQUIRE), 1)) return;
  const LockedAlways locked;
  if (name.defined) return;
  DefinitionLine line("name");
  line.number("id", number).text("use", in_text[static_cast<int>(name.use)]).text("text", name.text);
  if (name.unit != nullptr) line.text("unit", name.unit);
  line.write();
  __atomic_store_n(&name.defined, true, __ATOMIC_RELEASE);
}

}  // namespace ww::interpose
