// Which steps of a rank need their place in time among what others do; through the rest it may run ahead.
#pragma once
#include <cstdint>

#include "simulate/program.hpp"

namespace ww::simulate {

// runs_ahead: no message is answered and no network takes the time of hosts, so that nobody asks whether the rank is inside a call.
// stage: RankState's. on_ports: the message that is sent; one that stays within its host is there when it would be, whoever sends.
inline bool is_seen(OpKind kind, std::uint8_t stage, bool runs_ahead, bool on_ports) {
  switch (kind) {
    case OpKind::compute:
    case OpKind::library:
    case OpKind::enter:
    case OpKind::leave:
    case OpKind::receive:
      return !runs_ahead;
    case OpKind::send:
      return !runs_ahead || (stage == 1 && on_ports);
    case OpKind::wait:
    case OpKind::sync_begin:
    case OpKind::sync_end:
      return true;
  }
  return true;
}

}  // namespace ww::simulate
