// What a recording cannot see and the replay of a predicted run knows.
#pragma once
#include <cstdint>

namespace ww {

// A rank was blocked within a call of its.
struct KnownWait {
  std::uint32_t call = 0;  // index into the rank's columns
  // begun_ns: from when on the other rank had begun its part, within [from_ns, to_ns]
  std::int64_t from_ns = 0, begun_ns = 0, to_ns = 0;
  std::int32_t by = -1;  // world rank that was waited for
};

// When a message's last byte left its sender's port, and was with the receiving host.
struct KnownWay {
  std::uint32_t action = 0;  // that sent it: index into the sender's columns
  std::int64_t left_ns = 0, arrived_ns = 0;
};

}  // namespace ww
