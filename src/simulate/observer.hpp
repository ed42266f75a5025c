// Whom an evaluator tells what happens in the run that it plays. Evaluators are told at compile time whether
// anybody listens, so that one without an observer is the same machine code as if there were none.
#pragma once
#include <cstdint>

namespace ww::simulate {

enum class MessageEvent : std::uint8_t {
  sent,     // its sender has handed it to the library: the software of sending is spent
  left,     // its last byte has left the sender's port
  arrived,  // its last byte is with the receiving host
  received  // its receiver has waited for it and spent the software of receiving
};

// A rank could do nothing until another had done something.
struct Blocked {
  static constexpr std::uint32_t no_message = 0xffffffffu;
  std::int32_t rank = 0;
  double from_s = 0, to_s = 0;
  // From when on the other rank had begun its part, within [from_s, to_s]: before it the wait is the
  // algorithm's, after it service.
  double begun_s = 0;
  std::int32_t by = 0;                 // the rank that was waited for; of a sync the last that entered
  std::uint32_t message = no_message;  // for whose end; none: a sync
};

// Seconds since the earliest begin of a rank. What concerns one rank comes in the order of its time (a
// message's sending and receiving ends are its ranks'); ranks among each other come in any order. A message
// within a host leaves when it arrives; one that a rank sends to itself leaves and arrives when it is sent.
class Observer {
 public:
  virtual ~Observer() = default;
  // The calls of a rank come in their order in the program.
  virtual void call_begins(std::int32_t /*rank*/, std::uint32_t /*region*/, double /*at_s*/) {}
  virtual void call_ends(std::int32_t /*rank*/, double /*at_s*/) {}
  virtual void message(MessageEvent /*what*/, std::uint32_t /*message*/, double /*at_s*/) {}
  virtual void blocked(const Blocked& /*wait*/) {}
};

}  // namespace ww::simulate
